/** A queue discipline and its settings. */
import { useId } from 'preact/hooks';

import {
  limitOf,
  limitsOf,
  ownValue,
  queueForm,
  queueText,
  settingsOf,
  withLimit,
  withSetting,
} from '../../../../link/queue_form.js';
import { DISCIPLINES } from '../../../../link/queue_text.js';
import { ParameterList } from '../../../ui/parameter_list.js';
import { SliderField } from './slider_field.js';

interface QueueFieldProps {
  /** As people write it: `codel:target=13ms`. */
  queue: string;
  /** `part` names what was changed. */
  onChange: (part: string, queue: string) => void;
}

/** How a limit is asked for, by the parameter's unit; and how far its slider goes. */
const LIMITS: Readonly<Record<string, { unit: string; from: number; to: number; usual: number }>> = {
  limit_ms: { unit: 'ms', from: 10, to: 2000, usual: 300 },
  limit_bytes: { unit: 'bytes', from: 3000, to: 1e6, usual: 64_000 },
  limit_packets: { unit: 'packets', from: 2, to: 2000, usual: 100 },
};

/** `pie-rfc8033`; a discipline without presets by its own name. */
const NAMES = [...DISCIPLINES.keys()];

export function QueueField({ queue, onChange }: QueueFieldProps) {
  const id = useId();
  const form = queueForm(queue);
  const { discipline, given } = form;
  const limits = limitsOf(discipline);
  const limit = limitOf(form);
  const look = limit && LIMITS[limit.spec.name];
  const others = settingsOf(discipline);
  return (
    <>
      <div class="field">
        <label for={id}>Queue discipline</label>
        <div class="pair even">
          <select
            id={id}
            name="queue"
            value={discipline}
            onChange={({ currentTarget }) => onChange('queue', queueText(queueForm(currentTarget.value)))}
          >
            {NAMES.map((name) => (
              <option key={name} value={name} selected={name === discipline}>
                {name}
              </option>
            ))}
          </select>
          {limits.length > 1 && (
            <select
              aria-label="Unit of the queue’s limit"
              value={limit?.spec.name ?? ''}
              onChange={({ currentTarget: { value } }) =>
                onChange('limit', queueText(withLimit(form, value, LIMITS[value]?.usual ?? 1)))
              }
            >
              {limits.map(({ name }) => (
                <option key={name} value={name} selected={name === limit?.spec.name}>
                  limit in {LIMITS[name]?.unit}
                </option>
              ))}
            </select>
          )}
        </div>
      </div>
      {limit && look && (
        <SliderField
          label="Queue limit"
          unit={look.unit}
          help={limit.spec.description}
          value={limit.value}
          from={look.from}
          to={look.to}
          min={limit.spec.min || 1}
          max={limit.spec.max}
          isLogarithmic
          whole={look.unit !== 'ms'}
          onChange={(value) => onChange('limit', queueText(withLimit(form, limit.spec.name, value)))}
        />
      )}
      {others.length > 0 && (
        <details>
          <summary>Settings of {discipline}</summary>
          <ParameterList
            first={others}
            others={[]}
            baseOf={(spec) => ownValue(discipline, spec)}
            given={given}
            onChange={(name, value) => onChange(`queue.${name}`, queueText(withSetting(form, name, value)))}
            onReset={() => onChange('queue', queueText(queueForm(discipline)))}
          />
        </details>
      )}
    </>
  );
}
