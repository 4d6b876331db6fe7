/** A number with a slider, which acts while it moves; the field takes any value of the range. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

export interface NumberInputProps {
  label: string;
  help: string;
  /** The field's name in the page. */
  name?: string;
  unit: string;
  /** How far the slider goes. */
  min: number;
  max: number;
  /** Default: three digits. */
  step?: number;
  /** Equal ways of the slider are equal ratios. */
  isLogarithmic?: boolean;
  value: number;
  /** What it may be, which can be more than the slider has. Default: what the slider has. */
  range?: readonly [min: number, max: number];
  isWhole?: boolean;
  onTake: (value: number) => void;
}

/** Steps of a slider whose way is not its value. */
const STEPS = 240;

const rounded = (value: number, isWhole: boolean): number =>
  isWhole ? Math.round(value) : Number(value.toPrecision(3));

/** The slider's own scale: as it is, or in equal ratios. */
function scaleOf({ min, max, step, isLogarithmic = false, isWhole = false }: NumberInputProps) {
  if (!isLogarithmic)
    return {
      range: { min, max, step: step ?? 'any' },
      toSlider: (value: number) => value,
      toValue: (at: number) => (step === undefined ? rounded(at, isWhole) : at),
    };
  const span = Math.log(max / min);
  return {
    range: { min: 0, max: STEPS, step: 1 },
    toSlider: (value: number) => (Math.log(Math.min(max, Math.max(min, value)) / min) / span) * STEPS,
    toValue: (at: number) => rounded(min * Math.exp((span * at) / STEPS), isWhole),
  };
}

/** A number out of its range is refused where it was typed, and the last correct one stays. */
export function NumberInput(props: NumberInputProps) {
  const { name, label, unit, help, step, isWhole = false, onTake } = props;
  const id = useId();
  const problem = useSignal('');
  const value = Number(props.value.toPrecision(6));
  const [from, to] = props.range ?? [props.min, props.max];
  const { range, toSlider, toValue } = scaleOf(props);
  const take = (number: number): void => {
    const isRight = number >= from && number <= to && (!isWhole || Number.isInteger(number));
    const expected = `a ${isWhole ? 'whole ' : ''}number from ${from} to ${to}${unit && ` ${unit}`}`;
    problem.value = isRight ? '' : `Expected ${expected}; ${value} is kept.`;
    if (isRight && number !== value) onTake(number);
  };
  return (
    <div class="field" title={help}>
      <label for={id}>
        {label} <span class="unit">{unit}</span>
      </label>
      <div class="pair">
        <input
          type="range"
          tabIndex={-1}
          aria-hidden="true"
          {...range}
          value={toSlider(value)}
          onInput={({ currentTarget }) => take(toValue(Number(currentTarget.value)))}
        />
        <input
          id={id}
          name={name}
          type="number"
          min={from}
          max={to}
          step={step ?? (isWhole ? 1 : 'any')}
          value={value}
          aria-description={help}
          aria-invalid={problem.value !== ''}
          onChange={({ currentTarget }) => {
            take(currentTarget.value.trim() === '' ? NaN : Number(currentTarget.value));
            if (problem.value !== '') currentTarget.value = String(value);
          }}
        />
      </div>
      <small class="problem" aria-live="polite">
        {problem.value}
      </small>
    </div>
  );
}
