/** Values of parameters, as given by programs, command lines, page addresses and files. */
import type { ParameterSpec } from './schema.js';

/** A number as people write it. */
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** What a valid value of this parameter is, for messages. */
export function expectedValue({ min, max, unit, values, whole }: ParameterSpec): string {
  if (values !== undefined) return `one of ${values.join(', ')}`;
  return `a ${whole ? 'whole ' : ''}number from ${min} to ${max}${unit && ` ${unit}`}`;
}

/**
 * The number that a value stands for: a number, the text of one, or one of the names that the parameter lists.
 * Undefined if the parameter cannot have that value.
 */
export function parameterNumber(spec: ParameterSpec, value: number | string): number | undefined {
  const { min, max, values, whole = values !== undefined } = spec;
  const named = values?.indexOf(String(value)) ?? -1;
  if (named >= 0) return named;
  const isText = typeof value === 'string';
  // Turns -0 into 0, which is what it becomes when it is written and read again.
  const number = isText && !NUMBER.test(value.trim()) ? NaN : Number(value) + 0;
  return number >= min && number <= max && (!whole || Number.isInteger(number)) ? number : undefined;
}
