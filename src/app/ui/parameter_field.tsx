/** One parameter of a component as a form field: of a controller, a queue discipline, TCP, a video source. */
import { useId } from 'preact/hooks';

import type { ParameterSpec } from '../../core/schema.js';

const SLIDER_SPAN = 20;
const SLIDER_STEPS = 200;

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

interface ParameterFieldProps {
  parameter: ParameterSpec;
  /** Its value in the preset. */
  base: number;
  /** Undefined: the preset's. */
  given: number | undefined;
  /** Null: back to the preset's value. */
  onChange: (value: number | null) => void;
}

export function ParameterField({ parameter, base, given, onChange }: ParameterFieldProps) {
  const id = useId();
  const { name, unit, min, max, values, section, description } = parameter;
  const value = given ?? base;
  const changed = given !== undefined;
  const help = `${description} (${section})${values ? '' : `, ${min} to ${max}${unit && ` ${unit}`}; preset: ${base}`}`;
  const take = (next: number): void => {
    if (Number.isFinite(next)) onChange(next === base ? null : fitting(parameter, next));
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
                e.currentTarget.value = String(value);
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
          onClick={() => onChange(null)}
        >
          ↺
        </button>
      </div>
    </div>
  );
}
