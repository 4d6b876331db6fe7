/** The controller's parameters, from the core's own list; each can be changed during a call. */
import { useComputed, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import { PRESETS, presetValue, CONTROLLER_SPECS, type ParameterSpec } from '../../core/schema.js';
import { watcherOf } from '../controllers.js';
import { change, settings } from '../settings.js';
import type { AppState } from '../state.js';

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
const SLIDER_SPAN = 20;
const SLIDER_STEPS = 200;

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

const trimmed = (value: number): number => Number(value.toPrecision(3));
const fitting = ({ min, max, whole }: ParameterSpec, value: number): number =>
  Math.min(max, Math.max(min, whole ? Math.round(value) : value));

/** A plain slider where the preset's value is well inside the range, else one in equal ratios around it; null for none. */
function sliderOf({ min, max }: ParameterSpec, base: number) {
  if (base - min > (max - min) / 20) {
    return {
      toValue: (step: number) => trimmed(min + ((max - min) * step) / SLIDER_STEPS),
      toStep: (v: number) => ((v - min) / (max - min)) * SLIDER_STEPS,
    };
  }
  return base > 0 ? logSlider(Math.max(min, base / SLIDER_SPAN), Math.min(max, base * SLIDER_SPAN)) : null;
}

function logSlider(low: number, high: number) {
  const span = Math.log(high / low);
  return {
    toValue: (step: number) => trimmed(low * Math.exp((span * step) / SLIDER_STEPS)),
    toStep: (value: number) => (Math.log(Math.max(value, low) / low) / span) * SLIDER_STEPS,
  };
}

function ParameterField({ parameter }: { parameter: ParameterSpec }) {
  const id = useId();
  const { name, unit, min, max, values, section, description } = parameter;
  const base = presetDefault(parameter);
  const value = settings.value.set[name] ?? base;
  const changed = name in settings.value.set;
  const help = `${description} (${section})${values ? '' : `, ${min} to ${max}${unit && ` ${unit}`}; preset: ${base}`}`;
  const take = (next: number): void => {
    if (Number.isFinite(next)) setParameter(name, next === base ? null : fitting(parameter, next));
  };
  const slider = values ? null : sliderOf(parameter, base);
  return (
    <div class={`field parameter${changed ? ' changed' : ''}`} title={help}>
      <label for={id}>
        <code>{name}</code> <span class="unit">{unit}</span>
      </label>
      <div class="pair">
        {values ? (
          <select
            id={id}
            value={value}
            aria-description={help}
            onChange={(e) => take(Number(e.currentTarget.value))}
          >
            {values.map((text, index) => (
              <option key={text} value={index}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <>
            {slider ? (
              <input
                type="range"
                tabIndex={-1}
                aria-hidden="true"
                min={0}
                max={SLIDER_STEPS}
                value={slider.toStep(value)}
                onInput={(e) => take(slider.toValue(Number(e.currentTarget.value)))}
              />
            ) : (
              <span />
            )}
            <input
              id={id}
              name={`set.${name}`}
              type="number"
              step={parameter.whole ? 1 : 'any'}
              min={min}
              max={max}
              value={value}
              aria-description={help}
              onChange={(e) => {
                if (e.currentTarget.value !== '') take(Number(e.currentTarget.value));
                e.currentTarget.value = String(settings.value.set[name] ?? base);
              }}
            />
          </>
        )}
        <button
          type="button"
          class="quiet"
          disabled={!changed}
          aria-label={`Reset ${name} to the preset`}
          title="Back to the preset's value"
          onClick={() => setParameter(name, null)}
        >
          ↺
        </button>
      </div>
    </div>
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
