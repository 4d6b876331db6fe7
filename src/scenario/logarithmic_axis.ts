/** Axes with many values that are evenly spaced on a logarithmic scale. */
import * as v from 'valibot';

import { integer, list, number, record, text } from '../text/form.js';

const positive = v.pipe(number, v.minValue(Number.MIN_VALUE, 'more than 0'));

export const logarithmic = record({
  /** `from` and `to`: the first and the last value. */
  from: positive,
  to: positive,
  count: integer(2, 500),
  /** The number of values in a full run (`ccscope reproduce --full`). Default: `count`. */
  full: v.optional(integer(2, 500)),
  /** The dotted paths to which each value is assigned. */
  sets: v.pipe(list(text('a dotted path'), 'paths'), v.nonEmpty('at least one path')),
});

interface LogarithmicValue {
  name: string;
  label?: string;
  at: number;
  set: Record<string, unknown>;
}

export function logarithmicValues({
  from,
  to,
  count,
  sets,
}: v.InferOutput<typeof logarithmic>): LogarithmicValue[] {
  return Array.from({ length: count }, (_, i) => {
    const at = Number((from * (to / from) ** (i / (count - 1))).toPrecision(6));
    return { name: String(at), at, set: Object.fromEntries(sets.map((path) => [path, at])) };
  });
}

/**
 * Replaces the `count` of each logarithmic axis with its `full`. `scenario` is the parsed JSON of a scenario
 * file.
 */
export function atFullSize(scenario: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(scenario) || !Array.isArray(scenario['axes'])) return scenario;
  const axes = scenario['axes'].map((axis: unknown) => {
    if (!isObject(axis) || !isObject(axis['log'])) return axis;
    const { count, full = count } = axis['log'];
    return { ...axis, log: { ...axis['log'], count: full } };
  });
  return { ...scenario, axes };
}
