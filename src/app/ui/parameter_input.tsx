/**
 * A field for one parameter of the core: a slider and a number, or a menu, with a button that resets the parameter.
 */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import { expectedValue, parameterNumber } from '../../core/parameter_value.js';
import type { ParameterSpec } from '../../core/schema.js';
import { doubtText } from './number_input.js';

const SLIDER_SPAN = 20;
const SLIDER_STEPS = 200;

const trimmed = (value: number): number => Number(value.toPrecision(3));
const fitting = ({ min, max, whole }: ParameterSpec, value: number): number =>
  Math.min(max, Math.max(min, whole ? Math.round(value) : value));

/**
 * The scale of the slider. The scale is linear if `base` (the value after a reset) is well above `min`, and otherwise
 * logarithmic around `base`. Null (no slider) if the scale would be logarithmic but `base` is not positive.
 */
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

interface ParameterInputProps {
  parameter: ParameterSpec;
  /** The `name` of the field's HTML element. */
  name: string;
  /** The field's label in words; default: the parameter's name. */
  label?: string;
  /** The value that the button restores. `baseIs` is the name of that value. */
  base: number;
  baseIs: string;
  value: number;
  /** Whether the user has chosen the value. */
  changed: boolean;
  /** Called with the new value; null resets it. */
  onChange: (value: number | null) => void;
}

export function ParameterInput(props: ParameterInputProps) {
  const { parameter, name, base, baseIs, value, changed, onChange } = props;
  const id = useId();
  const problem = useSignal('');
  const lastTyped = useSignal(NaN);
  const { unit, values, section, description } = parameter;
  const label = props.label ?? parameter.name;
  const range = values
    ? ''
    : `, ${parameter.min} to ${parameter.max}${unit && ` ${unit}`}; ${baseIs}: ${base}`;
  const help = `${description} (${section})${range}`;
  const take = (next: number): void => {
    problem.value = '';
    onChange(next === base ? null : next);
  };
  const typed = (text: string): void => {
    const number = parameterNumber(parameter, text);
    lastTyped.value = number ?? NaN;
    if (number !== undefined) take(number);
    else problem.value = `Expected ${expectedValue(parameter)}; ${value} is kept.`;
  };
  const slider = values ? null : sliderOf(parameter, base);
  const doubt =
    slider && lastTyped.value === value
      ? doubtText(value, [slider.toValue(0), slider.toValue(SLIDER_STEPS)], unit)
      : '';
  return (
    <div class={`field parameter${changed ? ' changed' : ''}`} title={help}>
      <label for={id}>
        {props.label ?? <code>{label}</code>} <span class="unit">{unit}</span>
      </label>
      <div class="pair">
        {values ? (
          <select
            id={id}
            name={name}
            value={value}
            aria-description={help}
            onChange={(e) => take(Number(e.currentTarget.value))}
          >
            {values.map((text, index) => (
              <option key={text} value={index} selected={index === value}>
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
                onInput={(e) => take(fitting(parameter, slider.toValue(Number(e.currentTarget.value))))}
              />
            ) : (
              <span />
            )}
            <input
              id={id}
              name={name}
              type="number"
              step={parameter.whole ? 1 : 'any'}
              min={parameter.min}
              max={parameter.max}
              value={value}
              aria-description={help}
              onChange={(e) => {
                typed(e.currentTarget.value);
                if (problem.value !== '') e.currentTarget.value = String(value);
              }}
            />
          </>
        )}
        <button
          type="button"
          class="quiet"
          disabled={!changed}
          aria-label={`Reset ${label} to the ${baseIs}`}
          title={`Back to ${base}`}
          onClick={() => {
            problem.value = '';
            onChange(null);
          }}
        >
          ↺
        </button>
      </div>
      <small class={problem.value && 'problem'} aria-live="polite">
        {problem.value || doubt}
      </small>
    </div>
  );
}
