/**
 * Converts the parameters of controllers and of the simulator's components (queue disciplines, TCP, sources) to
 * the numbers that the core expects.
 */
import { CoreError } from './load.js';
import { expectedValue, parameterNumber, parameterValue } from './parameter_value.js';
import { COMPONENT_SPECS, type ComponentName, type ComponentSpec, type ParameterSpec } from './schema.js';

/**
 * The preset of a component, and the parameters that differ from the preset. Without a preset, the defaults
 * apply.
 */
export interface ComponentOptions {
  preset?: string | undefined;
  /** The keys are the parameters' names in the schema. The value of an enumerated parameter is a name or an index. */
  parameters?: Readonly<Record<string, number | string | undefined>>;
  /**
   * The component's place in the caller's options, for error messages, such as `queue`. Default: the component's
   * name. An empty path is omitted.
   */
  path?: string;
  /** The preset's place in the caller's options, for error messages. Default: `path` followed by `.preset`. */
  presetPath?: string;
  /** Converts a name in the schema to the caller's spelling, for error messages. Default: no change. */
  spell?: (name: string) => string;
}

/** The number for a parameter's value. Throws a CoreError that contains `path` and the expected values. */
export function numberOf(spec: ParameterSpec, value: number | string, path: string): number {
  const number = parameterNumber(spec, value);
  if (number !== undefined) return number;
  throw new CoreError(`${path}: expected ${expectedValue(spec)}, got ${value}`, path);
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/**
 * The values of all parameters of a component, in the schema's order. Throws a CoreError that names the
 * field.
 */
export function componentValues(component: ComponentName, options: ComponentOptions = {}): number[] {
  return valuesOf(component, COMPONENT_SPECS[component], options);
}

/** Like `componentValues`, for any list of parameters. Error messages contain `name`. */
export function valuesOf(name: string, spec: ComponentSpec, options: ComponentOptions): number[] {
  const { parameters = {}, path = name, spell = (parameter: string) => parameter } = options;
  const { presetPath = joined(path, 'preset') } = options;
  const preset = spec.presets.find((each) => each.name === options.preset);
  if (options.preset !== undefined && preset === undefined) {
    const known = spec.presets.map((each) => each.name).join(', ') || 'it has none';
    throw new CoreError(
      `${presetPath}: expected a preset of ${name} (${known}), got ${options.preset}`,
      presetPath,
    );
  }
  const unknown = Object.keys(parameters).find((key) => !spec.parameters.some((each) => each.name === key));
  if (unknown !== undefined) {
    const known = spec.parameters.map((each) => spell(each.name)).join(', ');
    const field = joined(path, spell(unknown));
    throw new CoreError(`${field}: not a parameter of ${name}; its parameters are ${known}`, field);
  }
  return spec.parameters.map((each) => {
    const value = parameters[each.name];
    if (value === undefined) return parameterValue(spec, each, options.preset);
    return numberOf(each, value, joined(path, spell(each.name)));
  });
}
