/** Parameters of the simulator's components (queue disciplines, TCP, sources) on their way into the core. */
import { CoreError } from './load.js';
import { presetValue, SCHEMA, type ComponentName, type ParameterSpec } from './schema.js';

/** What of a component differs from its defaults. */
export interface ComponentOptions {
  preset?: string | undefined;
  /** By the schema's names; a parameter with named values takes the name or its index. */
  parameters?: Readonly<Record<string, number | string | undefined>>;
  /** Where it stands, for messages; default: the component's name. */
  path?: string;
  /** Likewise, where the preset stands; default: `preset` in `path`. */
  presetPath?: string;
  /** How the caller spells a parameter, for messages; default: as the schema does. */
  spell?: (name: string) => string;
}

/** Counts of things are whole. */
const COUNTS: readonly string[] = ['packets', 'buckets', 'queues'];

function numberOf(spec: ParameterSpec, value: number | string, path: string): number {
  const number = typeof value === 'string' ? (spec.values?.indexOf(value) ?? NaN) : value;
  const whole = spec.values !== undefined || COUNTS.includes(spec.unit);
  if (number >= spec.min && number <= spec.max && (!whole || Number.isInteger(number))) return number;
  const unit = spec.unit === '' ? '' : ` ${spec.unit}`;
  const range = `${whole ? 'a whole number, ' : ''}${spec.min} to ${spec.max}${unit}`;
  const expected = spec.values?.join(', ') ?? range;
  throw new CoreError(`${path}: expected ${expected}, got ${value}`, path);
}

/** The values of all parameters of a component, in the schema's order. Throws CoreError that names the field. */
export function componentValues(component: ComponentName, options: ComponentOptions = {}): number[] {
  const { parameters = {}, path = component, spell = (name: string) => name } = options;
  const { presetPath = `${path}.preset` } = options;
  const { parameters: specs, presets } = SCHEMA.components[component];
  const preset = presets.find(({ name }) => name === options.preset);
  if (options.preset !== undefined && preset === undefined) {
    const known = presets.map(({ name }) => name).join(', ') || 'none';
    throw new CoreError(
      `${presetPath}: expected a preset of ${component} (${known}), got ${options.preset}`,
      presetPath,
    );
  }
  const unknown = Object.keys(parameters).find((key) => !specs.some(({ name }) => name === key));
  if (unknown !== undefined) {
    const known = specs.map(({ name }) => spell(name)).join(', ');
    throw new CoreError(
      `${path}.${spell(unknown)}: not a parameter of ${component}, which has ${known}`,
      `${path}.${spell(unknown)}`,
    );
  }
  return specs.map((spec) => {
    const value = parameters[spec.name];
    if (value === undefined) return preset === undefined ? spec.default : presetValue(preset, spec);
    return numberOf(spec, value, `${path}.${spell(spec.name)}`);
  });
}
