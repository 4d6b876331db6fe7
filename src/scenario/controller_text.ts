/**
 * The text form of controllers in a page's URL and on the command line: `nada`, `gcc:ton-2017-literal`,
 * `libwebrtc-2016-08`, `gcc:gcc-live:k_u=0.02`.
 */
import { controllerSetup } from '../core/controller_setup.js';
import { CoreError } from '../core/load.js';
import { expectedValue, parameterNumber } from '../core/parameter_value.js';
import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  PRESETS,
  CONTROLLER_SPECS,
  type ControllerName,
  type ParameterSpec,
} from '../core/schema.js';
import { checkLength, ConfigError, cut, shown } from '../text/quantities.js';
import { didYouMean } from '../text/suggest.js';

/**
 * The text form of a user's own controller: `own:` and the name of its file. The text does not contain the
 * code. Only the page that opened the file, or the local server of this page, has the code.
 */
const OWN = /^own:[^,:]{1,80}$/;
export const OWN_EXAMPLE = 'own:NAME of a file that was chosen';
export const isOwn = (controller: string): boolean => OWN.test(controller);
export const ownName = (controller: string): string => controller.slice('own:'.length);
export const ownText = (name: string): string => `own:${name.replaceAll(/[,:]/g, ' ').slice(0, 80)}`;

/** One of the core's controllers, with its defaults filled in. */
export interface ChosenController {
  controller: ControllerName;
  preset: string;
  parameters: Readonly<Record<string, number>>;
}

const isController = (name: string): name is ControllerName =>
  CONTROLLER_NAMES.some((known) => known === name);

/** Parses `NAME[:PRESET][:parameter=value]…`. NAME is the name of a controller or of a preset. Throws ConfigError. */
export function parseController(text: string, { field = 'controller' } = {}): ChosenController {
  checkLength(text, field, 'write, for example, nada or gcc:ton-2017-literal');
  const [name = '', ...rest] = text.trim().split(':');
  const controller = isController(name) ? name : controllerOfPreset(name);
  if (controller === undefined) {
    const known = [...CONTROLLER_NAMES, ...PRESETS.map((preset) => preset.name)];
    const fix = `write, for example, nada or gcc:ton-2017-literal.${didYouMean(name, known)}`;
    throw new ConfigError(
      field,
      `one of ${CONTROLLER_NAMES.join(', ')}, or a preset of one of them`,
      shown(name),
      fix,
    );
  }
  const settings = rest.filter((part) => part.includes('='));
  const [named, ...more] = rest.filter((part) => !part.includes('='));
  if (more.length > 0 || (named !== undefined && !isController(name))) {
    const fix = 'write, for example, gcc:gcc-live:k_u=0.02';
    throw new ConfigError(field, 'NAME:PRESET:parameter=value', shown(text), fix);
  }
  const preset = named ?? (isController(name) ? defaultPreset(name, 'live') : name);
  const parameters = Object.fromEntries(settings.map((setting) => parameterOf(controller, setting, field)));
  try {
    controllerSetup({ controller, preset, parameters }, 'live');
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    throw new ConfigError(
      field,
      `a known preset and valid parameters (${cut(error.message, 300)})`,
      shown(text),
      'choose another preset or parameter',
    );
  }
  return { controller, preset, parameters };
}

/** Reads the value of a parameter: a number, or one of the parameter's named values. */
function parameterOf(
  controller: ControllerName,
  setting: string,
  field: string,
): [name: string, value: number] {
  const [name = '', value = ''] = setting.split('=');
  const parameters: readonly ParameterSpec[] = CONTROLLER_SPECS[controller].parameters;
  const spec = parameters.find((each) => each.name === name);
  if (spec === undefined) return [name, NaN]; // controllerSetup rejects this name later
  const number = parameterNumber(spec, value);
  // Adding 0 turns -0 into 0. Both are written as 0, so they must be the same value.
  if (number !== undefined) return [name, number + 0];
  throw new ConfigError(field, `${name} to be ${expectedValue(spec)}`, shown(value), 'correct this value');
}

/** Writes a controller as text, which `parseController` can read. The default preset is left out. */
export function controllerText({ controller, preset, parameters }: ChosenController): string {
  const settings = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const named = preset === defaultPreset(controller, 'live') ? [] : [preset];
  return [controller, ...named, ...settings].join(':');
}

/**
 * The controller's name in a chart: `NADA`, or the name of the preset if it is not the default for live calls.
 * The parameters that differ from the preset follow.
 */
export function controllerTitle({ controller, preset, parameters }: ChosenController): string {
  const name = preset === defaultPreset(controller, 'live') ? controller.toUpperCase() : preset;
  return [name, ...Object.entries(parameters).map(([parameter, value]) => `${parameter} ${value}`)].join(
    ', ',
  );
}
