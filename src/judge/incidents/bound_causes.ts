/** Rules for falls of a rate to a limit that was set or lowered. */
import type { Cause } from '../cause_kinds.js';
import { rateText } from '../text.js';
import { capBps, least, usualOf, type Evidence } from './evidence.js';
import { ownBound, RELEASE_FIX, type OwnBound } from './own_actions.js';
import { AT_BOUND, cause, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/**
 * A rate of up to this multiple of a limit still counts as being at the limit: limits do not count headers and
 * retransmissions, and encoders overshoot.
 */
const ABOVE_BOUND = 1.2;
/** A limit above this fraction of the usual rate did not cause the fall, since rates also vary by 5 % by chance. */
const BELOW_RATE = 0.95;

const rateBps = (look: Look): number => look.rateBps;

const isAt = (rate: number, bound: number): boolean =>
  rate >= AT_BOUND * bound && rate <= ABOVE_BOUND * bound;

/** The cause `cap`, if a limit was set or lowered and the rate is now at this limit; otherwise null. */
function newBound(evidence: Evidence, own: OwnBound | null): Cause | null {
  const { usual, around, since } = evidence;
  const [before, now] = [usualOf(usual, capBps), least(around, capBps)];
  const rate = usualOf(usual, rateBps);
  // The limit must also be below the usual rate: if no earlier limit is known, the current limit may have applied
  // long before the fall.
  const isNew = Number.isFinite(now) && !(before <= now) && now < BELOW_RATE * rate;
  if (!isNew || !isAt(usualOf(since.slice(-3), rateBps), now)) return null;
  const change = Number.isFinite(before) ? `lowered from ${rateText(before)}` : 'set';
  const capped = `The stream's cap was ${change} to ${rateText(now)}`;
  const sent = `it had been sending ${rateText(rate)}`;
  return own === null
    ? cause(
        'cap',
        `${capped} (maxBitrate of its encodings, or b= of the far side's description); ${sent}.`,
        'Raise maxBitrate in setParameters, or the bandwidth line of the description, unless the lower rate is intended.',
      )
    : cause(
        'cap',
        `${capped}, because ccscope was told to ${own.order}; ${sent}.`,
        `ccscope was told to ${own.order}. ${RELEASE_FIX}`,
      );
}

export const cap: Rule = (evidence) => {
  const own = ownBound(evidence);
  return own?.isDriven === true ? null : newBound(evidence, own);
};

/**
 * Like `cap`, but for a sender whose bitrate a controller of ccscope sets. Such a controller lowers the cap for a
 * reason, such as loss. So this rule is tried after most rules that find such a reason.
 */
export const capByDrive: Rule = (evidence) => {
  const own = ownBound(evidence);
  return own?.isDriven === true ? newBound(evidence, own) : null;
};
