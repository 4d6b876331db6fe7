/** What the round trip says of a queue: how much it grew, and whether that is more than it scatters by. */
import { LOSS_DECREASES } from '../loss_thresholds.js';
import { greatest, lossOf, rttMeasured, rttMs, scatterOf, usualOf, type Evidence } from './evidence.js';
import type { Look } from './stream_looks.js';

/** A round trip that grew by this much has met a queue: wireless links scatter less. */
const QUEUED_MS = 25;
/** A queue this long explains the losses that come with it. */
export const LONG_QUEUE_MS = 100;
/** A queue in front of frames: longer than single large frames take. */
export const LEAST_QUEUE_MS = 12.5;
/** On a link with jitter, a queue exceeds this many median deviations, nearly three standard deviations. */
const SCATTERS = 4;

/** The measurements around the beginning, the longest first; earlier measurements do not count. */
function measured({ recent, around }: Evidence): Look[] {
  const ofNow = rttMeasured(recent).filter((look) => around.includes(look));
  return ofNow.sort((a, b) => rttMs(b) - rttMs(a));
}

/**
 * How much the round trip grew around the beginning, in ms, even in a single measurement; -Infinity without one.
 */
export const rttGrowthMs = (evidence: Evidence): number =>
  greatest(measured(evidence), rttMs) - usualOf(evidence.usual, rttMs);

const scatterMs = ({ past }: Evidence): number => SCATTERS * scatterOf(past, rttMs);

/**
 * A second measurement confirms a long round trip. A sender gets one with each report: a very long one together
 * with heavy loss comes from a full queue. A receiver only has its infrequent connectivity checks, so there
 * frames that waited also count or, if none are seen, a round trip that is longer than it recently ever was.
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

/** How much the round trip grew around the beginning, in ms, if that indicates a queue; else 0. */
export function queuedMs(evidence: Evidence): number {
  const usual = usualOf(evidence.usual, rttMs);
  const leastMs = usual + Math.max(QUEUED_MS, scatterMs(evidence));
  const [first, second] = measured(evidence);
  if (first === undefined || !(rttMs(first) > leastMs)) return 0;
  const secondMs = second === undefined ? NaN : rttMs(second);
  return isBorneOut(evidence, first, usual, secondMs, leastMs) ? rttMs(first) - usual : 0;
}

/**
 * Frames also wait in a sender's pacer, which a connectivity check does not: one that has come through since, as
 * quickly as ever, has met no queue.
 */
export function knowsNoQueue(evidence: Evidence): boolean {
  const { since } = evidence;
  const mostMs = Math.max(LEAST_QUEUE_MS, scatterMs(evidence));
  return since.some(({ checksAnswered }) => checksAnswered > 0) && rttGrowthMs(evidence) < mostMs;
}
