/** The controller's parameters, from the core's own list; each can be changed during a call. */
import { useComputed, useSignal } from '@preact/signals';

import { PRESETS, presetValue, CONTROLLER_SPECS, type ParameterSpec } from '../../core/schema.js';
import { watcherOf } from '../controllers.js';
import { change, settings } from '../settings.js';
import type { AppState } from '../state.js';
import { ParameterInput } from './parameter_input.js';

/** These have fields of their own. */
const ELSEWHERE = new Set(['min_bitrate_bps', 'max_bitrate_bps', 'start_bitrate_bps']);
/** Shown first, in this order: what the papers turn most. */
const FIRST: Readonly<Record<string, readonly string[]>> = {
  gcc: [
    'k_u',
    'k_d',
    'alpha',
    'eta',
    'gamma_init_ms',
    'overuse_time_ms',
    'detector_gain_groups',
    'received_rate_window_ms',
  ],
  nada: ['xref_ms', 'kappa', 'eta', 'tau_ms', 'gamma_max', 'prio', 'warping', 'qth_ms'],
  lcc: ['delay_target_ms', 'delta', 'cut_threshold', 'cut_factor', 'window_pairs', 'epoch_ms', 'exploration'],
};
/** The parameters of the controller that is flow 0: those shown first, and the others. */
function parametersOf(state: AppState): {
  first: readonly ParameterSpec[];
  others: readonly ParameterSpec[];
} {
  const controller = watcherOf(state);
  if (controller === undefined) return { first: [], others: [] };
  const all = CONTROLLER_SPECS[controller].parameters.filter(({ name }) => !ELSEWHERE.has(name));
  const names = FIRST[controller] ?? [];
  const first = names.flatMap((name) => all.find((parameter) => parameter.name === name) ?? []);
  return { first, others: all.filter((parameter) => !first.includes(parameter)) };
}

function presetDefault(parameter: ParameterSpec): number {
  const preset = PRESETS.find(({ name }) => name === settings.value.preset);
  return preset ? presetValue(preset, parameter) : parameter.default;
}

function setParameter(name: string, value: number | null): void {
  const { [name]: _, ...rest } = settings.peek().set;
  change({ set: value === null ? rest : { ...rest, [name]: value } });
}

function ParameterField({ parameter }: { parameter: ParameterSpec }) {
  const { name } = parameter;
  const base = presetDefault(parameter);
  return (
    <ParameterInput
      parameter={parameter}
      name={`set.${name}`}
      base={base}
      baseIs="preset"
      value={settings.value.set[name] ?? base}
      changed={name in settings.value.set}
      onChange={(value) => setParameter(name, value)}
    />
  );
}

export function ParametersPanel() {
  // What nobody sees is not made: there are many parameters.
  const open = useSignal(false);
  const more = useSignal(false);
  const search = useSignal('');
  const { first, others } = parametersOf(settings.value);
  const parameters = [...first, ...others];
  const found = useComputed(() => {
    const text = search.value.trim().toLowerCase();
    if (text === '') return null;
    const now = parametersOf(settings.value);
    return [...now.first, ...now.others].filter(({ name, description }) =>
      `${name} ${description}`.toLowerCase().includes(text),
    );
  });
  const changed = Object.keys(settings.value.set).length;
  // A user's own has the bitrates only, which have fields of their own.
  if (parameters.length === 0) return null;
  return (
    <details class="panel" onToggle={(e) => (open.value = e.currentTarget.open)}>
      <summary>Parameters {changed > 0 && <span class="count">{changed} changed</span>}</summary>
      <div class="row">
        <input
          type="search"
          placeholder={`Find among ${parameters.length}`}
          aria-label="Find a parameter"
          value={search.value}
          onInput={(e) => (search.value = e.currentTarget.value)}
        />
        <button type="button" disabled={changed === 0} onClick={() => change({ set: {} })}>
          Reset all
        </button>
      </div>
      {open.value &&
        (found.value ?? first).map((parameter) => (
          <ParameterField key={parameter.name} parameter={parameter} />
        ))}
      {found.value === null && others.length > 0 && (
        <details onToggle={(e) => (more.value = e.currentTarget.open)}>
          <summary>{others.length} more</summary>
          {more.value &&
            others.map((parameter) => <ParameterField key={parameter.name} parameter={parameter} />)}
        </details>
      )}
    </details>
  );
}
