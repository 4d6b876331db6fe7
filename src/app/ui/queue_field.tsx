/** The fields of a queue: a menu for its discipline, and fields for its settings. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import type { ParameterSpec } from '../../core/schema.js';
import {
  limitOf,
  limitsOf,
  ownValue,
  queueForm,
  queueText,
  settingsOf,
  withLimit,
  withSetting,
  type QueueForm,
} from '../../link/queue_form.js';
import {
  LINK_WORDS,
  QUEUE_EFFECTS,
  QUEUE_GROUPS,
  QUEUE_NAMES,
  QUEUE_SETTING_NAMES,
} from '../../link/words.js';
import { NumberInput } from './number_input.js';
import { ParameterInput } from './parameter_input.js';

interface QueueFieldProps {
  /** The queue as text: `codel:target=13ms`. */
  queue: string;
  /** `part` is the name of the field that the user changed. */
  onChange: (queue: string, part: string) => void;
}

interface FormProps {
  form: QueueForm;
  set: (form: QueueForm, part: string) => void;
}

/** These settings are always shown. A discipline's other settings are hidden until the user unfolds them. */
const FIRST: readonly string[] = [
  'target_ms',
  'interval_ms',
  't_update_ms',
  'limit_packets',
  'depth_packets',
];

/** The unit of each kind of limit, as the page shows it, and the upper end (`most`) of its slider. */
const LIMIT_UNITS: Readonly<Record<string, { name: string; unit: string; most: number; step: number }>> = {
  limit_ms: { name: 'ms of the capacity', unit: 'ms', most: 2000, step: 10 },
  limit_bytes: { name: 'bytes', unit: 'B', most: 256_000, step: 1000 },
  limit_packets: { name: 'packets', unit: 'packets', most: 1000, step: 1 },
};
/**
 * The limit that is set when the user changes its unit. Each value corresponds to about 300 ms of traffic at 1 Mbps.
 */
const FIRST_LIMITS: Readonly<Record<string, number>> = {
  limit_ms: 300,
  limit_bytes: 37_500,
  limit_packets: 25,
};

/**
 * The fields for a discipline's limit, and for the unit of the limit. Not shown for a discipline without such a
 * limit.
 */
function LimitFields({ form, set }: FormProps) {
  const id = useId();
  const limit = limitOf(form);
  if (limit === null) return null;
  const { spec, value } = limit;
  const { unit, most, step } = LIMIT_UNITS[spec.name] ?? { unit: '', most: spec.max, step: 1 };
  return (
    <>
      <NumberInput
        name="queue.limit"
        label="Queue limit"
        unit={unit}
        help={spec.description}
        min={0}
        max={most}
        step={step}
        value={value}
        // A value of 0 would mean that there is no limit.
        range={[spec.whole ? 1 : 0.001, spec.max]}
        isWhole={spec.whole === true}
        onTake={(next) => set(withLimit(form, spec.name, next), 'queue.limit')}
      />
      <div class="field">
        <label for={id}>Counted in</label>
        <select
          id={id}
          name="queue.limit-unit"
          value={spec.name}
          onChange={({ currentTarget: { value: name } }) =>
            set(withLimit(form, name, FIRST_LIMITS[name] ?? 1), 'queue.limit-unit')
          }
        >
          {limitsOf(form.discipline).map(({ name }) => (
            <option key={name} value={name} selected={name === spec.name}>
              {LIMIT_UNITS[name]?.name}
            </option>
          ))}
        </select>
      </div>
    </>
  );
}

function SettingField({ form, spec, set }: FormProps & { spec: ParameterSpec }) {
  const base = ownValue(form.discipline, spec);
  return (
    <ParameterInput
      parameter={spec}
      name={`queue.${spec.name}`}
      label={QUEUE_SETTING_NAMES[spec.name] ?? spec.name}
      base={base}
      baseIs="default"
      value={form.given[spec.name] ?? base}
      changed={spec.name in form.given}
      onChange={(value) => set(withSetting(form, spec.name, value), `queue.${spec.name}`)}
    />
  );
}

export function QueueField({ queue, onChange }: QueueFieldProps) {
  const id = useId();
  const more = useSignal(false);
  const form = queueForm(queue);
  const set: FormProps['set'] = (next, part) => onChange(queueText(next), part);
  const { discipline } = form;
  const several = limitsOf(discipline).length > 1;
  const all = several ? settingsOf(discipline) : [...settingsOf(discipline), ...limitsOf(discipline)];
  const first = all.filter(({ name }) => FIRST.includes(name));
  const others = all.filter((spec) => !first.includes(spec));
  return (
    <>
      <div class="field" title={LINK_WORDS.queue.is}>
        <label for={id}>Queue</label>
        <select
          id={id}
          name="queue"
          value={discipline}
          onChange={({ currentTarget }) => set({ discipline: currentTarget.value, given: {} }, 'queue')}
        >
          {QUEUE_GROUPS.map(({ title, queues }) => (
            <optgroup key={title} label={title}>
              {queues.map((name) => (
                <option key={name} value={name} selected={name === discipline}>
                  {QUEUE_NAMES[name]}: {QUEUE_EFFECTS[name]}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      {several && <LimitFields form={form} set={set} />}
      {first.map((spec) => (
        <SettingField key={`${discipline} ${spec.name}`} form={form} spec={spec} set={set} />
      ))}
      {others.length > 0 && (
        <details onToggle={(e) => (more.value = e.currentTarget.open)}>
          <summary>
            {others.length} more {others.length === 1 ? 'setting' : 'settings'} of the queue
          </summary>
          {more.value &&
            others.map((spec) => (
              <SettingField key={`${discipline} ${spec.name}`} form={form} spec={spec} set={set} />
            ))}
        </details>
      )}
    </>
  );
}
