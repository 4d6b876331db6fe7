/**
 * The numeric settings of a network that can be swept. A sweep moves one setting through a range and leaves
 * everything else unchanged.
 */
import { CONTROLLER_SPECS, controllerOfPreset, type ParameterSpec } from '../../../core/schema.js';
import { parameterValue } from '../../../core/parameter_value.js';
import { parseRate, parseSchedule, scaledSchedule } from '../../../link/capacity_text.js';
import { LINK_FIELDS } from '../../../link/fields.js';
import {
  limitOf,
  ownValue,
  queueForm,
  queueText,
  settingsOf,
  withLimit,
  withSetting,
  type QueueForm,
} from '../../../link/queue_form.js';
import { QUEUE_NAMES, QUEUE_SETTING_NAMES } from '../../../link/words.js';
import type { Scenario } from '../../../scenario/scenario.js';
import { BITRATE_PARAMETERS } from '../../parameter_order.js';
import { presetOf } from '../controller_choice.js';
import { changeFlow, changePath, changeRtt, rttOf, type Edit, type MediaFlow } from '../edits.js';

export interface Sweepable {
  id: string;
  /** The group in a menu: the network, its queue, or the controller of a flow. */
  group: string;
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

/** Most default ranges go from the current value divided by SPAN to the current value times SPAN. */
const SPAN = 4;
const around = (value: number): Pick<Sweepable, 'from' | 'to'> => ({ from: value / SPAN, to: value * SPAN });
const plain = { isLogarithmic: false, whole: false };
const ratios = { isLogarithmic: true, whole: false };

function ofPath(scenario: Scenario): Sweepable[] {
  const { forward } = scenario;
  const { capacity, loss_ratio = 0, jitter_ms = 0 } = forward;
  const group = 'Network';
  const rtt = rttOf(scenario);
  const found: Sweepable[] = [];
  if (typeof capacity === 'string' || typeof capacity === 'number') {
    const steps = parseSchedule(capacity);
    const now = (steps[0]?.capacityBps ?? 0) / 1e6;
    const label = steps.length > 1 ? 'Capacity at first, later steps in proportion' : 'Capacity';
    const edit = (value: number): Edit =>
      changePath('forward', { capacity: scaledSchedule(capacity, value * 1e6) });
    found.push({ id: 'capacity', group, label, unit: 'Mbps', now, ...around(now), ...ratios, edit });
  } else if (forward.capacity_per_flow !== undefined) {
    const now = parseRate(forward.capacity_per_flow) / 1e6;
    const edit = (value: number): Edit => changePath('forward', { capacity_per_flow: `${value}mbps` });
    found.push({
      id: 'capacity',
      group,
      label: 'Capacity per flow',
      unit: 'Mbps',
      now,
      ...around(now),
      ...ratios,
      edit,
    });
  }
  found.push(
    { id: 'rtt', group, label: 'RTT', unit: 'ms', now: rtt, from: 10, to: 400, ...ratios, edit: changeRtt },
    {
      ...{
        id: 'loss',
        group,
        label: 'Random loss',
        unit: '%',
        now: loss_ratio * 100,
        from: 0,
        to: 10,
        ...plain,
      },
      edit: (value) => changePath('forward', { loss_ratio: Number((value / 100).toPrecision(12)) }),
    },
    {
      ...{ id: 'jitter', group, label: 'Jitter', unit: 'ms', now: jitter_ms, from: 0, to: 30, ...plain },
      edit: (jitter) => changePath('forward', { jitter_ms: jitter }),
    },
  );
  return found;
}

/** Sweeps a parameter around its current value or, if that is not positive, over the low end of its range. */
function ofParameter(
  spec: ParameterSpec,
  now: number,
): Pick<Sweepable, 'unit' | 'now' | 'from' | 'to' | 'isLogarithmic' | 'whole'> {
  const wide = now > 0 ? around(now) : { from: spec.min, to: Math.min(spec.max, spec.min + 10) };
  const from = Math.max(spec.min, wide.from);
  return {
    unit: spec.unit,
    now,
    from,
    to: Math.min(spec.max, wide.to),
    isLogarithmic: now > 0 && from > 0,
    whole: spec.whole === true,
  };
}

/** The queue's limit and, for active queue management, its time parameters. */
function ofQueue({ forward: { capacity, capacity_per_flow: perFlow, queue } }: Scenario): Sweepable[] {
  if (capacity === undefined && perFlow === undefined) return [];
  const form = queueForm(queue ?? LINK_FIELDS.queue.usual);
  const limit = limitOf(form);
  const group = `Queue, ${QUEUE_NAMES[form.discipline] ?? form.discipline}`;
  const changed = (next: QueueForm): Edit => changePath('forward', { queue: queueText(next) });
  const limits = limit === null ? [] : [limit];
  const times = settingsOf(form.discipline).filter(
    ({ unit, values }) => unit === 'ms' && values === undefined,
  );
  return [
    ...limits.map(({ spec, value }) => ({
      id: 'queue',
      group,
      label: 'Queue limit',
      unit: spec.unit,
      now: value,
      ...around(value),
      ...ratios,
      whole: spec.unit !== 'ms',
      edit: (next: number) => changed(withLimit(form, spec.name, next)),
    })),
    ...times.map((spec) => ({
      id: `queue.${spec.name}`,
      group,
      label: QUEUE_SETTING_NAMES[spec.name] ?? spec.name,
      ...ofParameter(spec, form.given[spec.name] ?? ownValue(form.discipline, spec)),
      edit: (next: number) => changed(withSetting(form, spec.name, next)),
    })),
  ];
}

function ofController(flow: MediaFlow): Sweepable[] {
  const name = presetOf(flow);
  const controller = controllerOfPreset(name) ?? 'gcc';
  const component = CONTROLLER_SPECS[controller];
  return component.parameters
    .filter((spec) => spec.values === undefined && !BITRATE_PARAMETERS.includes(spec.name))
    .map((spec) => {
      const now = parameterValue(component, spec, name, flow.parameters);
      return {
        id: `${flow.name}.${spec.name}`,
        group: `Controller of ${flow.name}`,
        label: spec.name,
        ...ofParameter(spec, now),
        edit: (value) => changeFlow(flow.name, { parameters: { ...flow.parameters, [spec.name]: value } }),
      };
    });
}

/** All settings of a network that can be swept. */
export const sweepables = (scenario: Scenario): Sweepable[] => [
  ...ofPath(scenario),
  ...ofQueue(scenario),
  ...scenario.flows.flatMap((flow) => (flow.kind === 'media' ? ofController(flow) : [])),
];

/** The number of values of a sweep, before equal values are merged. */
export const SWEEP_STEPS = 9;

/** Rounds a value as sweeps do: to a whole number if `whole`, else to three significant digits. */
export const sweptValue = (value: number, { whole }: Pick<Sweepable, 'whole'>): number =>
  whole ? Math.round(value) : Number(value.toPrecision(3));

/** The distinct values of a sweep, in steps of equal size or equal ratio. */
export function sweepValues({ from, to, isLogarithmic, whole }: Omit<Sweepable, 'edit'>): number[] {
  const values = Array.from({ length: SWEEP_STEPS }, (_, step) => {
    const share = step / (SWEEP_STEPS - 1);
    const exact = isLogarithmic && from > 0 ? from * (to / from) ** share : from + (to - from) * share;
    return sweptValue(exact, { whole });
  });
  return [...new Set(values)];
}
