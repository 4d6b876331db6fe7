/** The parts that the form of a scenario is made of. */
import * as v from 'valibot';

import { within } from './link_config.js';

const MAX_SECONDS = 1e6;

/** An object that takes these names and no others. */
export function record<const E extends v.ObjectEntries>(
  entries: E,
): v.StrictObjectSchema<E, (issue: v.StrictObjectIssue) => string> {
  const names = Object.keys(entries).join(', ');
  return v.strictObject(entries, (issue) =>
    issue.expected === 'never' ? `one of ${names}` : issue.received === 'undefined' ? 'a value' : 'an object',
  );
}

export const text = (what: string): v.GenericSchema<string> => v.pipe(v.string(what), v.nonEmpty(what));
export const integer = (min: number, max: number): v.GenericSchema<number> =>
  v.pipe(within(min, max), v.integer('a whole number'));
export const seconds = within(0, MAX_SECONDS, ' s');
/** Names become keys of objects, so they may not be those that every object has already. */
export const named = (what: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(what),
    v.regex(/^[\w.-]{1,64}$/, `${what}: letters, digits, ., - or _`),
    v.check((name) => !(name in {}), `${what} that is no word of JavaScript's such as constructor`),
  );

const MAX_LIST = 1000;

/** A list of at most `most` items; a longer one is refused before its items are looked at. */
export const list = <const T extends v.GenericSchema>(
  item: T,
  what: string,
  most = MAX_LIST,
): v.GenericSchema<v.InferInput<T>[], v.InferOutput<T>[]> =>
  v.pipe(
    v.custom<v.InferInput<T>[]>(
      (items) => !Array.isArray(items) || items.length <= most,
      `a list of at most ${most} ${what}`,
    ),
    v.array(item, `a list of ${what}`),
  );
/** JSON says Infinity as 1e999, and cannot say it back. */
export const number: v.GenericSchema<number> = v.pipe(v.number('a number'), v.finite('a number'));
export const numbers = v.record(v.string(), number, 'names with numbers');

/** Axis -> value, values, or `*` for every cell that has this axis. */
export const selector = v.record(
  v.string(),
  v.union([v.string(), list(v.string(), 'names')], 'the name of a value, a list of names, or "*"'),
  'axes with names of values',
);

export const quantityEntries = {
  /** A name of the table of metrics (src/scenario/metrics.ts). */
  metric: text('the name of a metric'),
  /** A flow's name, or `*` for all. Default: the first media flow. */
  flow: v.optional(text('the name of a flow')),
  /** Default: `run`, all of it. */
  window: v.optional(text('the name of a window')),
  /** For metrics of a path. Default: forward. */
  path: v.optional(v.picklist(['forward', 'backward'], 'forward or backward')),
};
export const quantity = record(quantityEntries);
