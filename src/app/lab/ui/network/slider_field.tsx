/** A number with a slider: the slider acts while it moves, the field takes any value of the range. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface SliderFieldProps {
  label: string;
  unit: string;
  help: string;
  value: number;
  /** What the slider reaches. */
  from: number;
  to: number;
  /** What may be typed; default: what the slider reaches. */
  min?: number;
  max?: number;
  /** Equal ways of the slider are equal ratios. */
  isLogarithmic?: boolean;
  whole?: boolean;
  onChange: (value: number) => void;
}

const STEPS = 240;

/** Three digits: what a slider can tell apart. */
const rounded = (value: number): number => Number(value.toPrecision(3));

export function SliderField(props: SliderFieldProps) {
  const { label, unit, help, value, from, to, isLogarithmic = false, whole = false, onChange } = props;
  const { min = from, max = to } = props;
  const id = useId();
  const problem = useSignal('');
  const take = (next: number): void => {
    const right = Number.isFinite(next) && next >= min && next <= max && (!whole || Number.isInteger(next));
    const kind = whole ? 'a whole number' : 'a number';
    problem.value = right ? '' : `Expected ${kind} from ${min} to ${max}; ${value} is kept.`;
    if (right && next !== value) onChange(next);
  };
  const toValue = (step: number): number => {
    const share = step / STEPS;
    const exact = isLogarithmic ? from * (to / from) ** share : from + (to - from) * share;
    return whole ? Math.round(exact) : rounded(exact);
  };
  const inside = Math.min(to, Math.max(from, value));
  const share = isLogarithmic ? Math.log(inside / from) / Math.log(to / from) : (inside - from) / (to - from);
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
          min={0}
          max={STEPS}
          value={Math.round(share * STEPS)}
          onInput={({ currentTarget }) => take(toValue(Number(currentTarget.value)))}
        />
        <input
          id={id}
          type="number"
          step={whole ? 1 : 'any'}
          value={Number(value.toPrecision(6))}
          aria-description={help}
          aria-invalid={problem.value !== ''}
          onChange={({ currentTarget }) => {
            take(currentTarget.value.trim() === '' ? NaN : Number(currentTarget.value));
            currentTarget.value = String(Number(value.toPrecision(6)));
          }}
        />
      </div>
      <small class="problem" aria-live="polite">
        {problem.value}
      </small>
    </div>
  );
}
