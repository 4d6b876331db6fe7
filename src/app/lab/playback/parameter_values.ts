/** The parameters of a flow's controller. */
import { CONTROLLER_SPECS, presetValue } from '../../../core/schema.js';
import type { Scenario } from '../../../scenario/scenario.js';
import { presetOf } from '../controller_choice.js';
import type { FlowInfo } from '../../../runs/run.js';
import type { Values } from './equations.js';

/** The values of a flow's parameters. */
export function valuesOf({ flows }: Scenario, { name, controller }: FlowInfo): Values {
  const flow = flows.find((each) => each.name === name || name.startsWith(`${each.name}-`));
  const media = flow?.kind === 'media' ? flow : undefined;
  const spec = CONTROLLER_SPECS[controller ?? 'gcc'];
  const preset = spec.presets.find((each) => each.name === (media && presetOf(media)));
  return (wanted) => {
    const parameter = spec.parameters.find((each) => each.name === wanted);
    if (parameter === undefined) return NaN;
    return media?.parameters?.[wanted] ?? (preset ? presetValue(preset, parameter) : parameter.default);
  };
}
