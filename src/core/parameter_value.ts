/** The values of parameters. They come from programs, command lines, URLs and files. */
import { presetValue, type ComponentSpec, type ParameterSpec } from './schema.js';

/** A decimal number. Number() would accept more, such as hexadecimal numbers and the empty string. */
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** Describes the valid values of a parameter, for error messages. */
export function expectedValue({ min, max, unit, values, whole }: ParameterSpec): string {
  if (values !== undefined) return `one of ${values.join(', ')}`;
  return `a ${whole ? 'whole ' : ''}number from ${min} to ${max}${unit && ` ${unit}`}`;
}

/**
 * The number for a parameter's value: a number, a number as text, or one of the parameter's named values.
 * Undefined for an invalid value.
 */
export function parameterNumber(spec: ParameterSpec, value: number | string): number | undefined {
  const { min, max, values, whole = values !== undefined } = spec;
  const named = values?.indexOf(String(value)) ?? -1;
  if (named >= 0) return named;
  const isText = typeof value === 'string';
  // Adding 0 turns -0 into 0: if -0 were written as text and read again, the result would be 0.
  const number = isText && !NUMBER.test(value.trim()) ? NaN : Number(value) + 0;
  return number >= min && number <= max && (!whole || Number.isInteger(number)) ? number : undefined;
}

/** A parameter's value: the given value, otherwise the preset's value, otherwise the default. */
export function parameterValue(
  { presets }: Pick<ComponentSpec, 'presets'>,
  parameter: ParameterSpec,
  preset: string | undefined,
  given: Readonly<Record<string, number>> = {},
): number {
  const known = presets.find(({ name }) => name === preset);
  return given[parameter.name] ?? (known ? presetValue(known, parameter) : parameter.default);
}
