/** Which controller, and with which parameters: names resolved to what the core takes. */
import { valuesOf } from './component.js';
import { CoreError } from './load.js';
import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  PRESETS,
  SCHEMA,
  type ControllerName,
} from './schema.js';

/** A controller by its name, by a preset of it, or by both. */
export interface ControllerChoice {
  /** Default: the controller that `preset` is one of, else `gcc`. */
  controller?: ControllerName;
  /** A preset of the schema; the default depends on the use. */
  preset?: string;
  /** Parameters that differ from the preset, by name. */
  parameters?: Readonly<Record<string, number>>;
}

/** What the core takes. */
export interface ControllerSetup {
  name: ControllerName;
  /** Its number in the core. */
  index: number;
  preset: string;
  /** All parameters, in the schema's order. */
  values: number[];
}

/** Resolves a choice. `path` is where the parameters stand, for messages. Throws CoreError that names the field. */
export function controllerSetup(
  { controller, preset, parameters }: ControllerChoice,
  use: 'live' | 'simulation',
  path = '',
): ControllerSetup {
  if (controller !== undefined && !CONTROLLER_NAMES.includes(controller)) {
    const known = CONTROLLER_NAMES.join(', ');
    throw new CoreError(`controller: expected one of ${known}; got ${controller as string}`, 'controller');
  }
  const name = controller ?? (preset === undefined ? 'gcc' : controllerOfPreset(preset));
  if (name === undefined) {
    const known = PRESETS.map((each) => each.name).join(', ');
    throw new CoreError(`preset: expected one of ${known}; got ${String(preset)}`, 'preset');
  }
  const chosen = preset ?? defaultPreset(name, use);
  const values = valuesOf(name, SCHEMA.controllers[name], {
    preset: chosen,
    parameters: parameters ?? {},
    path,
    presetPath: 'preset',
  });
  return { name, index: CONTROLLER_NAMES.indexOf(name), preset: chosen, values };
}
