/**
 * Judgements of a call over a window of a given length. The window does not begin before the start time. The start
 * time is when the call was connected or, if that is later, when the link last changed before the judgement was
 * requested. The judgement waits until the call has run for the window's length since the start time.
 * - `once`: the window ends when the judgement was requested or, if the call had not run long enough by then, as soon
 *   as it has. Conditions that must hold throughout (delay, loss, freezes) are judged this way: a later window would
 *   miss an earlier violation.
 * - `retry`: the window ends now and moves on until the caller stops waiting. Conditions that a call may still reach
 *   (utilisation, fairness) are judged this way.
 */
import { percentiles } from '../calls/percentile.js';
import { jainIndex, meanBps, pathMetrics, type CallMetrics } from './call_metrics.js';
import type { Symptom } from './cause_kinds.js';
import { likelyCause } from './likely_cause.js';
import { notConnected } from './convergence.js';
import { queueDelays } from './delay.js';
import type { Asked, Judgement } from './judgement.js';
import { receivedCurve, type RateCurve } from './rate_curve.js';
import { msText, percentText, rateText, secondsText } from './text.js';
import { callConnectedUs, callEndUs, lastChangeUs, pathsOf, type Path } from './view.js';

export interface WindowRule {
  overUs: number;
  mode: 'once' | 'retry';
  /**
   * The time of a change, which takes the place of the link's last change in the start time (see the top of this file).
   * A `once` window then begins at the start time, no matter when the judgement was requested.
   */
  afterUs?: number;
}

interface Verdict {
  /** Whether the window has what is judged, for example packets. If not, there is no verdict. */
  isKnown: boolean;
  pass: boolean;
  received: string;
  /** What is wrong with the call if the judgement fails. */
  symptom: Symptom;
}

type Judge = (paths: readonly Path[], metrics: CallMetrics) => Verdict;

/** A call to compare with. The clock of its record may have another origin. */
type OtherCall = Pick<Asked, 'record' | 'view'>;

/** How much later a moment is on the clock of another call's record than on the clock of this call's record. */
const clockAheadUs = (asked: Asked, { record }: OtherCall): number =>
  (asked.record.originEpochMs - record.originEpochMs) * 1e3;

/** The time at which another call was connected, on this call's clock; null if it is not connected. */
function connectedOnClockOf(asked: Asked, other: OtherCall): number | null {
  const aheadUs = clockAheadUs(asked, other);
  const timeUs = callConnectedUs(pathsOf(other.record, other.view), asked.askedUs + aheadUs);
  return timeUs === null ? null : timeUs - aheadUs;
}

const curveOf = ({ record, view }: OtherCall): RateCurve => receivedCurve(record, pathsOf(record, view));

/** The judgement while another call is not connected. Its window is on this call's clock. */
function otherNotConnected(asked: Asked, other: OtherCall, expected: string): Judgement {
  const { askedUs, nowUs } = asked;
  const { record, view } = other;
  const aheadUs = clockAheadUs(asked, other);
  const there = { record, view, askedUs: askedUs + aheadUs, nowUs: nowUs + aheadUs };
  const judgement = notConnected(there, pathsOf(record, view), expected);
  const window = { fromUs: askedUs, toUs: nowUs };
  return { ...judgement, received: 'a call to compare with is not connected', window };
}

function expectedText({ overUs, afterUs }: WindowRule, what: string): string {
  const from = afterUs === undefined ? '' : ` after the change at ${secondsText(afterUs)}`;
  return `${what} over ${secondsText(overUs)}${from}`;
}

/**
 * Judges a window of the rule's length, as described at the top of this file. If the call is compared with others,
 * the window does not begin before all of them are connected, and ends no later than the latest data of any of them,
 * since pages are sampled at different times.
 */
function judgeWindow(
  asked: Asked,
  rule: WindowRule,
  what: string,
  judge: Judge,
  others: readonly OtherCall[] = [],
): Judgement {
  const { record, view, askedUs, nowUs } = asked;
  const expected = expectedText(rule, what);
  const paths = pathsOf(record, view);
  const { afterUs } = rule;
  const connectedUs = callConnectedUs(paths, askedUs);
  if (connectedUs === null) return notConnected(asked, paths, expected);
  const othersUs = others.map((other) => connectedOnClockOf(asked, other));
  const missing = others[othersUs.indexOf(null)];
  if (missing !== undefined) return otherNotConnected(asked, missing, expected);
  const startUs = Math.max(connectedUs, ...othersUs.map(Number), afterUs ?? lastChangeUs(record, askedUs));
  const endUs = callEndUs(record, paths);
  const fullUs = Math.max(afterUs === undefined ? askedUs : 0, startUs + rule.overUs);
  const knownUs = Math.min(
    nowUs,
    receivedCurve(record, paths).knownUntilUs,
    ...others.map((other) => curveOf(other).knownUntilUs - clockAheadUs(asked, other)),
  );
  const toUs = Math.min(endUs ?? Infinity, rule.mode === 'once' ? fullUs : Math.max(fullUs, knownUs));
  const window = { fromUs: Math.min(toUs, Math.max(startUs, toUs - rule.overUs)), toUs };
  const common = { expected, dueUs: fullUs, window };
  // Compares `endUs` with the same sum as in `fullUs`. If `endUs - startUs` were compared with `overUs`, a rounding
  // error could change the result.
  if (endUs !== null && endUs < startUs + rule.overUs) {
    const lasted = `the call ended after ${secondsText(Math.max(0, toUs - startUs))} of them`;
    const cause = likelyCause(record, paths, window, { kind: 'rate-low', neededBps: 0 });
    return { ...common, pass: false, final: true, settled: false, received: lasted, cause, metrics: null };
  }
  if (knownUs < toUs) {
    const received = `only ${secondsText(Math.max(0, knownUs - startUs))} of them have passed`;
    return { ...common, pass: false, final: false, settled: false, received, cause: null, metrics: null };
  }
  const metrics = pathMetrics(record, paths, window);
  const { isKnown, pass, received, symptom } = judge(paths, metrics);
  const cause = pass ? null : likelyCause(record, paths, window, symptom);
  const final = rule.mode === 'once' || endUs !== null;
  return { ...common, pass, final, settled: isKnown, received, cause, metrics };
}

/** An upper limit of a percentile of the queuing delay; percentile 100 is the largest delay. */
export interface DelayLimit {
  percentile: number;
  ms: number;
}

const percentileName = (p: number): string => (p === 100 ? 'max' : `p${p}`);

/** Judges whether every percentile of the queuing delay is below its limit. Fails if no delay is known. */
export function judgeQueuingDelay(
  asked: Asked,
  { limits, ...rule }: WindowRule & { limits: readonly DelayLimit[] },
): Judgement {
  const each = limits.map(({ percentile, ms }) => `${percentileName(percentile)} below ${msText(ms)}`);
  return judgeWindow(asked, rule, `queuing delay ${each.join(', ')}`, (paths, { window }) => {
    const { points, estimated } = queueDelays(asked.record, paths, window);
    const values = percentiles(
      points.map(({ delayUs }) => delayUs / 1e3),
      limits.map(({ percentile }) => percentile),
    );
    const shown = values.map((ms, i) => `${percentileName(limits[i]?.percentile ?? NaN)} ${msText(ms)}`);
    const source = estimated ? ' (estimated)' : '';
    return {
      isKnown: points.length > 0,
      pass: values.every((ms, i) => ms < (limits[i]?.ms ?? NaN)),
      received: points.length === 0 ? 'no packets' : `${shown.join(', ')}${source}`,
      symptom: { kind: points.length === 0 ? 'frozen' : 'delay-high' },
    };
  });
}

export interface UtilisationRule extends WindowRule {
  min?: number;
  max?: number;
  /** Whose share of the capacity is judged: the call's own share, or the share of all traffic on the link. */
  of: 'call' | 'link';
}

/** Judges whether the used share of the capacity is between `min` and `max`. */
export function judgeUtilisation(
  asked: Asked,
  { min = 0, max = Infinity, of, ...rule }: UtilisationRule,
): Judgement {
  const limits = [
    min > 0 ? `at least ${percentText(min)}` : '',
    max < Infinity ? `at most ${percentText(max)}` : '',
  ];
  const what = `utilisation ${of === 'link' ? 'of the link ' : ''}${limits.filter(Boolean).join(' and ')}`;
  return judgeWindow(asked, rule, what, (_paths, metrics) => {
    const share = of === 'link' ? metrics.pathUtilisation : metrics.utilisation;
    const capacityBps = metrics.capacityBps ?? NaN;
    const usedBps = of === 'link' && share !== null ? share * capacityBps : metrics.receivedBps;
    const received =
      share === null
        ? 'unknown: no capacity of the link is known'
        : `${percentText(share)} (${rateText(usedBps)} of ${rateText(capacityBps)})`;
    const symptom: Symptom =
      share !== null && share > max
        ? { kind: 'rate-high', limitBps: max * capacityBps }
        : { kind: 'rate-low', neededBps: min * capacityBps || 0, isOfLink: of === 'link' };
    const pass = share !== null && share >= min && share <= max;
    return { isKnown: share !== null, pass, received, symptom };
  });
}

/** Judges whether the loss ratio is less than `ratio`. */
export function judgeLoss(asked: Asked, { ratio, ...rule }: WindowRule & { ratio: number }): Judgement {
  return judgeWindow(asked, rule, `loss below ${percentText(ratio)}`, (_paths, { lossRatio }) => ({
    isKnown: lossRatio !== null,
    pass: lossRatio !== null && lossRatio < ratio,
    received: lossRatio === null ? 'no packets' : percentText(lossRatio),
    symptom: { kind: lossRatio === null ? 'frozen' : 'loss-high' },
  }));
}

/**
 * Judges whether no freeze of the picture is longer than `longestUs`. Only the part of a freeze within the window
 * counts.
 */
export function judgeFreezes(
  asked: Asked,
  { longestUs, ...rule }: WindowRule & { longestUs: number },
): Judgement {
  const what = `no freeze longer than ${msText(longestUs / 1e3)}`;
  return judgeWindow(asked, rule, what, (_paths, { longestFreezeMs, freezes, frozenMs }) => {
    const isKnown = longestFreezeMs !== null;
    return {
      isKnown,
      pass: isKnown && longestFreezeMs * 1e3 <= longestUs,
      received: isKnown
        ? `longest ${msText(longestFreezeMs)}, ${freezes} in all for ${msText(frozenMs)}`
        : 'no video was received',
      symptom: { kind: 'frozen' },
    };
  });
}

export interface FairnessRule extends WindowRule {
  jain: number;
  /** The calls to compare with. */
  others: readonly OtherCall[];
}

/**
 * Judges whether Jain's index of the received rates of this call and the others is at least `jain`. The window begins
 * when all of them are connected, or later.
 */
export function judgeFairness(asked: Asked, { jain, others, ...rule }: FairnessRule): Judgement {
  const what = `Jain's index with ${others.length === 1 ? 'the other call' : `${others.length} other calls`} at least ${jain}`;
  const judge: Judge = (_paths, { window, receivedBps }) => {
    const otherBps = others.map((other) => {
      const aheadUs = clockAheadUs(asked, other);
      const there = { fromUs: window.fromUs + aheadUs, toUs: window.toUs + aheadUs };
      return meanBps(curveOf(other), there);
    });
    const rates = [receivedBps ?? NaN, ...otherBps];
    const index = jainIndex(rates);
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    const received = `${Number.isNaN(index) ? 'unknown' : index.toFixed(3)} (${rates.map((bps) => rateText(bps)).join(' to ')})`;
    const symptom: Symptom =
      (receivedBps ?? 0) < mean
        ? { kind: 'rate-low', neededBps: mean }
        : { kind: 'rate-high', limitBps: mean };
    return { isKnown: !Number.isNaN(index), pass: index >= jain, received, symptom };
  };
  return judgeWindow(asked, rule, what, judge, others);
}
