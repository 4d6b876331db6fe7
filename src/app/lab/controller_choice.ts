/** Replaces the controller of a scenario's media flows with another controller. */
import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  CONTROLLER_SPECS,
  type ControllerName,
} from '../../core/schema.js';
import { boundsOf } from '../../scenario/chosen_controller.js';
import type { Scenario } from '../../scenario/scenario.js';
import type { MediaFlow } from './edits.js';

/** The names of controllers as the pages show them. */
export const CONTROLLER_TITLES: Readonly<Record<ControllerName, string>> = {
  gcc: 'GCC',
  nada: 'NADA',
  lcc: 'LCC',
};

export interface ChosenPreset {
  name: string;
  description: string;
}

/** All presets, grouped by controller. */
export const CHOICES: readonly {
  controller: ControllerName;
  title: string;
  presets: readonly ChosenPreset[];
}[] = CONTROLLER_NAMES.map((controller) => ({
  controller,
  title: CONTROLLER_TITLES[controller],
  presets: CONTROLLER_SPECS[controller].presets.map(({ name, description }) => ({ name, description })),
}));

export const PRESET_NAMES: readonly string[] = CHOICES.flatMap(({ presets }) =>
  presets.map(({ name }) => name),
);

/**
 * The preset of a flow. If the scenario names none, this is the default simulation preset of the flow's controller.
 */
export const presetOf = ({ controller, preset }: Pick<MediaFlow, 'controller' | 'preset'>): string =>
  preset ?? defaultPreset(controller ?? 'gcc', 'simulation');

/**
 * Whether a controller can be chosen. It cannot if the scenario itself varies the controller (as one of its axes).
 */
export const isFree = ({ axes = [] }: Scenario): boolean => axes.every(({ name }) => name !== 'controller');

/**
 * Uses `preset` for all media flows, in every cell (combination of axis values). The start bitrate and the bitrate
 * limits stay the same. Other parameters, the published values and the claims are removed, since they belong to the
 * replaced controller. Returns `scenario` itself if `preset` is empty or unknown, or if no controller can be chosen.
 */
export function withPreset(scenario: Scenario, preset: string): Scenario {
  const controller = preset === '' ? undefined : controllerOfPreset(preset);
  if (controller === undefined || !isFree(scenario)) return scenario;
  const set = Object.fromEntries(
    scenario.flows.flatMap((flow): [string, unknown][] => {
      if (flow.kind !== 'media') return [];
      const at = `flows.${flow.name}`;
      return [
        [`${at}.controller`, controller],
        [`${at}.preset`, preset],
        [`${at}.parameters`, boundsOf(flow.parameters)],
      ];
    }),
  );
  const { expectations: _, claims: __, ...rest } = scenario;
  return { ...rest, overrides: [...(scenario.overrides ?? []), { cells: {}, set }] };
}
