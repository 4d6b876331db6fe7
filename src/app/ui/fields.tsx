/**
 * Form fields, each bound to one setting. They are native elements. Texts and choices are checked by the
 * state's schema, numbers by the range of the setting.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';

import type { LinkInUrl } from '../../link/url.js';
import { change, settings } from '../settings.js';
import { numberRange, type NumberSetting } from '../number_ranges.js';
import { asText, checkField } from '../state.js';
import { NumberInput, type NumberInputProps } from './number_input.js';

type TextSetting = { [K in keyof LinkInUrl]: LinkInUrl[K] extends string ? K : never }[keyof LinkInUrl];
type ChoiceSetting = 'preset' | 'mode' | 'source' | 'size' | 'fps' | 'codec' | 'audio' | 'bottleneck';

interface FieldProps {
  label: string;
  help: string;
}

interface TextProps extends FieldProps {
  field: TextSetting;
  suggestions: readonly string[];
  /** Says what is probably wrong with a valid text; empty if nothing is. */
  doubt: (text: string) => string;
}

/**
 * A text field. Valid text takes effect on Enter or when the field loses the focus. If the text is invalid, the last
 * valid text stays in effect.
 */
export function TextField({ field, label, help, suggestions, doubt }: TextProps) {
  const id = useId();
  const draft = useSignal<string | null>(null);
  const problem = useSignal('');
  const value = settings.value[field];
  useEffect(() => {
    // The setting was changed, perhaps by another control. A refused draft no longer applies.
    draft.value = null;
    problem.value = '';
  }, [value]);
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
        value={draft.value ?? value}
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
        {problem.value || doubt(value) || help}
      </small>
    </div>
  );
}

interface NumberProps extends Omit<NumberInputProps, 'name' | 'value' | 'range' | 'isWhole' | 'onTake'> {
  field: NumberSetting;
  /** The field shows the value of the setting divided by `scale`. */
  scale?: number;
}

export function NumberField({ field, scale = 1, ...shown }: NumberProps) {
  const [min, max] = numberRange(field);
  return (
    <NumberInput
      {...shown}
      name={field}
      value={Number((settings.value[field] / scale).toPrecision(6))}
      range={[min / scale, max / scale]}
      onTake={(value) => change({ [field]: Number((value * scale).toPrecision(12)) })}
    />
  );
}

interface ChoiceProps extends FieldProps {
  field: ChoiceSetting;
  options: readonly { value: string; label: string; help?: string }[];
  disabled?: boolean;
  /** Called with the choice. If absent, the choice becomes the value of the setting. */
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
