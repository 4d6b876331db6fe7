/** Reads values of parameters, which come from programs, command lines, page addresses and files. */
import type { ParameterSpec } from './schema.js';

/** A number as people write it. */
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** Describes the valid values of this parameter, for error messages. */
export function expectedValue({ min, max, unit, values, whole }: ParameterSpec): string {
  if (values !== undefined) return `one of ${values.join(', ')}`;
  return `a ${whole ? 'whole ' : ''}number from ${min} to ${max}${unit && ` ${unit}`}`;
}

/**
 * The number that a value stands for. The value is a number, its text, or a name from the parameter's list of
 * values. Undefined if the parameter cannot have this value.
 */
export function parameterNumber(spec: ParameterSpec, value: number | string): number | undefined {
  const { min, max, values, whole = values !== undefined } = spec;
  const named = values?.indexOf(String(value)) ?? -1;
  if (named >= 0) return named;
  const isText = typeof value === 'string';
  // Adding 0 turns -0 into 0: a -0 that is written as text would also become 0 when it is read again.
  const number = isText && !NUMBER.test(value.trim()) ? NaN : Number(value) + 0;
  return number >= min && number <= max && (!whole || Number.isInteger(number)) ? number : undefined;
}
