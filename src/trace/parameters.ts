import { SCHEMA } from '../core/index.js';

/** Names of the core's presets. */
export const presetNames: readonly string[] = SCHEMA.presets.map((preset) => preset.name);

/** Names of the core's parameters. */
export const parameterNames: readonly string[] = SCHEMA.parameters.map((parameter) => parameter.name);

/** A value that was refused: what it should have been. */
export class ParameterProblem extends Error {
  override readonly name = 'ParameterProblem';
  constructor(
    readonly field: string,
    readonly expected: string,
    readonly got: string,
  ) {
    super(`${field}: expected ${expected}, got ${got}`);
  }
}

/** Checks the name of a preset. Throws ParameterProblem listing the presets. */
export function checkPreset(name: string): string {
  if (presetNames.includes(name)) return name;
  throw new ParameterProblem('preset', `one of ${presetNames.join(', ')}`, name);
}

/**
 * A parameter's value as a number: a number, its text, or one of the names that the parameter lists.
 * Throws ParameterProblem for an unknown name, or for a value that is no number or out of range.
 */
export function parameterValue(name: string, value: number | string): number {
  const spec = SCHEMA.parameters.find((parameter) => parameter.name === name);
  if (spec === undefined) throw new ParameterProblem(name, 'the name of a parameter', 'an unknown name');
  const names = spec.values ?? [];
  if (typeof value === 'string' && names.includes(value)) return names.indexOf(value);
  const number = typeof value === 'number' ? value : value.trim() === '' ? NaN : Number(value);
  const inRange = number >= spec.min && number <= spec.max;
  if (inRange && (names.length === 0 || Number.isInteger(number))) return number;
  const unit = spec.unit === '' ? '' : ` ${spec.unit}`;
  const expected =
    names.length > 0 ? `one of ${names.join(', ')}` : `a number from ${spec.min} to ${spec.max}${unit}`;
  throw new ParameterProblem(name, expected, String(value));
}
