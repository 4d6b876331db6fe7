/**
 * Finds why a stream's rate fell, its delay rose or its picture froze, with the numbers that support the cause. An
 * incident is a change, so a rule compares the usual values with the values around the incident's beginning. The
 * order of the rules matters. Deliberate actions, such as a cap, come before effects of the network. Causes that
 * explain the whole change come before causes that explain a part of it.
 */
import type { Cause, CauseKind } from '../cause_kinds.js';
import { msText, rateText } from '../text.js';
import { cap, capByDrive } from './bound_causes.js';
import {
  overuseSeenBySender,
  lossWithoutQueue,
  limitedAtOnce,
  limitedByFarSide,
  someLossByEstimate,
  overuseByEstimate,
  availableBps,
} from './estimate_causes.js';
import { greatest, least, rttMs, usualOf, type Evidence } from './evidence.js';
import { layerSwitchedOff, layerLowered } from './layer_causes.js';
import { capacityLowered, overuseAtLink } from './link_causes.js';
import { heavyLoss, someLoss } from './loss_causes.js';
import { routeChange, outage, feedbackMissing } from './path_causes.js';
import { machineOverloaded, cpuOfEncoder, slowCodec, cpuOfDecoder } from './processor_causes.js';
import {
  remotePaused,
  overuseSeenByReceiver,
  lossBesideShortQueue,
  overuseByLongQueue,
  farSideLimited,
  waitingForKeyFrame,
  waitingThroughout,
} from './receiver_causes.js';
import { cause, type Rule } from './rule.js';
import { senderPaused, slowSource, applicationLimited, largerPicture } from './source_causes.js';

const usually = (value: number, text: string): string => (Number.isNaN(value) ? '' : `, usually ${text},`);

/** The cause `unknown`, with the longest round trip and the lowest estimate around the beginning of the incident. */
function unknownCause({ kind, before, usual, around }: Evidence): Cause {
  const [longestMs, lowestBps] = [greatest(around, rttMs), least(around, availableBps)];
  const usualMs = usualOf(usual, rttMs);
  const trip = !Number.isFinite(longestMs)
    ? 'the round trip is unknown'
    : kind === 'delay-rise'
      ? `the round trip rose from ${msText(before)} to ${msText(longestMs)}`
      : `the round trip${usually(usualMs, msText(usualMs))} was at most ${msText(longestMs)}`;
  const usualBps = usualOf(usual, availableBps);
  const estimate = Number.isFinite(lowestBps)
    ? `the estimate${usually(usualBps, rateText(usualBps))} was at least ${rateText(lowestBps)}`
    : 'the estimate is unknown';
  const early = usual.length === 0 ? ' It is too early in the call for a comparison with what is usual.' : '';
  return cause(
    'unknown',
    `No common cause is visible: ${trip}; ${estimate}.${early}`,
    'Look at the charts of the recording around this time.',
  );
}

const RULES: Readonly<Record<Evidence['kind'], Readonly<Record<'send' | 'receive', readonly Rule[]>>>> = {
  'rate-fall': {
    send: [
      cap,
      senderPaused,
      layerSwitchedOff,
      capacityLowered,
      routeChange,
      feedbackMissing,
      outage,
      machineOverloaded,
      slowCodec,
      lossWithoutQueue,
      limitedAtOnce,
      overuseAtLink,
      overuseSeenBySender,
      heavyLoss,
      cpuOfEncoder,
      limitedByFarSide,
      capByDrive,
      slowSource,
      applicationLimited,
      largerPicture,
      someLossByEstimate,
      overuseByEstimate,
      layerLowered,
      someLoss,
    ],
    receive: [
      remotePaused,
      capacityLowered,
      routeChange,
      outage,
      machineOverloaded,
      slowCodec,
      lossBesideShortQueue,
      overuseAtLink,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
      layerLowered,
      someLoss,
      farSideLimited,
    ],
  },
  freeze: {
    send: [],
    receive: [
      remotePaused,
      waitingThroughout,
      capacityLowered,
      routeChange,
      outage,
      machineOverloaded,
      waitingForKeyFrame,
      slowCodec,
      cpuOfDecoder,
      lossBesideShortQueue,
      overuseAtLink,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
      layerLowered,
      someLoss,
      farSideLimited,
    ],
  },
  'delay-rise': {
    send: [
      capacityLowered,
      routeChange,
      outage,
      machineOverloaded,
      lossWithoutQueue,
      overuseAtLink,
      overuseSeenBySender,
    ],
    receive: [
      capacityLowered,
      routeChange,
      outage,
      machineOverloaded,
      lossBesideShortQueue,
      overuseAtLink,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
    ],
  },
};

/**
 * Rules for causes at the sender that freeze the picture at the far side. The rule applicationLimited is left out,
 * since a picture with less detail or motion does not freeze.
 */
const FREEZE_AT_SENDER: readonly Rule[] = [
  senderPaused,
  layerSwitchedOff,
  outage,
  machineOverloaded,
  cpuOfEncoder,
  slowSource,
];

function firstCause(rules: readonly Rule[], evidence: Evidence): Cause | null {
  for (const rule of rules) {
    const found = rule(evidence);
    if (found !== null) return found;
  }
  return null;
}

/** Causes that certainly or possibly lie at the sender. A receiver sees only their effects. */
const OF_SENDER: ReadonlySet<CauseKind> = new Set<CauseKind>([
  'far-side-limited',
  'layer-dropped',
  'unknown',
]);

/**
 * Finds the first cause that the evidence supports. For a received stream, this may be a cause in OF_SENDER. Then the
 * sender's own evidence, `atSender`, is searched for a more precise cause. `atSender` is null if the record does not
 * contain the sender, or for a sent stream.
 */
export function causeOf(evidence: Evidence, atSender: Evidence | null): Cause {
  const { kind, stream } = evidence;
  const found = firstCause(RULES[kind][stream.direction], evidence) ?? unknownCause(evidence);
  if (atSender === null || !OF_SENDER.has(found.kind)) return found;
  const told = firstCause(kind === 'freeze' ? FREEZE_AT_SENDER : RULES[kind].send, atSender);
  return told === null ? found : { ...told, evidence: `At the sender: ${told.evidence}` };
}
