/**
 * Actions on a sent stream that ccscope took at the user's request, such as a cap on its bitrate, and that have not
 * been undone.
 */
import type { ActionRecord } from '../../calls/record/record.js';
import { rateText } from '../text.js';
import { capBps, type Evidence } from './evidence.js';

type Done = Extract<ActionRecord['result'], { ok: true }>;
type InForce = Done['inForce'][number];

/**
 * Limits that differ by at most this fraction count as equal: dividing a limit among encodings rounds it.
 */
const SAME = 0.02;

/** Successful actions on the stream, in order. */
function doneTo({ endpoint, stream, around, untilUs }: Evidence): ActionRecord[] {
  const ssrcs = new Set(around.flatMap(({ sent }) => sent.map(({ ssrc }) => ssrc)));
  return (endpoint.actions ?? []).filter(({ timeUs, action: { target }, result }) => {
    const isIts = target.mid === '' ? ssrcs.has(target.ssrc) : target.mid === stream.key;
    return timeUs <= untilUs && result.ok && target.direction === 'send' && isIts;
  });
}

/**
 * The actions that are still in effect. The result of each action lists all actions in effect at that time, so the
 * latest result is used.
 */
function inForce(evidence: Evidence): readonly InForce[] {
  const result = doneTo(evidence).at(-1)?.result;
  return result?.ok === true ? result.inForce : [];
}

/** A limit that ccscope has set. `order` completes the sentence `ccscope was told to …`. */
export interface OwnBound {
  order: string;
  isDriven: boolean;
}

/** The action of ccscope that set the stream's current limit; null if the page or the far side set it. */
export function ownBound(evidence: Evidence): OwnBound | null {
  const held = inForce(evidence);
  const last = evidence.around.at(-1);
  const bounds = last === undefined ? [] : [capBps(last), ...last.sent.map((each) => each.maxBitrateBps)];
  const stands = (bps: number): boolean => bounds.some((bound) => Math.abs(bound - bps) <= SAME * bps);
  const cap = held.find((each) => each.kind === 'cap' && stands(each.maxBitrateBps));
  if (cap?.kind === 'cap') {
    const told = doneTo(evidence).findLast(({ action: { kind } }) => kind === 'cap' || kind === 'hold');
    const isHeld = told?.action.kind === 'hold';
    const order = isHeld ? 'hold it at its rate' : `cap it at ${rateText(cap.maxBitrateBps)}`;
    return { order, isDriven: false };
  }
  // A controller that drives the sender keeps changing the limit. These limits are not recorded, so they cannot be
  // compared with the current limit.
  const drive = held.find(({ kind }) => kind === 'drive');
  return drive?.kind === 'drive' ? { order: `drive it with ${drive.controller}`, isDriven: true } : null;
}

/** Whether ccscope was told to switch off an encoding of the stream. */
export const isSwitchedOffByUs = (evidence: Evidence): boolean =>
  inForce(evidence).some((each) => each.kind === 'layer' && !each.active);

export const RELEASE_FIX = 'Release the stream in the view to undo this.';
