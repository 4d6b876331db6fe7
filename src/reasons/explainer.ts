/** What knows the inside of one controller: it says why its target did what it did. */
import type { Reason } from './change.js';
import type { Rows } from './rows.js';
import type { Course, Segment } from './segments.js';
import type { ControllerSettings } from './settings.js';
import { rateText } from '../judge/text.js';

/** A flow, its rows of `rate`, and what it was set to. */
export interface Flow {
  /** Null in a trace of one flow. */
  number: number | null;
  rate: Rows;
  settings: ControllerSettings;
}

export interface Explainer extends Pick<Course, 'scatter' | 'isExact' | 'isDecision'> {
  explain(segment: Segment): Reason;
}

/** Why a target stays where it is that may not go further; null where it may. */
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

/** A change that somebody made between the rows of a fall; null without one. */
export function settingReason({ rate, settings }: Flow, { from, to }: Segment): Reason | null {
  const change = settings.changeBetween(rate.timeUs[from] ?? NaN, rate.timeUs[to] ?? NaN);
  if (change === undefined) return null;
  return { kind: change.kind, label: change.kind, detail: change.text, evidence: {} };
}
