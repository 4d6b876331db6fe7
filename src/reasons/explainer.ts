/** Explainers. Each reads the internal rows of one kind of controller, and explains why its target rate changed. */
import type { Reason } from './change.js';
import type { Rows } from './rows.js';
import type { Course, Segment } from './segments.js';
import type { ControllerSettings } from './settings.js';
import { rateText } from '../judge/text.js';

/** A flow, its `rate` rows, and its controller's settings. */
export interface Flow {
  /** The flow's number; null in a trace with a single flow. */
  number: number | null;
  rate: Rows;
  settings: ControllerSettings;
}

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
    return { kind: 'cap', label: 'cap', detail, evidence: { [name]: bound } };
  }
  return null;
}

/** The reason if a user or a schedule changed a setting within the segment; null otherwise. */
export function settingReason({ rate, settings }: Flow, { from, to }: Segment): Reason | null {
  const change = settings.changeBetween(rate.timeUs[from] ?? NaN, rate.timeUs[to] ?? NaN);
  if (change === undefined) return null;
  return { kind: change.kind, label: change.kind, detail: change.text, evidence: {} };
}
