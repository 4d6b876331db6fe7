/**
 * Compares a call with a stored curve. A curve contains two values for every 500 ms since the call was connected:
 * the received rate over the trailing 2 s, and the mean queuing delay.
 *
 * The rates match if the root mean square of their differences is at most `tolerance` times the root mean square
 * of the stored rates. The delays match if the root mean square of their differences is at most
 * `delayToleranceMs`.
 */
import { meanOf, pathMetrics } from './call_metrics.js';
import type { Symptom } from './cause_kinds.js';
import { likelyCause } from './likely_cause.js';
import { notConnected } from './convergence.js';
import { queueDelays } from './delay.js';
import type { Asked, Judgement } from './judgement.js';
import { receivedCurve, TRAILING_US } from './rate_curve.js';
import { msText, percentText, rateText, secondsText } from './text.js';
import { callConnectedUs, callEndUs, pathsOf, type Path } from './view.js';

export const BASELINE_STEP_US = 500_000;

/**
 * The curve of a call, with one value for each step of BASELINE_STEP_US since the call was connected. Rates are
 * measured at the end of each step. Delays are means over the step.
 */
export interface Curve {
  receivedBps: number[];
  /** The mean queuing delay in each step; null if nothing arrived in that step. */
  queueDelayMs: (number | null)[];
}

export interface BaselineRule {
  curve: Curve;
  tolerance: number;
  delayToleranceMs: number;
}

/** The curve of a call so far, starting when it was connected; null while it is not connected. */
export function curveOf({ record, view, askedUs, nowUs }: Asked): Curve | null {
  const paths = pathsOf(record, view);
  const startUs = callConnectedUs(paths, askedUs);
  return startUs === null ? null : curveFrom({ record, paths, startUs, untilUs: nowUs });
}

interface Stretch {
  record: Asked['record'];
  paths: readonly Path[];
  startUs: number;
  untilUs: number;
}

function curveFrom({ record, paths, startUs, untilUs }: Stretch): Curve {
  const rate = receivedCurve(record, paths);
  const endUs = Math.min(untilUs, rate.knownUntilUs, callEndUs(record, paths) ?? Infinity);
  const steps = Math.max(0, Math.floor((endUs - startUs) / BASELINE_STEP_US));
  const delays = Array.from({ length: steps }, (): number[] => []);
  const whole = { fromUs: startUs, toUs: startUs + steps * BASELINE_STEP_US };
  for (const { timeUs, delayUs } of queueDelays(record, paths, whole).points)
    delays[Math.ceil((timeUs - startUs) / BASELINE_STEP_US) - 1]?.push(delayUs / 1e3);
  return {
    receivedBps: delays.map((_, i) => {
      const toUs = startUs + (i + 1) * BASELINE_STEP_US;
      return Math.round(rate.rateBps({ fromUs: toUs - TRAILING_US, toUs }));
    }),
    queueDelayMs: delays.map((values) => {
      const mean = meanOf(values);
      return mean === null ? null : Number(mean.toFixed(1));
    }),
  };
}

const rootMeanSquare = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

export interface CurveDifference {
  /** Root mean square of the rates' differences, divided by the root mean square of the stored rates. */
  rate: number;
  /** Root mean square of the delays' differences; 0 if there are none to compare. */
  delayMs: number;
  /** Index of the first step whose rates differ by more than the tolerance; -1 if there is none. */
  first: number;
}

/** The difference between a stored curve and a new one, over the steps of the stored curve. */
export function compareCurves(stored: Curve, now: Curve, tolerance: number): CurveDifference {
  const scale = rootMeanSquare(stored.receivedBps);
  const differences = stored.receivedBps.map((bps, i) => (now.receivedBps[i] ?? NaN) - bps);
  const delays = stored.queueDelayMs.flatMap((ms, i) => {
    const other = now.queueDelayMs[i] ?? null;
    return ms === null || other === null ? [] : [other - ms];
  });
  return {
    rate: rootMeanSquare(differences) / scale,
    delayMs: delays.length === 0 ? 0 : rootMeanSquare(delays),
    first: differences.findIndex((difference) => Math.abs(difference) > tolerance * scale),
  };
}

/** Describes how much two curves differ, and where their rates first differ by more than the tolerance. */
function differenceText(stored: Curve, now: Curve, { rate, delayMs, first }: CurveDifference): string {
  const whole = `rates differ by ${percentText(rate)} (RMS), delays by ${msText(delayMs)} (RMS)`;
  if (first < 0) return whole;
  const rates = `${rateText(now.receivedBps[first] ?? NaN)} instead of ${rateText(stored.receivedBps[first] ?? NaN)}`;
  return `${whole}; first apart ${secondsText((first + 1) * BASELINE_STEP_US)} after connecting: ${rates}`;
}

/**
 * Judges a call against a stored curve. The verdict comes when the call has run as long as the curve, or has
 * ended.
 */
export function judgeBaseline(asked: Asked, { curve, tolerance, delayToleranceMs }: BaselineRule): Judgement {
  const { record, view, askedUs, nowUs } = asked;
  const lengthUs = curve.receivedBps.length * BASELINE_STEP_US;
  const expected = `to match the baseline of ${secondsText(lengthUs)}: rates within ${percentText(tolerance)} (RMS), delays within ${msText(delayToleranceMs)} (RMS)`;
  const paths = pathsOf(record, view);
  const startUs = callConnectedUs(paths, askedUs);
  if (startUs === null) return notConnected(asked, paths, expected);
  const endUs = callEndUs(record, paths);
  const dueUs = startUs + lengthUs;
  const now = curveFrom({ record, paths, startUs, untilUs: Math.min(nowUs, dueUs) });
  const window = { fromUs: startUs, toUs: startUs + now.receivedBps.length * BASELINE_STEP_US };
  const common = { expected, dueUs, window };
  if (now.receivedBps.length < curve.receivedBps.length) {
    const ended = endUs !== null && nowUs >= endUs;
    const received = `${secondsText(window.toUs - startUs)} of it ${ended ? 'when the call ended' : 'so far'}`;
    return { ...common, pass: false, final: ended, settled: ended, received, cause: null, metrics: null };
  }
  const difference = compareCurves(curve, now, tolerance);
  const pass = difference.rate <= tolerance && difference.delayMs <= delayToleranceMs;
  const first = Math.max(0, difference.first);
  const storedBps = curve.receivedBps[first] ?? 0;
  const symptom: Symptom =
    difference.first < 0
      ? { kind: 'delay-high' }
      : (now.receivedBps[first] ?? 0) < storedBps
        ? { kind: 'rate-low', neededBps: storedBps * (1 - tolerance) }
        : { kind: 'rate-high', limitBps: storedBps * (1 + tolerance) };
  const firstUs = startUs + (first + 1) * BASELINE_STEP_US;
  const around = { fromUs: Math.max(startUs, firstUs - TRAILING_US), toUs: firstUs };
  return {
    ...common,
    pass,
    final: true,
    settled: true,
    received: differenceText(curve, now, difference),
    cause: pass ? null : likelyCause(record, paths, difference.first < 0 ? window : around, symptom),
    metrics: pathMetrics(record, paths, window),
  };
}
