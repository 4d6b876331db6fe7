/**
 * Finds why a stream's rate fell, its delay rose or its picture froze, with the numbers that support the cause. An
 * incident is a change, so a rule compares the usual values with the values around the incident's beginning. The
 * order of the rules matters. Deliberate actions, such as a cap, come before effects of the network. Causes that
 * explain the whole change come before causes that explain a part of it.
 */
import type { Cause } from '../cause_kinds.js';
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

/** Values that are unknown in all samples are described as unknown. */
function unknownCause({ usual, around }: Evidence): Cause {
  const [longestMs, lowestBps] = [greatest(around, rttMs), least(around, availableBps)];
  const trip = Number.isFinite(longestMs)
    ? `the round trip, usually ${msText(usualOf(usual, rttMs))}, was at most ${msText(longestMs)}`
    : 'the round trip is unknown';
  const estimate = Number.isFinite(lowestBps)
    ? `the estimate, usually ${rateText(usualOf(usual, availableBps))}, was at least ${rateText(lowestBps)}`
    : 'the estimate is unknown';
  return cause(
    'unknown',
    `No common cause is visible: ${trip}; ${estimate}.`,
    'Look at the charts of the recording around this time.',
  );
}

const RULES: Readonly<Record<Evidence['kind'], Readonly<Record<'send' | 'receive', readonly Rule[]>>>> = {
  'rate-fall': {
    send: [
      cap,
      senderPaused,
      layerSwitchedOff,
      routeChange,
      feedbackMissing,
      outage,
      machineOverloaded,
      slowCodec,
      lossWithoutQueue,
      limitedAtOnce,
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
      routeChange,
      outage,
      machineOverloaded,
      slowCodec,
      lossBesideShortQueue,
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
      routeChange,
      outage,
      machineOverloaded,
      waitingForKeyFrame,
      slowCodec,
      cpuOfDecoder,
      lossBesideShortQueue,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
      layerLowered,
      someLoss,
      farSideLimited,
    ],
  },
  'delay-rise': {
    send: [routeChange, outage, machineOverloaded, lossWithoutQueue, overuseSeenBySender],
    receive: [
      routeChange,
      outage,
      machineOverloaded,
      lossBesideShortQueue,
      overuseByLongQueue,
      heavyLoss,
      overuseSeenByReceiver,
    ],
  },
};

/** The first cause that the evidence supports. */
export function causeOf(evidence: Evidence): Cause {
  for (const rule of RULES[evidence.kind][evidence.stream.direction]) {
    const found = rule(evidence);
    if (found !== null) return found;
  }
  return unknownCause(evidence);
}
