/** Translates a scenario into the options of the simulator. */
import type { OutageOptions } from '../core/link.js';
import type { FlowOptions, SimulatedLinkOptions, SimulationOptions } from '../core/simulation.js';
import { ConfigError, shown } from '../text/quantities.js';
import { forwardChange } from '../link/link_config.js';
import { parseOutage } from '../link/load_text.js';
import { parseRate, parseSchedule } from '../link/capacity_text.js';
import { checkMahimahi, mahimahiSchedule } from '../link/mahimahi.js';
import type { Scenario, ScenarioFlow, ScenarioPath } from './scenario.js';

/** The `count` flows of the simulation that one flow of the scenario describes. */
export interface FlowGroup {
  name: string;
  kind: 'media' | 'tcp';
  direction: 'forward' | 'backward';
  /** The indices of these flows in the simulation. */
  flows: readonly number[];
}

/**
 * The names of the flows of the simulation, for each flow of the scenario. The flows of a group are called `call-1`,
 * `call-2` and so on. A group leaves out a name that another flow of the scenario has.
 */
export function flowNames({ flows }: Pick<Scenario, 'flows'>): string[][] {
  const taken = new Set(flows.map(({ name }) => name));
  return flows.map(({ name, count = 1 }) => {
    if (count === 1) return [name];
    const names: string[] = [];
    for (let n = 1; names.length < count; n++) if (!taken.has(`${name}-${n}`)) names.push(`${name}-${n}`);
    return names;
  });
}

const us = (s: number): number => Math.round(s * 1e6);
const usOfMs = (ms: number): number => Math.round(ms * 1e3);

/** The flows of the simulation, grouped by the flow of the scenario that describes them. */
export function flowGroups(scenario: Scenario): FlowGroup[] {
  let next = 0;
  return scenario.flows.map(({ name, kind, direction = 'forward', count = 1 }) => ({
    name,
    kind,
    direction,
    flows: Array.from({ length: count }, () => next++),
  }));
}

/** The simulation's indices of the flows that have one of these names in the scenario. */
export const flowNumbers = (scenario: Scenario, names: readonly string[]): ReadonlySet<number> =>
  new Set(flowGroups(scenario).flatMap(({ name, flows }) => (names.includes(name) ? flows : [])));

/**
 * The number by which `capacity_per_flow` of a direction is multiplied: the number of flows in this direction, but at
 * least 1. A direction without flows needs a capacity for the feedback of the other direction's flows.
 */
export const flowsIn = (scenario: Scenario, direction: FlowGroup['direction']): number =>
  Math.max(
    1,
    flowGroups(scenario)
      .filter((group) => group.direction === direction)
      .flatMap(({ flows }) => flows).length,
  );

/**
 * The simulator's options for one run. `scenario` must be the scenario of one cell (see `instantiate`). The core
 * later checks the names of presets and parameters. Throws ConfigError.
 */
export function compile(scenario: Scenario, seed: number): SimulationOptions {
  const durationUs = us(scenario.duration_s);
  const { forward, backward, windows, rate_interval_ms } = scenario;
  const names = flowNames(scenario);
  const back = backward ?? { one_way_delay_ms: forward.one_way_delay_ms ?? 0 };
  return {
    durationUs,
    seed,
    forward: compilePath(forward, durationUs, flowsIn(scenario, 'forward'), `${scenario.id}.forward`),
    backward: compilePath(back, durationUs, flowsIn(scenario, 'backward'), `${scenario.id}.backward`),
    flows: scenario.flows.flatMap((flow, index) => compileFlow(flow, names[index] ?? [])),
    windows: (windows ?? []).map(({ name, begin_s, end_s }) => ({
      name,
      beginUs: us(begin_s),
      endUs: us(end_s),
    })),
    ...(rate_interval_ms !== undefined && { rateIntervalUs: usOfMs(rate_interval_ms) }),
  };
}

function compilePath(
  path: ScenarioPath,
  durationUs: number,
  flows: number,
  field: string,
): SimulatedLinkOptions {
  const {
    capacity,
    capacity_per_flow,
    burst_bytes,
    one_way_delay_ms,
    jitter_behind_queue,
    outage,
    ...ofLinks
  } = path;
  checkOneCapacity(path, field);
  return {
    ...forwardChange(ofLinks),
    ...(capacity !== undefined && compileCapacity(capacity, durationUs, `${field}.capacity`)),
    ...(capacity_per_flow !== undefined && { capacityBps: flows * parseRate(capacity_per_flow) }),
    ...(burst_bytes !== undefined && { burstBytes: burst_bytes }),
    ...(one_way_delay_ms !== undefined && { oneWayDelayUs: usOfMs(one_way_delay_ms) }),
    ...(jitter_behind_queue !== undefined && { jitterBehindQueue: jitter_behind_queue }),
    ...(outage !== undefined && { outages: compileOutages(outage) }),
  };
}

function compileOutages(outage: NonNullable<ScenarioPath['outage']>): OutageOptions | null {
  if (typeof outage === 'string') return parseOutage(outage);
  const { mean_on_ms, mean_off_ms, off_phases } = outage;
  return {
    meanOnUs: usOfMs(mean_on_ms),
    meanOffUs: usOfMs(mean_off_ms),
    ...(off_phases !== undefined && { offPhases: off_phases }),
  };
}

function checkOneCapacity({ capacity, capacity_per_flow }: ScenarioPath, field: string): void {
  if (capacity !== undefined && capacity_per_flow !== undefined)
    throw new ConfigError(field, 'capacity or capacity_per_flow', 'both', 'remove one of them');
}

/**
 * Throws the same ConfigErrors as `compile`, with less work: traces are not converted to schedules, which may be
 * long, and traces in `checked` are not read again. The scenario must already match its schema.
 */
export function checkPaths(scenario: Scenario, checked: Set<string>): void {
  const { id, duration_s, forward, backward } = scenario;
  for (const [name, path] of Object.entries({ forward, backward })) {
    if (path === undefined) continue;
    const field = `${id}.${name}`;
    checkOneCapacity(path, field);
    if (typeof path.capacity !== 'object') continue;
    const { mahimahi } = path.capacity;
    const key = `${duration_s} ${mahimahi}`;
    if (checked.has(key)) continue;
    checkMahimahi(inlineTrace(mahimahi, `${field}.capacity`), us(duration_s), { field: `${field}.capacity` });
    checked.add(key);
  }
}

function compileCapacity(
  capacity: NonNullable<ScenarioPath['capacity']>,
  durationUs: number,
  field: string,
): Pick<SimulatedLinkOptions, 'capacityBps' | 'schedule'> {
  const steps =
    typeof capacity === 'object'
      ? mahimahiSchedule(inlineTrace(capacity.mahimahi, field), durationUs, { field })
      : parseSchedule(capacity, { field });
  const [first, ...schedule] = steps;
  return { capacityBps: first?.capacityBps ?? 0, ...(schedule.length > 0 && { schedule }) };
}

/** Whether the text is the trace itself and not the name of a file. */
export const isInlineTrace = (text: string): boolean => /^[\d\s]+$/.test(text.replace(/#.*/g, ''));

function inlineTrace(text: string, field: string): string {
  if (isInlineTrace(text)) return text;
  const fix = 'put the lines themselves here: only a scenario that is run from a file can name a trace file';
  throw new ConfigError(`${field}.mahimahi`, 'the lines of a mahimahi trace', shown(text), fix);
}

function compileFlow(flow: ScenarioFlow, names: readonly string[]): FlowOptions[] {
  const { start_s = 0, start_step_s = 0, stop_s, direction, extra_delay_ms } = flow;
  return names.map((name, i) => ({
    name,
    ...kindOf(flow),
    startUs: us(start_s + i * start_step_s),
    ...(stop_s !== undefined && { stopUs: us(stop_s) }),
    ...(direction !== undefined && { direction }),
    ...(extra_delay_ms !== undefined && { extraDelayUs: usOfMs(extra_delay_ms) }),
  }));
}

function kindOf(flow: ScenarioFlow): FlowOptions {
  if (flow.kind === 'media') {
    const { controller, preset, parameters, source_preset: sourcePreset, source, pauses } = flow;
    return {
      kind: 'media',
      ...(controller !== undefined && { controller }),
      ...(preset !== undefined && { preset }),
      ...(parameters !== undefined && { parameters }),
      ...(sourcePreset !== undefined && { sourcePreset }),
      ...(source !== undefined && { source }),
      ...(pauses !== undefined && {
        pauses: pauses.map(({ from_s, to_s }) => ({ fromUs: us(from_s), toUs: us(to_s) })),
      }),
    };
  }
  const { congestion_control, preset, parameters, short } = flow;
  return {
    kind: 'tcp',
    ...(congestion_control !== undefined && { congestionControl: congestion_control }),
    ...(preset !== undefined && { preset }),
    ...(parameters !== undefined && { parameters }),
    ...(short !== undefined && {
      short: { minBytes: short.min_bytes, maxBytes: short.max_bytes, idleMeanUs: us(short.idle_mean_s) },
    }),
  };
}
