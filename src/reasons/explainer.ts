/** Explainers. Each reads the internal rows of one kind of controller, and explains why its target rate changed. */
import { reasonOf, type Reason } from './change.js';
import type { Rows } from './rows.js';
import type { Course, Segment } from './segments.js';
import type { ControllerSettings } from './settings.js';
import { rateText } from '../judge/text.js';

/** Rates that differ by less than this fraction count as equal. */
const SAME = 1e-3;

/** A flow, its `rate` rows, and its controller's settings. */
export interface Flow {
  /** The flow's number; null in a trace with a single flow. */
  number: number | null;
  rate: Rows;
  settings: ControllerSettings;
}

/** The rows of a controller, and which of them belong to a segment. */
type OwnRows = [rows: Rows, range: readonly [first: number, end: number]];

export interface Explainer extends Pick<Course, 'scatter' | 'isExact' | 'isDecision'> {
  explain(segment: Segment): Reason;
}

/** The reason for a target that is at its highest or lowest allowed value. Null for any other target. */
export function boundReason({ rate, settings }: Flow, { to }: Segment): Reason | null {
  const [targetBps, timeUs] = [rate.at('target_bps', to), rate.timeUs[to] ?? NaN];
  for (const [name, words] of [
    ['max_bitrate_bps', 'the highest target rate'],
    ['min_bitrate_bps', 'the lowest target rate'],
  ] as const) {
    const bound = settings.value(name, timeUs);
    if (Math.abs(targetBps - bound) > 1e-3 * bound) continue;
    const detail = `${words} (${name}) is ${rateText(bound)}`;
    return reasonOf('cap', detail, { [name]: bound });
  }
  return null;
}

/** The reason if a user or a schedule changed a setting within the segment; null otherwise. */
export function settingReason({ rate, settings }: Flow, { from, to }: Segment): Reason | null {
  const change = settings.changeBetween(rate.timeUs[from] ?? NaN, rate.timeUs[to] ?? NaN);
  if (change === undefined) return null;
  return reasonOf(change.kind, change.text);
}

/**
 * The reason if the bound from the arrival times of frames (wasm/cc/live/capacity_bound.h) makes up at least half of a
 * fall; null otherwise, and in older traces, which do not have this bound. A row of LCC also has the rate that LCC
 * chose: if it is below the bound, the bound did not act.
 */
function frameBoundReason(
  { rate }: Flow,
  { from, to }: Segment,
  ...[rows, [first, end]]: OwnRows
): Reason | null {
  const toBps = rate.at('target_bps', to);
  const most = (rate.at('target_bps', from) + toBps) / 2;
  for (let row = end - 1; row >= first; row--) {
    const bound = rows.at('bound_bps', row);
    if (!(bound >= toBps * (1 - SAME) && bound <= most) || rows.at('next_rate_bps', row) < bound) continue;
    const detail = `the frames’ arrival times allow at most ${rateText(bound)}`;
    const evidence = { time_us: rows.timeUs[row] ?? NaN, bound_bps: bound };
    return reasonOf('capacity', detail, evidence);
  }
  return null;
}

/** The reason if not the law of NADA or LCC, but a bound or a changed setting decided the target; null otherwise. */
export const outerReason = (flow: Flow, segment: Segment, ...rows: OwnRows): Reason | null =>
  segment.shape === 'flat'
    ? boundReason(flow, segment)
    : (settingReason(flow, segment) ?? frameBoundReason(flow, segment, ...rows));
