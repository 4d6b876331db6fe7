/** Judges how long a call takes to reach a state: a rate, or recovery after a change. */
import type { Window } from '../calls/metrics.js';
import { capacityBitsIn, pathMetrics } from './call_metrics.js';
import type { Symptom } from './cause_kinds.js';
import { likelyCause } from './likely_cause.js';
import { queueDelays, type DelayPoint } from './delay.js';
import { freezesIn } from '../calls/record/freezes.js';
import type { Asked, Judgement } from './judgement.js';
import { receivedCurve, TRAILING_US } from './rate_curve.js';
import { rateText, secondsText } from './text.js';
import { callConnectedUs, callEndUs, clockStartUs, pathsOf, sidesOf, type Path } from './view.js';

/** How long a state must hold to count. ../calls/metrics.ts uses the same time for a queue that has become short. */
export const HOLD_US = 1e6;
/** Time between two evaluations of the trailing rate. */
const STEP_US = 1e5;
/**
 * A call has recovered when its rate has reached this fraction of the rate to return to. ../calls/metrics.ts uses the
 * same fraction for the time to 90 %.
 */
const RECOVERED = 0.9;
const SHORT_QUEUE_US = 50_000;
/** The rate before a change is averaged over this time. */
const BEFORE_US = 5e6;

interface Search {
  startUs: number;
  withinUs: number;
  /** The time up to which data are available. */
  knownUs: number;
  /** Nothing is evaluated after this time; null while the call lasts. */
  endUs: number | null;
}

type Found = { reachedUs: number; confirmedUs: number } | { reachedUs: null; final: boolean };

/**
 * Finds the first time from which `holds` is true at every evaluation for HOLD_US. This time must be at most
 * `withinUs` after the start. The period of HOLD_US may end after that limit.
 */
function firstHeld(
  { startUs, withinUs, knownUs, endUs }: Search,
  firstLookUs: number,
  holds: (timeUs: number) => boolean,
): Found {
  const dueUs = startUs + withinUs;
  const lastUs = Math.min(knownUs, endUs ?? Infinity, dueUs + HOLD_US);
  let sinceUs: number | null = null;
  for (let timeUs = firstLookUs; timeUs <= lastUs; timeUs += STEP_US) {
    if (!holds(timeUs)) sinceUs = null;
    else sinceUs ??= timeUs;
    if ((sinceUs ?? Infinity) > dueUs && timeUs >= dueUs) return { reachedUs: null, final: true };
    if (sinceUs !== null && timeUs - sinceUs >= HOLD_US) return { reachedUs: sinceUs, confirmedUs: timeUs };
  }
  const ended = endUs !== null && knownUs >= endUs;
  return { reachedUs: null, final: ended || knownUs >= dueUs + HOLD_US };
}

/** The judgement while nothing is connected. */
export function notConnected(
  { record, nowUs, askedUs }: Asked,
  paths: readonly Path[],
  expected: string,
): Judgement {
  const window = { fromUs: askedUs, toUs: nowUs };
  const cause = likelyCause(record, paths, window, { kind: 'rate-low', neededBps: 0 });
  return {
    pass: false,
    final: callEndUs(record, paths) !== null,
    settled: false,
    dueUs: null,
    expected,
    received: 'the call is not connected',
    cause,
    window,
    metrics: null,
  };
}

export interface ConvergenceRule {
  rateBps: number;
  /** Allowed deviation, as a fraction of the rate. */
  tolerance: number;
  withinUs: number;
}

/**
 * A call has converged when the received rate over the trailing 2 s is within the tolerance around `rateBps`, and
 * stays there for a second. The clock starts when the call is connected, or at the last change of the link before the
 * judgement was requested, whichever is later. Earlier data are ignored.
 */
export function judgeConvergence(asked: Asked, { rateBps, tolerance, withinUs }: ConvergenceRule): Judgement {
  const { record, view, nowUs, askedUs } = asked;
  const expected = `to converge to ${rateText(rateBps)} ± ${Math.round(tolerance * 100)} % within ${secondsText(withinUs)}`;
  const paths = pathsOf(record, view);
  const startUs = clockStartUs(record, paths, askedUs);
  if (startUs === null) return notConnected(asked, paths, expected);
  const curve = receivedCurve(record, paths);
  const trailingBps = (timeUs: number): number =>
    curve.rateBps({ fromUs: timeUs - TRAILING_US, toUs: timeUs });
  const [lowBps, highBps] = [rateBps * (1 - tolerance), rateBps * (1 + tolerance)];
  const endUs = callEndUs(record, paths);
  const search = { startUs, withinUs, knownUs: Math.min(nowUs, curve.knownUntilUs), endUs };
  const found = firstHeld(search, startUs + TRAILING_US, (timeUs) => {
    const bps = trailingBps(timeUs);
    return bps >= lowBps && bps <= highBps;
  });
  const untilUs = Math.min(search.knownUs, endUs ?? Infinity, startUs + withinUs + HOLD_US);
  const window = { fromUs: startUs, toUs: Math.max(untilUs, startUs) };
  const common = { expected, window, dueUs: startUs + withinUs + HOLD_US };
  const metrics = pathMetrics(record, paths, window);
  if (found.reachedUs !== null) {
    const received = `${rateText(trailingBps(found.confirmedUs))} after ${secondsText(found.reachedUs - startUs)}`;
    return { ...common, pass: true, final: true, settled: true, received, cause: null, metrics };
  }
  const lastBps = trailingBps(window.toUs);
  const symptom: Symptom =
    lastBps > highBps ? { kind: 'rate-high', limitBps: highBps } : { kind: 'rate-low', neededBps: lowBps };
  // Looks for the cause in the later half of the window, or in its last BEFORE_US if that is longer: the early part
  // may only show the start of the call.
  const lateUs = Math.max(BEFORE_US, (window.toUs - window.fromUs) / 2);
  const late = { fromUs: Math.max(window.fromUs, window.toUs - lateUs), toUs: window.toUs };
  return {
    ...common,
    pass: false,
    final: found.final,
    settled: found.final,
    received: `${rateText(lastBps)} in the last 2 s, ${secondsText(window.toUs - startUs)} after the start`,
    cause: likelyCause(record, paths, late, symptom),
    metrics,
  };
}

export interface RecoveryRule {
  /** The time of the change, on the record's clock. */
  afterUs: number;
  withinUs: number;
  /**
   * The rate to return to. Default: the rate before the change, or the link's capacity after the change if that
   * is less.
   */
  toBps?: number;
}

/**
 * The rate to which a call should return. This is `toBps` if given, otherwise the lower of the rate before the change
 * and the capacity.
 */
function recoveryRateBps(asked: Asked, paths: readonly Path[], rule: RecoveryRule, at: Window): number {
  const { record } = asked;
  if (rule.toBps !== undefined) return rule.toBps;
  const connected = callConnectedUs(paths, rule.afterUs) ?? rule.afterUs;
  const before = { fromUs: Math.max(connected, rule.afterUs - BEFORE_US), toUs: rule.afterUs };
  const beforeBps = before.fromUs < before.toUs ? receivedCurve(record, paths).rateBps(before) : NaN;
  const bits = capacityBitsIn(record, paths, at);
  // While the link lets nothing pass, its capacity is no rate to return to.
  const capacityBps = bits === null || bits === 0 ? Infinity : (bits * 1e6) / (at.toUs - at.fromUs);
  return Math.min(Number.isNaN(beforeBps) ? Infinity : beforeBps, capacityBps);
}

const longest = (points: readonly DelayPoint[], { fromUs, toUs }: Window): number =>
  points.reduce(
    (most, { timeUs, delayUs }) => (timeUs > fromUs && timeUs <= toUs ? Math.max(most, delayUs) : most),
    0,
  );

/**
 * A call has recovered when three conditions hold at the same time after the change:
 * - The received rate over the trailing 2 s is at least 90 % of `toBps`. By default, `toBps` is the lower of two
 *   rates: the rate of the 5 s before the change, and the capacity. Bytes that arrived before the change do not
 *   count.
 * - The queuing delay has been below 50 ms for a second.
 * - No freeze is in progress.
 */
export function judgeRecovery(asked: Asked, rule: RecoveryRule): Judgement {
  const { record, view, nowUs } = asked;
  const { afterUs, withinUs } = rule;
  const expected = `to recover within ${secondsText(withinUs)} after the change at ${secondsText(afterUs)}`;
  const paths = pathsOf(record, view);
  if (callConnectedUs(paths, nowUs) === null) return notConnected(asked, paths, expected);
  const curve = receivedCurve(record, paths);
  const endUs = callEndUs(record, paths);
  const knownUs = Math.min(nowUs, curve.knownUntilUs);
  const dueUs = afterUs + withinUs;
  const { points } = queueDelays(record, paths, { fromUs: afterUs, toUs: Math.min(knownUs, dueUs) });
  const receivers = sidesOf(paths, 'receiver');
  const stateAt = (timeUs: number): { bps: number; neededBps: number; queueUs: number; frozen: boolean } => {
    const trailing = { fromUs: Math.max(afterUs, timeUs - TRAILING_US), toUs: timeUs };
    return {
      bps: (curve.rateBps(trailing) * (trailing.toUs - trailing.fromUs)) / TRAILING_US,
      neededBps: RECOVERED * recoveryRateBps(asked, paths, rule, trailing),
      queueUs: longest(points, { fromUs: timeUs - HOLD_US, toUs: timeUs }),
      frozen: freezesIn(receivers, { fromUs: timeUs - 1, toUs: timeUs }).length > 0,
    };
  };
  let reachedUs: number | null = null;
  const lastUs = Math.min(knownUs, dueUs, endUs ?? Infinity);
  for (let timeUs = afterUs + HOLD_US; timeUs <= lastUs && reachedUs === null; timeUs += STEP_US) {
    const { bps, neededBps, queueUs, frozen } = stateAt(timeUs);
    if (bps >= neededBps && queueUs < SHORT_QUEUE_US && !frozen) reachedUs = timeUs;
  }
  const window = { fromUs: afterUs, toUs: Math.max(afterUs + 1, reachedUs ?? lastUs) };
  const metrics = pathMetrics(record, paths, window);
  const state = stateAt(window.toUs);
  const text =
    `${rateText(state.bps)} in the last 2 s (needed ${rateText(state.neededBps)}), queuing delay up to ` +
    `${Math.round(state.queueUs / 1e3)} ms in the last second (needed below 50 ms), ${state.frozen ? 'picture frozen' : 'no freeze'}`;
  const common = { expected, window, metrics, dueUs };
  if (reachedUs !== null) {
    const received = `recovered after ${secondsText(reachedUs - afterUs)}: ${text}`;
    return { ...common, pass: true, final: true, settled: true, received, cause: null };
  }
  const final = knownUs >= dueUs || (endUs !== null && knownUs >= endUs);
  const symptom: Symptom =
    state.bps < state.neededBps
      ? { kind: 'rate-low', neededBps: state.neededBps }
      : { kind: state.queueUs >= SHORT_QUEUE_US ? 'delay-high' : 'frozen' };
  const cause = likelyCause(record, paths, window, symptom);
  return {
    ...common,
    pass: false,
    final,
    settled: final,
    received: `after ${secondsText(window.toUs - afterUs)}: ${text}`,
    cause,
  };
}
