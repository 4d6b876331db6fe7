/** The controller's parameters, from the core's own list; each can be changed during a call. */
import { useSignal } from '@preact/signals';

import { parameterValue } from '../../core/parameter_value.js';
import { PRESETS, type ParameterSpec } from '../../core/schema.js';
import { watcherOf } from '../controllers.js';
import { orderedParameters } from '../parameter_order.js';
import { change, settings } from '../settings.js';
import { ParameterList } from './parameter_list.js';

const presetDefault = (parameter: ParameterSpec): number =>
  parameterValue({ presets: PRESETS }, parameter, settings.value.preset);

function setParameter(name: string, value: number | null): void {
  const { [name]: _, ...rest } = settings.peek().set;
  change({ set: value === null ? rest : { ...rest, [name]: value } });
}

export function ParametersPanel() {
  // Hidden fields are not created, since there are many parameters.
  const open = useSignal(false);
  const controller = watcherOf(settings.value);
  // A user's controller has no parameters except the bitrates, which have separate fields.
  if (controller === undefined) return null;
  const { set } = settings.value;
  const changed = Object.keys(set).length;
  return (
    <details class="panel" onToggle={(e) => (open.value = e.currentTarget.open)}>
      <summary>Parameters {changed > 0 && <span class="count">{changed} changed</span>}</summary>
      {open.value && (
        <ParameterList
          {...orderedParameters(controller)}
          baseOf={presetDefault}
          names="set"
          given={set}
          onChange={setParameter}
          onReset={() => change({ set: {} })}
        />
      )}
    </details>
  );
}
