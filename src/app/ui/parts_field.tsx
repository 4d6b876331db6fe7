/** A setting of the link that consists of several numbers, each with its own field. */
import { useSignal } from '@preact/signals';

import { PARTS_FORMS, type PartsKey } from '../../link/load_form.js';
import { NumberInput } from './number_input.js';

interface PartsFieldProps {
  field: PartsKey;
  text: string;
  /** `part` is the name of the number that the user changed. */
  onChange: (text: string, part: string) => void;
}

export function PartsField({ field, text, onChange }: PartsFieldProps) {
  const form = PARTS_FORMS[field];
  // If the first number is 0, the setting's text is `none`, without the other numbers. `kept` holds the other numbers
  // meanwhile.
  const kept = useSignal(form.usual);
  const values = form.read(text) ?? [0, ...kept.value.slice(1)];
  const take = (index: number, value: number): void => {
    const next = values.map((each, i) => (i === index ? value : each));
    kept.value = next;
    onChange(form.write(next, text), `${field}.${form.parts[index]?.name ?? ''}`);
  };
  return (
    <>
      {form.parts.map(({ name, label, help, unit, min, max, slider: [most, step], ...accepted }, index) => (
        <NumberInput
          key={name}
          name={`${field}.${name}`}
          label={label}
          unit={unit}
          help={help}
          min={min}
          max={most}
          step={step}
          value={values[index] ?? 0}
          range={[min, max]}
          isWhole={accepted.isWhole === true}
          leastAboveZero={accepted.leastAboveZero}
          onTake={(value) => take(index, value)}
        />
      ))}
    </>
  );
}
