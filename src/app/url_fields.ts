/** Schemas of values in a URL's query, and the form in which refused values are reported. */
import * as v from 'valibot';

import { orMeant } from '../text/suggest.js';

/** A part of the URL that was refused. */
export interface StateProblem {
  /** The parameter's name in the URL. */
  field: string;
  /** The value that was refused. */
  got: string;
  /** A description of a correct value. */
  expected: string;
}

/** The schema of a number in decimal notation; `unit` is for the message only. */
export const numberIn = (min: number, max: number, unit: string): v.GenericSchema<string, number> => {
  const expected = `a number from ${min} to ${max}${unit && ` ${unit}`}`;
  return v.pipe(
    v.string(expected),
    v.regex(/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i, expected),
    // Adding 0 turns -0 into 0. The address shows both as 0, so they must be the same value.
    v.transform((text) => Number(text) + 0),
    v.minValue(min, expected),
    v.maxValue(max, expected),
  );
};

export const integerIn = (min: number, max: number, unit: string): v.GenericSchema<string, number> =>
  v.pipe(numberIn(min, max, unit), v.integer('a whole number'));

export const oneOf = <const T extends readonly string[]>(values: T): v.GenericSchema<string, T[number]> =>
  v.picklist(values, ({ input }) =>
    orMeant(`one of ${values.filter(Boolean).join(', ')}`, String(input), values),
  );

/** The schema of a flag: `0` or `1`. */
export const flag = v.pipe(
  oneOf(['0', '1']),
  v.transform((text) => text === '1'),
);

/** The schema of a comma-separated list of names. */
export const words = v.pipe(
  v.string(),
  v.regex(/^[\w,-]*$/, 'names separated by commas'),
  v.transform((text) => text.split(',').filter((word) => word !== '')),
);
