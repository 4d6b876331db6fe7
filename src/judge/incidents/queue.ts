/** What the round trip says of a queue: how much it grew, and whether that is more than it scatters by. */
import { LOSS_DECREASES } from '../loss_thresholds.js';
import { greatest, lossOf, rttMeasured, rttMs, scatterOf, usualOf, type Evidence } from './evidence.js';
import type { Look } from './stream_looks.js';

/** A round trip that grew by this much has met a queue: more than it scatters by on wireless links. */
const QUEUED_MS = 25;
/** A queue this long explains the losses that come with it. */
export const LONG_QUEUE_MS = 100;
/** A queue that frames have met: more than what single large frames take. */
export const LEAST_QUEUE_MS = 12.5;
/** On a link with jitter, a queue exceeds this many median deviations, nearly three standard deviations. */
const SCATTERS = 4;

/** The measurements around the beginning, the longest first; what was measured before is not of now. */
function measured({ recent, around }: Evidence): Look[] {
  const ofNow = rttMeasured(recent).filter((look) => around.includes(look));
  return ofNow.sort((a, b) => rttMs(b) - rttMs(a));
}

/** How much the round trip grew around the beginning, in ms, a single measurement included; -Infinity without one. */
export const rttGrowthMs = (evidence: Evidence): number =>
  greatest(measured(evidence), rttMs) - usualOf(evidence.usual, rttMs);

const scatterMs = ({ past }: Evidence): number => SCATTERS * scatterOf(past, rttMs);

/**
 * A second measurement bears a long round trip out. A sender has one with each report: one that is very long and comes
 * with heavy loss is that of a full queue. A receiver has only its connectivity checks, which are seldom: there frames that
 * waited do as well, or, where none are seen, that it is longer than it ever was lately.
 */
function isBorneOut(
  evidence: Evidence,
  first: Look,
  usual: number,
  second: number,
  leastMs: number,
): boolean {
  const { stream, queueMs, past } = evidence;
  if (second > leastMs) return true;
  if (stream.direction === 'send')
    return rttMs(first) > usual + LONG_QUEUE_MS && lossOf([first], 'send') > LOSS_DECREASES;
  return queueMs === null ? rttMs(first) > greatest(past, rttMs) + QUEUED_MS : queueMs >= LEAST_QUEUE_MS;
}

/** How much the round trip grew around the beginning, in ms, as it does where there is a queue; 0 where it did not. */
export function queuedMs(evidence: Evidence): number {
  const usual = usualOf(evidence.usual, rttMs);
  const leastMs = usual + Math.max(QUEUED_MS, scatterMs(evidence));
  const [first, second] = measured(evidence);
  if (first === undefined || !(rttMs(first) > leastMs)) return 0;
  const secondMs = second === undefined ? NaN : rttMs(second);
  return isBorneOut(evidence, first, usual, secondMs, leastMs) ? rttMs(first) - usual : 0;
}

/**
 * Frames also wait in a sender's pacer, which a connectivity check does not: one that came through since then, as
 * quickly as ever, has met no queue.
 */
export function knowsNoQueue(evidence: Evidence): boolean {
  const { since } = evidence;
  const mostMs = Math.max(LEAST_QUEUE_MS, scatterMs(evidence));
  return since.some(({ checksAnswered }) => checksAnswered > 0) && rttGrowthMs(evidence) < mostMs;
}
