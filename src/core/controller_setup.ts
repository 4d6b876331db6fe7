/** Resolves the choice of a controller: converts names and parameters to the numbers that the core expects. */
import { valuesOf } from './component.js';
import { CoreError } from './load.js';
import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  PRESETS,
  COMPONENT_SPECS,
  CONTROLLER_SPECS,
  type ComponentSpec,
  type ControllerName,
} from './schema.js';
import { userControllerProblem, type UserController } from './user_controller.js';

/** A controller, chosen by its name, by one of its presets, or by both. */
export interface ControllerChoice {
  /**
   * The name of a controller of the core, or a user's own controller. Default: the controller of `preset` or,
   * without a preset, `gcc`.
   */
  controller?: ControllerName | UserController;
  /**
   * The name of a preset. Default: the controller's default preset, which is not the same for live calls and
   * simulations.
   */
  preset?: string;
  /** Parameters that differ from the preset, by name. */
  parameters?: Readonly<Record<string, number>>;
}

/** The resolved choice, in the form that the core expects. */
export interface ControllerSetup {
  name: string;
  /** The index of the controller in the core. */
  index: number;
  /** Absent for a user's controller, which has no presets. */
  preset?: string;
  /** The controller's parameters and presets. */
  spec: ComponentSpec;
  /** The values of all parameters, in the order of `spec`. */
  values: number[];
  /** Present only for a user's own controller. */
  user?: UserController;
}

/** The core uses this index for all controllers of users. */
const USER_INDEX = -1;

/**
 * Resolves a choice. In error messages, `path` precedes the name of a parameter. Throws a CoreError that
 * names the field.
 */
export function controllerSetup(
  { controller, preset, parameters }: ControllerChoice,
  use: 'live' | 'simulation',
  path = '',
): ControllerSetup {
  if (typeof controller === 'object') return userSetup(controller, preset, parameters, path);
  if (controller !== undefined && !CONTROLLER_NAMES.includes(controller)) {
    const known = CONTROLLER_NAMES.join(', ');
    throw new CoreError(`controller: expected one of ${known}, got ${controller as string}`, 'controller');
  }
  const name = controller ?? (preset === undefined ? 'gcc' : controllerOfPreset(preset));
  if (name === undefined) {
    const known = PRESETS.map((each) => each.name).join(', ');
    throw new CoreError(`preset: expected one of ${known}, got ${String(preset)}`, 'preset');
  }
  const chosen = preset ?? defaultPreset(name, use);
  const spec: ComponentSpec = CONTROLLER_SPECS[name];
  const values = valuesOf(name, spec, {
    preset: chosen,
    parameters: parameters ?? {},
    path,
    presetPath: 'preset',
  });
  return { name, index: CONTROLLER_NAMES.indexOf(name), preset: chosen, spec, values };
}

function userSetup(
  user: UserController,
  preset: string | undefined,
  parameters: ControllerChoice['parameters'],
  path: string,
): ControllerSetup {
  const problem = userControllerProblem(user);
  if (problem !== null) throw new CoreError(`${problem.field}: expected ${problem.expected}`, problem.field);
  const spec: ComponentSpec = COMPONENT_SPECS.user_controller;
  const options = {
    parameters: parameters ?? {},
    path,
    presetPath: 'preset',
    ...(preset !== undefined && { preset }),
  };
  return { name: user.name, index: USER_INDEX, spec, values: valuesOf(user.name, spec, options), user };
}
