/** The parameters of a flow's controller. */
import { parameterValue } from '../../../core/parameter_value.js';
import { CONTROLLER_SPECS } from '../../../core/schema.js';
import type { Scenario } from '../../../scenario/scenario.js';
import { presetOf } from '../controller_choice.js';
import type { FlowInfo } from '../../../runs/run.js';
import type { Values } from './equations.js';

/** Returns a function that looks up the value of a flow's parameter; it returns NaN for an unknown name. */
export function valuesOf({ flows }: Scenario, { name, controller }: FlowInfo): Values {
  // A flow entry with a `count` stands for several flows: NAME-1, NAME-2 and so on. Another entry may have exactly
  // such a name, so an exact match comes first.
  const group = name.replace(/-\d+$/, '');
  const flow = flows.find((each) => each.name === name) ?? flows.find((each) => each.name === group);
  const media = flow?.kind === 'media' ? flow : undefined;
  const spec = CONTROLLER_SPECS[controller ?? 'gcc'];
  const preset = media && presetOf(media);
  return (wanted) => {
    const parameter = spec.parameters.find((each) => each.name === wanted);
    if (parameter === undefined) return NaN;
    return parameterValue(spec, parameter, preset, media?.parameters);
  };
}
