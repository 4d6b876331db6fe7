/** The capacity of a bottleneck: a slider, the schedule as text, and a curve for drawing the schedule by hand. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import {
  mostFirstBps,
  parseRate,
  parseSchedule,
  scaledSchedule,
  scheduleText,
} from '../../../../link/capacity_text.js';
import { ConfigError } from '../../../../text/quantities.js';
import type { ScenarioPath } from '../../../../scenario/scenario.js';
import { CapacityCurve } from './capacity_curve.js';
import { NumberInput } from '../../../ui/number_input.js';

type Capacity = Pick<ScenarioPath, 'capacity' | 'capacity_per_flow'>;

interface CapacityFieldProps {
  path: Capacity;
  durationS: number;
  /** `part` is the name of the control that the user changed. */
  onChange: (part: string, capacity: { [K in keyof Capacity]: Capacity[K] | undefined }) => void;
}

const USUAL = '2mbps';
/** The slider's range, Mbps. */
const [FROM, TO] = [0.05, 50];
/** The smallest rate that the field accepts, Mbps. */
const LEAST = 0.001;

const mbps = (bps: number): number => Number((bps / 1e6).toPrecision(6));

/** The largest rate of a schedule's first step, rounded down to kbit/s. */
const mostMbps = (schedule: string | number): number =>
  Math.max(LEAST, Math.floor(mostFirstBps(schedule) / 1e3) / 1e3);

export function CapacityField({ path, durationS, onChange }: CapacityFieldProps) {
  const { capacity, capacity_per_flow: perFlow } = path;
  const set = (part: string, text: string): void =>
    onChange(part, { capacity: text, capacity_per_flow: undefined });
  if (perFlow !== undefined)
    return (
      <NumberInput
        label="Capacity per flow"
        unit="Mbps"
        help="The bottleneck carries this times the number of flows in its direction"
        value={mbps(parseRate(perFlow))}
        min={FROM}
        max={TO}
        range={[LEAST, 100_000]}
        isLogarithmic
        onTake={(value) => onChange('capacity', { capacity: undefined, capacity_per_flow: `${value}mbps` })}
      />
    );
  if (capacity === undefined || typeof capacity === 'object')
    return (
      <p class="row">
        {capacity === undefined ? 'No bottleneck.' : 'The capacity is that of a recorded trace.'}{' '}
        <button type="button" onClick={() => set('capacity', USUAL)}>
          {capacity === undefined ? 'Add one' : 'Draw it by hand'}
        </button>
      </p>
    );
  const steps = parseSchedule(capacity, { outage: true });
  return (
    <>
      <NumberInput
        label={steps.length > 1 ? 'Capacity at first' : 'Capacity'}
        unit="Mbps"
        help="What the bottleneck can carry; the slider moves all steps of a schedule in proportion"
        value={mbps(steps[0]?.capacityBps ?? 0)}
        min={FROM}
        max={TO}
        range={[LEAST, mostMbps(capacity)]}
        isLogarithmic
        onTake={(value) => set('capacity', scaledSchedule(capacity, value * 1e6))}
      />
      <CapacityCurve
        steps={steps}
        durationS={durationS}
        onChange={(changed) => set('curve', scheduleText(changed))}
      />
      <ScheduleField text={String(capacity)} onChange={(text) => set('schedule', text)} />
    </>
  );
}

function ScheduleField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const id = useId();
  const problem = useSignal('');
  const take = (next: string): void => {
    try {
      parseSchedule(next);
      problem.value = '';
      if (next !== text) onChange(next);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problem.value = `Expected ${error.expected}: ${error.fix}.`;
    }
  };
  return (
    <div class="field">
      <label for={id}>Capacity over time</label>
      <input
        id={id}
        name="capacity"
        key={text}
        defaultValue={text}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem.value !== ''}
        aria-describedby={`${id}-help`}
        onChange={({ currentTarget }) => take(currentTarget.value.trim())}
      />
      <small id={`${id}-help`} class={problem.value ? 'problem' : 'hint'} aria-live="polite">
        {problem.value || 'such as 1.5mbps,0.6mbps@20s,1.5mbps@40s; 0@50s is an outage'}
      </small>
    </div>
  );
}
