/**
 * The numeric settings of a network that can be swept. A sweep moves one setting through a range and leaves
 * everything else unchanged.
 */
import { CONTROLLER_SPECS, controllerOfPreset, presetValue } from '../../../core/schema.js';
import { parseRate, parseSchedule, scaledSchedule } from '../../../link/capacity_text.js';
import { limitOf, queueForm, queueText, withLimit } from '../../../link/queue_form.js';
import type { Scenario } from '../../../scenario/scenario.js';
import { BITRATE_PARAMETERS } from '../../parameter_order.js';
import { presetOf } from '../controller_choice.js';
import { changeFlow, changePath, changeRtt, rttOf, type Edit, type MediaFlow } from '../edits.js';

export interface Sweepable {
  id: string;
  label: string;
  unit: string;
  now: number;
  /** The default range of a sweep. */
  from: number;
  to: number;
  isLogarithmic: boolean;
  whole: boolean;
  edit: (value: number) => Edit;
}

/** The default range goes from the current value divided by SPAN to the current value times SPAN. */
const SPAN = 4;
const around = (value: number): Pick<Sweepable, 'from' | 'to'> => ({ from: value / SPAN, to: value * SPAN });
const plain = { isLogarithmic: false, whole: false };
const ratios = { isLogarithmic: true, whole: false };

function ofPath(scenario: Scenario): Sweepable[] {
  const { forward } = scenario;
  const { capacity, queue, loss_ratio = 0, jitter_ms = 0 } = forward;
  const rtt = rttOf(scenario);
  const found: Sweepable[] = [];
  if (typeof capacity === 'string' || typeof capacity === 'number') {
    const now = (parseSchedule(capacity)[0]?.capacityBps ?? 0) / 1e6;
    const edit = (value: number): Edit =>
      changePath('forward', { capacity: scaledSchedule(capacity, value * 1e6) });
    found.push({ id: 'capacity', label: 'Capacity', unit: 'Mbps', now, ...around(now), ...ratios, edit });
  } else if (forward.capacity_per_flow !== undefined) {
    const now = parseRate(forward.capacity_per_flow) / 1e6;
    const edit = (value: number): Edit => changePath('forward', { capacity_per_flow: `${value}mbps` });
    found.push({
      id: 'capacity',
      label: 'Capacity per flow',
      unit: 'Mbps',
      now,
      ...around(now),
      ...ratios,
      edit,
    });
  }
  const form = queueForm(queue ?? 'droptail:300ms');
  const limit = limitOf(form);
  if (limit !== null) {
    const { spec, value: now } = limit;
    const edit = (value: number): Edit =>
      changePath('forward', { queue: queueText(withLimit(form, spec.name, value)) });
    const whole = spec.unit !== 'ms';
    found.push({
      id: 'queue',
      label: 'Queue limit',
      unit: spec.unit,
      now,
      ...around(now),
      ...ratios,
      whole,
      edit,
    });
  }
  found.push(
    { id: 'rtt', label: 'RTT', unit: 'ms', now: rtt, from: 10, to: 400, ...ratios, edit: changeRtt },
    {
      ...{ id: 'loss', label: 'Random loss', unit: '%', now: loss_ratio * 100, from: 0, to: 10, ...plain },
      edit: (value) => changePath('forward', { loss_ratio: Number((value / 100).toPrecision(12)) }),
    },
    {
      ...{ id: 'jitter', label: 'Jitter', unit: 'ms', now: jitter_ms, from: 0, to: 30, ...plain },
      edit: (jitter) => changePath('forward', { jitter_ms: jitter }),
    },
  );
  return found;
}

function ofController(flow: MediaFlow): Sweepable[] {
  const name = presetOf(flow);
  const controller = controllerOfPreset(name) ?? 'gcc';
  const { parameters, presets } = CONTROLLER_SPECS[controller];
  const preset = presets.find((each) => each.name === name);
  return parameters
    .filter((spec) => spec.values === undefined && !BITRATE_PARAMETERS.includes(spec.name))
    .map((spec) => {
      const base = preset ? presetValue(preset, spec) : spec.default;
      const now = flow.parameters?.[spec.name] ?? base;
      const wide = now > 0 ? around(now) : { from: spec.min, to: Math.min(spec.max, spec.min + 10) };
      return {
        id: `${flow.name}.${spec.name}`,
        label: `${spec.name} of ${flow.name}`,
        unit: spec.unit,
        now,
        from: Math.max(spec.min, wide.from),
        to: Math.min(spec.max, wide.to),
        isLogarithmic: now > 0 && Math.max(spec.min, wide.from) > 0,
        whole: spec.whole === true,
        edit: (value) => changeFlow(flow.name, { parameters: { ...flow.parameters, [spec.name]: value } }),
      };
    });
}

/** All settings of a network that can be swept. */
export const sweepables = (scenario: Scenario): Sweepable[] => [
  ...ofPath(scenario),
  ...scenario.flows.flatMap((flow) => (flow.kind === 'media' ? ofController(flow) : [])),
];

/** The number of values of a sweep. */
export const SWEEP_STEPS = 9;

/** The distinct values of a sweep, in steps of equal size or equal ratio. */
export function sweepValues({ from, to, isLogarithmic, whole }: Omit<Sweepable, 'edit'>): number[] {
  const values = Array.from({ length: SWEEP_STEPS }, (_, step) => {
    const share = step / (SWEEP_STEPS - 1);
    const exact = isLogarithmic && from > 0 ? from * (to / from) ** share : from + (to - from) * share;
    return whole ? Math.round(exact) : Number(exact.toPrecision(3));
  });
  return [...new Set(values)];
}
