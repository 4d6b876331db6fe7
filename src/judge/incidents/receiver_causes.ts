/** Rules that use a receiver's frames, packets and key frames. */
import { keyFrameWait } from '../key_frames.js';
import { msText, rateText, secondsText, shareText } from '../text.js';
import { usualOf } from './evidence.js';
import { heavyLoss } from './loss_causes.js';
import { earlierMs, knowsNoQueue, LEAST_QUEUE_MS, LONG_QUEUE_MS, queuedMs, rttGrowthMs } from './queue.js';
import { cause, OVERUSE_FIX, type Rule } from './rule.js';
import type { Look } from './stream_looks.js';

/**
 * At least this fraction of the packet groups around the incident's beginning must signal overuse, since a single
 * group may do so by chance.
 */
const LEAST_OVERUSE = 0.05;

export const remotePaused: Rule = ({ since }) => {
  const last = since.slice(-2);
  if (last.length < 2 || last.some(({ packets }) => packets > 0)) return null;
  const isAlive = since.some(
    ({ bytesIn, checksAnswered, packets }) => packets === 0 && bytesIn + checksAnswered > 0,
  );
  if (!isAlive) return null;
  return cause(
    'sender-paused',
    'The far side has stopped sending this stream, though the connection is alive.',
    'Check whether the sender muted or stopped its track, or the server paused forwarding it.',
  );
};

/**
 * Overuse, if there is evidence of a queue. A longer round trip alone may be enough. Otherwise two signs are needed:
 * the detector of the shadow (a controller that runs alongside the call) signals overuse, and the stream's frames
 * waited longer than usual.
 */
export const overuseSeenByReceiver: Rule = (evidence) => {
  const { detector, queueMs } = evidence;
  const grown = queuedMs(evidence);
  const signalled =
    detector !== null &&
    detector.overuseShare >= LEAST_OVERUSE &&
    (queueMs ?? 0) >= LEAST_QUEUE_MS &&
    !knowsNoQueue(evidence);
  if (!signalled && grown === 0) return null;
  const signal = signalled
    ? `the overuse detector beside the stream (γ up to ${msText(detector.gammaMs)}) signalled overuse in ${shareText(detector.overuseShare)} of ${detector.groups} groups, and frames waited for ${msText(queueMs ?? 0)} longer`
    : '';
  const trip =
    grown > 0
      ? `the round trip rose from ${msText(earlierMs(evidence))} to ${msText(earlierMs(evidence) + grown)}`
      : '';
  return cause(
    'overuse',
    `A queue grew on the path: ${[signal, trip].filter((part) => part !== '').join(', ')}.`,
    OVERUSE_FIX,
  );
};

/**
 * While a full queue drops packets, all frames wait in that queue. If some frame waited only briefly just after the
 * loss, no full queue caused the loss. Any later queue then consists of retransmissions.
 */
export const lossBesideShortQueue: Rule = (evidence) => {
  const { queueBesideLossMs } = evidence;
  return queueBesideLossMs !== null && queueBesideLossMs < LONG_QUEUE_MS ? heavyLoss(evidence) : null;
};

/**
 * A long queue explains losses that occur at the same time. If the wait of frames is known, it shows the length of
 * the queue. The round trip is less reliable, because connectivity checks are infrequent, and are repeated if they
 * are lost.
 */
export const overuseByLongQueue: Rule = (evidence) => {
  const queueMs = evidence.queueMs ?? rttGrowthMs(evidence);
  return queueMs > LONG_QUEUE_MS ? overuseSeenByReceiver(evidence) : null;
};

export const farSideLimited: Rule = ({ since, usual, kind, before: fell }) => {
  const rateOf = (looks: readonly Look[]): number => usualOf(looks, ({ rateBps }) => rateBps);
  const [before, rate] = [kind === 'rate-fall' ? fell : rateOf(usual), rateOf(since.slice(-3))];
  // A picture may also freeze although the rate did not fall, or before a usual rate is known. Then a lower
  // rate is not the cause.
  if (!(rate < before)) return null;
  return cause(
    'far-side-limited',
    `The far side sends ${rateText(rate)} instead of ${rateText(before)}, though nothing shows a queue, an outage or more loss than usual on the path.`,
    'Check the sender: its cap, source, processor and uplink.',
  );
};

export const waitingForKeyFrame: Rule = ({ around }) => {
  // Only this stream counts, since another stream of the connection may wait for a key frame at the same time.
  const samples = around.map(({ sample, received }) => ({
    ...sample,
    inbound: received === null ? [] : [received],
  }));
  const wait = keyFrameWait([samples]);
  return (
    wait &&
    cause(
      'waiting-for-key-frame',
      `The receiver got ${wait.packetsReceived} packets but decoded no frame for ${secondsText(wait.lastedUs)}, although it requested a key frame ${wait.requests} times (PLI).`,
      'Make sure that key frames are sent when they are requested: a server must forward PLI to the sender.',
    )
  );
};

/**
 * The rule waitingForKeyFrame, tried before the rules on routes and outages. It applies if packets kept
 * arriving, since neither a change of route nor an outage can then delay the key frame.
 */
export const waitingThroughout: Rule = (evidence) =>
  evidence.since.every(({ packets }) => packets > 0) ? waitingForKeyFrame(evidence) : null;
