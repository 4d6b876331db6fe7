/**
 * Converts the controllers of a call to slots. A slot is a controller with its parameters, as the workers
 * expect it.
 */
import { controllerOfPreset, controllerSetup, CoreError } from '../core/index.js';
import type { SlotConfig } from '../worker/slot.js';
import type { ControlOptions, LiveController, ShadowController } from './types.js';

type Rails = Pick<ControlOptions, 'minBitrateBps' | 'maxBitrateBps' | 'startBitrateBps'>;

/**
 * Checks a controller and converts it to a slot. `path` names the controller in error messages. Throws a
 * CoreError that names the field.
 */
function slotConfig(choice: LiveController, flow: number, rails: Rails, path: string): SlotConfig {
  const parameters = {
    min_bitrate_bps: rails.minBitrateBps,
    max_bitrate_bps: rails.maxBitrateBps,
    start_bitrate_bps: rails.startBitrateBps,
    ...choice.parameters,
  };
  const { url } = choice;
  try {
    if (url !== undefined) return { flow, name: choice.name ?? url.replace(/^.*\//, ''), parameters, url };
    const { preset } = controllerSetup({ ...choice, parameters }, 'live', 'parameters');
    const controller = controllerOfPreset(preset ?? '') ?? 'gcc';
    const named = preset === undefined ? {} : { preset };
    return { flow, name: choice.name ?? preset ?? controller, controller, ...named, parameters };
  } catch (error) {
    if (error instanceof CoreError) throw new CoreError(`${path}.${error.message}`, `${path}.${error.field}`);
    throw error;
  }
}

/**
 * Checks a parameter of the controller in charge. The bounds of its rate stay within those of the call, because the
 * encoder, the browser's own estimator and the far side keep the latter. `field` is the parameter's name, or a path
 * that ends with it. Throws a CoreError that names the field.
 */
export function checkBounds(
  field: string,
  value: number,
  { mode, minBitrateBps: min, maxBitrateBps: max }: Pick<ControlOptions, 'mode' | keyof Rails>,
): void {
  if (mode === 'observe' || !/\bm(in|ax)_bitrate_bps$/.test(field) || (value >= min && value <= max)) return;
  throw new CoreError(
    `${field}: expected a number from ${min} to ${max} bps, the bounds of this call, got ${value}; ` +
      'start the call with wider bounds',
    field,
  );
}

/** The controller in charge, as flow 0. Throws a CoreError that names the field. */
export function slotInCharge(options: Rails & Pick<ControlOptions, 'controller' | 'mode'>): SlotConfig {
  const slot = slotConfig(options.controller ?? {}, 0, options, 'controller');
  for (const [name, value] of Object.entries(slot.parameters))
    checkBounds(`controller.parameters.${name}`, value, options);
  return slot;
}

/** The shadows: controllers that only watch. Throws a CoreError that names the field. */
export function shadowSlots(shadows: readonly ShadowController[], rails: Rails): SlotConfig[] {
  const slots = shadows.map((shadow, i) => slotConfig(shadow, shadow.flow ?? i + 1, rails, `shadows.${i}`));
  const flows = new Set(slots.map(({ flow }) => flow));
  const isRight = slots.every(({ flow }) => Number.isInteger(flow) && flow > 0 && flow < 2 ** 32);
  if (isRight && flows.size === slots.length) return slots;
  throw new CoreError(
    'shadows: expected each shadow to have its own `flow`, a whole number above 0',
    'shadows',
  );
}
