/**
 * Finds a queue from the round trip: how much the round trip grew, and whether this growth exceeds its usual
 * scatter.
 */
import { LOSS_DECREASES } from '../loss_thresholds.js';
import { greatest, lossOf, rttMeasured, rttMs, scatterOf, usualOf, type Evidence } from './evidence.js';
import type { Look } from './stream_looks.js';

/** If the round trip grew by more than this, there was a queue: the jitter of wireless links is smaller. */
export const QUEUED_MS = 25;
/** A queue of at least this length explains losses that occur at the same time. */
export const LONG_QUEUE_MS = 100;
/** Frames that waited at least this long were in a queue: transmitting a single large frame takes less time. */
export const LEAST_QUEUE_MS = 12.5;
/** On a link with jitter, a queue must exceed this many median deviations: nearly three standard deviations. */
const SCATTERS = 4;

/**
 * The samples around the incident's beginning that contain a new measurement of the round trip, the longest round
 * trip first.
 */
function measured({ recent, around }: Evidence): Look[] {
  const ofNow = rttMeasured(recent).filter((look) => around.includes(look));
  return ofNow.sort((a, b) => rttMs(b) - rttMs(a));
}

/**
 * The round trip before the incident, in ms. A rise is measured from the lowest value, since the usual value may
 * belong to an earlier rise.
 */
export const earlierMs = ({ kind, before, usual }: Evidence): number =>
  kind === 'delay-rise' ? before : usualOf(usual, rttMs);

/**
 * How much the round trip grew around the incident's beginning, in ms. A single measurement suffices; -Infinity if
 * there is none.
 */
export const rttGrowthMs = (evidence: Evidence): number =>
  greatest(measured(evidence), rttMs) - earlierMs(evidence);

const scatterMs = ({ past }: Evidence): number => SCATTERS * scatterOf(past, rttMs);

/**
 * Whether other evidence confirms the longest round trip, so that it was not a single outlier:
 * - A second long measurement always confirms it.
 * - At a sender, heavy loss together with a very long round trip confirms it, since a full queue causes both.
 * - A receiver measures the round trip only with its infrequent connectivity checks. So frames that waited in a queue
 *   confirm it. If the wait of frames is unknown, the round trip must be clearly longer than all recent ones.
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

/** How much the round trip grew around the incident's beginning, in ms, if the growth indicates a queue; else 0. */
export function queuedMs(evidence: Evidence): number {
  const usual = earlierMs(evidence);
  const leastMs = usual + Math.max(QUEUED_MS, scatterMs(evidence));
  const [first, second] = measured(evidence);
  if (first === undefined || !(rttMs(first) > leastMs)) return 0;
  const secondMs = second === undefined ? NaN : rttMs(second);
  return isBorneOut(evidence, first, usual, secondMs, leastMs) ? rttMs(first) - usual : 0;
}

/**
 * Whether a connectivity check shows that there was no queue: since the incident began, a check was answered as
 * quickly as usual. If frames waited nevertheless, they waited in the sender's pacer, which checks bypass.
 */
export function knowsNoQueue(evidence: Evidence): boolean {
  const { since } = evidence;
  const mostMs = Math.max(LEAST_QUEUE_MS, scatterMs(evidence));
  return since.some(({ checksAnswered }) => checksAnswered > 0) && rttGrowthMs(evidence) < mostMs;
}
