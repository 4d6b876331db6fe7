/** A number field with a slider. The slider takes effect while it moves; the field accepts any value in the range. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

export interface NumberInputProps {
  label: string;
  help: string;
  /** The `name` of the field's HTML element. */
  name?: string;
  unit: string;
  /** The slider's range. */
  min: number;
  max: number;
  /**
   * The step of the field and of a linear slider. If the slider is logarithmic or if there is no step, the
   * slider's values are rounded to three significant digits, or to whole numbers if `isWhole`.
   */
  step?: number;
  /** Whether equal distances on the slider stand for equal ratios. */
  isLogarithmic?: boolean;
  value: number;
  /** The number's range, which can be wider than the slider's range. Default: the slider's range. */
  range?: readonly [min: number, max: number];
  isWhole?: boolean;
  /** The least number above 0. The range then begins at 0, and the numbers between 0 and this one are refused. */
  leastAboveZero?: number | undefined;
  onTake: (value: number) => void;
}

/** The number of steps of a logarithmic slider. The position of such a slider is a step, not a value. */
const STEPS = 240;

const rounded = (value: number, isWhole: boolean): number =>
  isWhole ? Math.round(value) : Number(value.toPrecision(3));

/** A typed number may be a mistake if it is outside the slider's range by more than this factor. */
const DOUBTED = 2;

/** A hint about a typed number that may be a mistake, because it is far outside the slider's range; otherwise empty. */
export function doubtText(value: number, [from, to]: readonly [number, number], unit: string): string {
  const far = value > to * DOUBTED ? 'above' : value < from / DOUBTED ? 'below' : '';
  return (
    far &&
    `${value}${unit && ` ${unit}`} is far ${far} the slider’s range, ${from} to ${to}. It is used all the same.`
  );
}

type Accepted = Pick<NumberInputProps, 'unit' | 'min' | 'max' | 'range' | 'isWhole' | 'leastAboveZero'>;

/** Describes the numbers that a field accepts, if it refuses `number`; empty if it accepts the number. */
export function expectedText(
  number: number,
  { unit, min, max, range: [from, to] = [min, max], isWhole = false, leastAboveZero = from }: Accepted,
): string {
  const isInRange = (number === from || number >= leastAboveZero) && number <= to;
  if (isInRange && (!isWhole || Number.isInteger(number))) return '';
  const zero = leastAboveZero > from ? `${from}, or ` : '';
  return `${zero}a ${isWhole ? 'whole ' : ''}number from ${leastAboveZero} to ${to}${unit && ` ${unit}`}`;
}

/** The slider's scale: linear or logarithmic. */
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

/**
 * A slider with a number field. The field refuses a number outside the range; the last valid number then stays in
 * effect.
 */
export function NumberInput(props: NumberInputProps) {
  const { name, label, unit, help, step, isWhole = false, onTake } = props;
  const id = useId();
  const problem = useSignal('');
  const typed = useSignal(NaN);
  /** The text while the user types; null otherwise. Rendering the field again must not replace this text. */
  const draft = useSignal<string | null>(null);
  const value = Number(props.value.toPrecision(6));
  const [from, to] = props.range ?? [props.min, props.max];
  const { range, toSlider, toValue } = scaleOf(props);
  const take = (number: number): void => {
    const expected = expectedText(number, props);
    problem.value = expected && `Expected ${expected}; ${value} is kept.`;
    if (expected === '' && number !== value) onTake(number);
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
          value={draft.value ?? value}
          aria-description={help}
          aria-invalid={problem.value !== ''}
          onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
          onBlur={() => (draft.value = null)}
          onChange={({ currentTarget }) => {
            draft.value = null;
            typed.value = currentTarget.value.trim() === '' ? NaN : Number(currentTarget.value);
            take(typed.value);
            if (problem.value !== '') currentTarget.value = String(value);
          }}
        />
      </div>
      <small class={problem.value && 'problem'} aria-live="polite">
        {problem.value || (typed.value === value && doubtText(value, [props.min, props.max], unit))}
      </small>
    </div>
  );
}
