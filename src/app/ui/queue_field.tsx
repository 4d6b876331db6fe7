/** The fields of a queue: a menu for its discipline, and fields for its settings. */
import { useId, useMemo } from 'preact/hooks';

import { formatRate } from '../../charts/index.js';
import type { ParameterSpec } from '../../core/schema.js';
import {
  LIMIT_PACKET_BYTES,
  limitOf,
  limitsOf,
  ownValue,
  queueForm,
  QueueMemory,
  queueText,
  settingsOf,
  withLimit,
  withSetting,
  type ConvertedLimit,
  type QueueForm,
} from '../../link/queue_form.js';
import {
  LINK_WORDS,
  QUEUE_EFFECTS,
  QUEUE_GROUPS,
  QUEUE_NAMES,
  QUEUE_SETTING_NAMES,
} from '../../link/words.js';
import { LazyDetails } from './lazy_details.js';
import { NumberInput, type NumberInputProps } from './number_input.js';
import { ParameterInput } from './parameter_input.js';

interface QueueFieldProps {
  /** The queue as text: `codel:target=13ms`. */
  queue: string;
  /** The capacity of the bottleneck before its first change; null if it is not known. */
  capacityBps: number | null;
  /** The remembered settings of other disciplines. Default: the settings that were chosen in this field. */
  memory?: QueueMemory;
  /** `part` is the name of the field that the user changed. */
  onChange: (queue: string, part: string) => void;
}

interface FormProps {
  form: QueueForm;
  set: (form: QueueForm, part: string) => void;
}

/** These settings are always shown. A discipline's other settings are hidden until the user unfolds them. */
const FIRST: readonly string[] = ['target_ms', 'interval_ms', 't_update_ms', 'depth_packets'];

/** For each kind of limit: the unit shown on the page, and the limit's slider. */
const LIMIT_UNITS: Readonly<
  Record<
    string,
    { name: string; unit: string } & Pick<NumberInputProps, 'min' | 'max' | 'step' | 'isLogarithmic'>
  >
> = {
  limit_ms: { name: 'ms of the capacity', unit: 'ms', min: 0, max: 2000, step: 10 },
  limit_bytes: { name: 'bytes', unit: 'B', min: 0, max: 256_000, step: 1000 },
  limit_packets: { name: 'packets', unit: 'packets', min: 1, max: 20_000, step: 1, isLogarithmic: true },
};
/**
 * The limit that is set when the user changes its unit. Each value corresponds to about 300 ms of traffic at 1 Mbps.
 */
const FIRST_LIMITS: Readonly<Record<string, number>> = {
  limit_ms: 300,
  limit_bytes: 37_500,
  limit_packets: 25,
};

/** Says how a limit was converted to packets for a discipline that counts packets. */
function conversionText({ from: { spec, value }, packets, capacityBps }: ConvertedLimit): string {
  const [amount, at] =
    spec.unit === 'ms' ? [`${value} ms`, ` at ${formatRate(capacityBps)}`] : [`${value} B`, ''];
  return `The limit of ${amount} became ${packets} packets of ${LIMIT_PACKET_BYTES} B${at && ` (${at.trim()})`}.`;
}

/**
 * The fields for a discipline's limit, and for the unit of the limit. They are in the same place for every discipline,
 * even for one that counts only packets.
 */
function LimitFields({ form, set, conversion }: FormProps & { conversion: ConvertedLimit | null }) {
  const id = useId();
  const limit = limitOf(form);
  if (limit === null) return null;
  const { spec, value } = limit;
  const { name: _, ...shown } = LIMIT_UNITS[spec.name] ?? {
    name: '',
    unit: '',
    min: spec.min,
    max: spec.max,
  };
  const units = limitsOf(form.discipline);
  const base = ownValue(form.discipline, spec);
  return (
    <>
      <NumberInput
        {...shown}
        key={spec.name}
        name="queue.limit"
        label="Queue limit"
        help={`${spec.description}${base > 0 ? `; default: ${base}` : ''}`}
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
          disabled={units.length === 1}
          value={spec.name}
          onChange={({ currentTarget: { value: name } }) =>
            set(withLimit(form, name, FIRST_LIMITS[name] ?? 1), 'queue.limit-unit')
          }
        >
          {units.map(({ name }) => (
            <option key={name} value={name} selected={name === spec.name}>
              {LIMIT_UNITS[name]?.name}
            </option>
          ))}
        </select>
        <small aria-live="polite">{conversion === null ? '' : conversionText(conversion)}</small>
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

export function QueueField({ queue, capacityBps, memory: given, onChange }: QueueFieldProps) {
  const id = useId();
  const memory = useMemo(() => given ?? new QueueMemory(), [given]);
  const form = queueForm(queue);
  const set: FormProps['set'] = (next, part) => onChange(queueText(next), part);
  const { discipline } = form;
  const all = settingsOf(discipline);
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
          onChange={({ currentTarget }) =>
            set(memory.change(form, currentTarget.value, capacityBps), 'queue')
          }
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
      <LimitFields form={form} set={set} conversion={memory.conversion(form)} />
      {first.map((spec) => (
        <SettingField key={`${discipline} ${spec.name}`} form={form} spec={spec} set={set} />
      ))}
      {others.length > 0 && (
        <LazyDetails
          summary={`${others.length} more ${others.length === 1 ? 'setting' : 'settings'} of the queue`}
        >
          {() =>
            others.map((spec) => (
              <SettingField key={`${discipline} ${spec.name}`} form={form} spec={spec} set={set} />
            ))
          }
        </LazyDetails>
      )}
    </>
  );
}
