/** Form fields that are bound to one setting each: native elements, checked by the state's schema. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import type { LinkInUrl } from '../../link/url.js';
import { change, settings } from '../settings.js';
import { asText, checkField, type AppState } from '../state.js';

type TextSetting = { [K in keyof LinkInUrl]: LinkInUrl[K] extends string ? K : never }[keyof LinkInUrl];
type NumberSetting = { [K in keyof AppState]: AppState[K] extends number ? K : never }[keyof AppState];
type ChoiceSetting = 'preset' | 'mode' | 'source' | 'size' | 'fps' | 'codec' | 'audio' | 'bottleneck';

interface FieldProps {
  label: string;
  help: string;
}

/** Text that is taken as soon as it is correct; while it is not, the last correct one stays. */
export function TextField({
  field,
  label,
  help,
  suggestions,
}: FieldProps & { field: TextSetting; suggestions: readonly string[] }) {
  const id = useId();
  const draft = useSignal<string | null>(null);
  const problem = useSignal('');
  const take = (text: string): void => {
    const checked = checkField(field, text);
    problem.value = checked.ok ? '' : `Expected ${checked.expected}.`;
    if (checked.ok) change({ [field]: text });
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={field}
        list={`${id}-list`}
        value={draft.value ?? settings.value[field]}
        title={help}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem.value !== ''}
        aria-describedby={`${id}-help`}
        onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
        onChange={({ currentTarget }) => take(currentTarget.value.trim())}
        onBlur={() => {
          if (problem.value === '') draft.value = null;
        }}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <small id={`${id}-help`} class={problem.value ? 'problem' : ''} aria-live="polite">
        {problem.value || help}
      </small>
    </div>
  );
}

interface NumberProps extends FieldProps {
  field: NumberSetting;
  unit: string;
  min: number;
  max: number;
  step: number;
  /** What is shown is the setting divided by this. */
  scale?: number;
}

export function NumberField({ field, label, unit, help, min, max, step, scale = 1 }: NumberProps) {
  const id = useId();
  const value = Number((settings.value[field] / scale).toPrecision(6));
  const problem = useSignal('');
  const take = (text: string): void => {
    const scaled = text === '' ? '' : String(Number((Number(text) * scale).toPrecision(12)));
    const checked = checkField(field, scaled);
    const by = scale === 1 ? '' : ` (the field counts in ${scale})`;
    problem.value = checked.ok ? '' : `Expected ${checked.expected}${by}; ${value} is kept.`;
    if (checked.ok) change({ [field]: checked.value });
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
          min={min}
          max={max}
          step={step}
          value={value}
          onInput={({ currentTarget }) => take(currentTarget.value)}
        />
        <input
          id={id}
          name={field}
          type="number"
          min={min}
          step={step}
          value={value}
          aria-description={help}
          onChange={({ currentTarget }) => {
            take(currentTarget.value);
            currentTarget.value = String(Number((settings.value[field] / scale).toPrecision(6)));
          }}
        />
      </div>
      <small class="problem" aria-live="polite">
        {problem.value}
      </small>
    </div>
  );
}

interface ChoiceProps extends FieldProps {
  field: ChoiceSetting;
  options: readonly { value: string; label: string; help?: string }[];
  disabled?: boolean;
  /** Takes a choice; by default it becomes the setting. */
  onChoose?: (value: string) => void;
}

export function ChoiceField({ field, label, help, options, disabled = false, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field" title={help}>
      <label for={id}>{label}</label>
      <select
        id={id}
        name={field}
        disabled={disabled}
        value={asText(settings.value[field])}
        aria-description={help}
        onChange={({ currentTarget }) => {
          const checked = checkField(field, currentTarget.value);
          if (!checked.ok) return;
          if (onChoose) onChoose(currentTarget.value);
          else change({ [field]: checked.value });
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} title={option.help}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
