/** The controller's parameters, from the core's own list; each can be changed during a call. */

import { parameterValue } from '../../core/parameter_value.js';
import { PRESETS, type ParameterSpec } from '../../core/schema.js';
import { watcherOf } from '../controllers.js';
import { orderedParameters } from '../parameter_order.js';
import { change, settings } from '../settings.js';
import { LazyDetails } from './lazy_details.js';
import { ParameterList } from './parameter_list.js';

const presetDefault = (parameter: ParameterSpec): number =>
  parameterValue({ presets: PRESETS }, parameter, settings.value.preset);

function setParameter(name: string, value: number | null): void {
  const { [name]: _, ...rest } = settings.peek().set;
  change({ set: value === null ? rest : { ...rest, [name]: value } });
}

export function ParametersPanel() {
  const controller = watcherOf(settings.value);
  // A user's controller has no parameters except the bitrates, which have separate fields.
  if (controller === undefined) return null;
  const { set } = settings.value;
  const changed = Object.keys(set).length;
  return (
    <LazyDetails
      class="panel"
      summary={<>Parameters {changed > 0 && <span class="count">{changed} changed</span>}</>}
    >
      {() => (
        <ParameterList
          {...orderedParameters(controller)}
          baseOf={presetDefault}
          names="set"
          given={set}
          onChange={setParameter}
          onReset={() => change({ set: {} })}
        />
      )}
    </LazyDetails>
  );
}
