/** A setting of the link that is several numbers, each as a field of its own. */
import { useSignal } from '@preact/signals';

import { PARTS_FORMS, type PartsKey } from '../../link/load_form.js';
import { change, settings } from '../settings.js';
import { NumberInput } from './fields.js';

export function PartsField({ field }: { field: PartsKey }) {
  const form = PARTS_FORMS[field];
  const text = settings.value[field];
  // While the setting is none, what was typed beside the number that makes it so stays.
  const kept = useSignal(form.usual);
  const values = form.read(text) ?? [0, ...kept.value.slice(1)];
  const take = (index: number, value: number): void => {
    const next = values.map((each, i) => (i === index ? value : each));
    kept.value = next;
    change({ [field]: form.write(next, text) });
  };
  return (
    <>
      {form.parts.map(({ name, label, help, unit, min, max, slider: [most, step], isWhole }, index) => (
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
          isWhole={isWhole === true}
          onTake={(value) => take(index, value)}
        />
      ))}
    </>
  );
}
