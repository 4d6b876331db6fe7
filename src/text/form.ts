/** Building blocks of schemas for external data. Each schema also describes what it expects, for error messages. */
import * as v from 'valibot';

import { ConfigError } from './quantities.js';

/** The problem that `parse` reports by throwing an error; undefined if `parse` throws nothing. */
function problemOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof ConfigError ? `${error.expected}; ${error.fix}` : String(error);
  }
}

/**
 * A schema that accepts the values that `parse` accepts. If `parse` throws ConfigError, the message of the issue
 * contains the expectation and the fix from this error.
 */
export const parsedBy = <T extends string | number>(
  schema: v.GenericSchema<T>,
  parse: (value: T) => unknown,
): v.GenericSchema<T> =>
  v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const message = problemOf(() => parse(dataset.value));
      if (message !== undefined) addIssue({ message });
    }),
  );

/** A number in a range. */
export const within = (min: number, max: number, unit = ''): v.GenericSchema<number> => {
  const message = `a number from ${min} to ${max}${unit}`;
  return v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message));
};

const MAX_SECONDS = 1e6;

/** An object with these names and no others. */
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
/** Names become keys of objects, so they must not be names that every object already has. */
export const named = (what: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(what),
    v.regex(/^[\w.-]{1,64}$/, `${what}: letters, digits, ., - or _`),
    v.check((name) => !(name in {}), `${what} that is no word of JavaScript's such as constructor`),
  );

const MAX_LIST = 1000;

/** A list of at most `most` items. A longer list is refused before its items are checked. */
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
/** A finite number. JSON can contain Infinity as 1e999, but JSON.stringify would write it as null. */
export const number: v.GenericSchema<number> = v.pipe(v.number('a number'), v.finite('a number'));
