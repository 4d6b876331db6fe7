/** What the round trip says of a queue: how much it grew, and whether that is more than it scatters by. */
import { greatest, rttMeasures, rttMs, scatterOf, usualOf, type Evidence } from './evidence.js';

/** A round trip that grew by this much has met a queue: more than it scatters by on wireless links. */
const QUEUED_MS = 25;
/** A queue that frames have met: more than what single large frames take. */
export const LEAST_QUEUE_MS = 12.5;
/** On a link with jitter, a queue exceeds this many median deviations, nearly three standard deviations. */
const SCATTERS = 4;

/** How much the round trip grew around the beginning, in ms, a single measurement included. */
export const rttGrowthMs = ({ usual, around }: Evidence): number =>
  greatest(around, rttMs) - usualOf(usual, rttMs);

const scatterMs = ({ past }: Evidence): number => SCATTERS * scatterOf(past, rttMs);

/**
 * A second measurement bears a long round trip out. A receiver has only its connectivity checks, which are seldom: there
 * frames that waited do as well, or, where none are seen, that it is longer than it ever was lately.
 */
function isBorneOut(evidence: Evidence, first: number, second: number, leastMs: number): boolean {
  const { stream, queueMs, past } = evidence;
  if (second > leastMs) return true;
  if (stream.direction === 'send') return false;
  return queueMs === null ? first > greatest(past, rttMs) + QUEUED_MS : queueMs >= LEAST_QUEUE_MS;
}

/** How much the round trip grew around the beginning, in ms, as it does where there is a queue; 0 where it did not. */
export function queuedMs(evidence: Evidence): number {
  const usual = usualOf(evidence.usual, rttMs);
  const leastMs = usual + Math.max(QUEUED_MS, scatterMs(evidence));
  const measures = rttMeasures(evidence.around).filter(Number.isFinite);
  const [first = NaN, second = NaN] = measures.sort((a, b) => b - a);
  return first > leastMs && isBorneOut(evidence, first, second, leastMs) ? first - usual : 0;
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
