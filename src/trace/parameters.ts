import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  expectedValue,
  parameterNumber,
  PRESETS,
  CONTROLLER_SPECS,
  type ControllerName,
  type ParameterSpec,
} from '../core/index.js';
import { orMeant } from '../text/suggest.js';

/** Names of the presets of all controllers. */
export const presetNames: readonly string[] = PRESETS.map((preset) => preset.name);

/** Names of the parameters of all controllers. */
export const parameterNames: readonly string[] = [
  ...new Set(CONTROLLER_NAMES.flatMap((name) => CONTROLLER_SPECS[name].parameters.map((each) => each.name))),
];

/** A value or a name that was rejected, and what was expected instead. */
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

/** Returns the name of a preset if it exists. Otherwise throws a ParameterProblem that lists all presets. */
export function checkPreset(name: string): string {
  if (presetNames.includes(name)) return name;
  throw new ParameterProblem('preset', orMeant(`one of ${presetNames.join(', ')}`, name, presetNames), name);
}

/**
 * Converts a parameter's value to a number. The value is a number, a number as text, or one of the parameter's
 * named values. Throws ParameterProblem for an unknown parameter, an invalid value, or a value out of range.
 */
export function parameterValue(controller: ControllerName, name: string, value: number | string): number {
  const spec = CONTROLLER_SPECS[controller].parameters.find((parameter) => parameter.name === name);
  if (spec === undefined) {
    const hint = parameterNames.includes(name) ? 'a parameter of another controller' : 'an unknown name';
    throw new ParameterProblem(name, `the name of a parameter of ${controller}`, hint);
  }
  return checkedValue(spec, value);
}

/** Like parameterValue, for the controller of a preset. */
export function presetParameterValue(preset: string, name: string, value: number | string): number {
  return parameterValue(controllerOfPreset(checkPreset(preset)) ?? 'gcc', name, value);
}

/** Converts a value to a number. Throws ParameterProblem if the parameter cannot have this value. */
export function checkedValue(spec: ParameterSpec, value: number | string): number {
  const number = parameterNumber(spec, value);
  if (number !== undefined) return number;
  throw new ParameterProblem(spec.name, expectedValue(spec), String(value));
}
