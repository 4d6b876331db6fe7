/**
 * The edits that the Lab's controls make. Each edit returns a changed copy and leaves the given scenario unchanged.
 */
import { parseRate, parseSchedule } from '../../link/capacity_text.js';
import { flowNames, flowsIn } from '../../scenario/compile.js';
import { boundsOf } from '../../scenario/chosen_controller.js';
import { instantiate, type CellParams } from '../../scenario/cells.js';
import type { Scenario, ScenarioFlow, ScenarioPath } from '../../scenario/scenario.js';

export type Edit = (scenario: Scenario) => Scenario;
export type Direction = 'forward' | 'backward';
export type MediaFlow = Extract<ScenarioFlow, { kind: 'media' }>;
export type TcpFlow = Extract<ScenarioFlow, { kind: 'tcp' }>;

/** The simulated time of a new network, until the user changes it. */
const FRESH_DURATION_S = 60;

/**
 * Turns one cell of a scenario (one combination of its axes' values) into a separate scenario that can be changed.
 * The published values and the paper's claims are left out, since they belong to the original. The copy keeps the
 * original's name, except if the original is from a paper.
 */
export function editable(scenario: Scenario, cell: CellParams): Scenario {
  const {
    id,
    title,
    description,
    forward,
    backward,
    flows,
    windows,
    duration_s,
    rate_interval_ms,
    runs,
    seed,
  } = instantiate(scenario, cell);
  const where = Object.keys(cell).length > 0 ? ` (${Object.values(cell).join(', ')})` : '';
  const names =
    scenario.paper === undefined
      ? { id, title, description }
      : {
          id: `${id}-changed`,
          title: `${title}, changed`,
          description: `Began as ${id}${where}. ${description}`,
        };
  return {
    ...{ ccscope_scenario: 1, ...names, duration_s, forward, flows },
    ...(backward !== undefined && { backward }),
    ...(windows !== undefined && { windows }),
    ...(rate_interval_ms !== undefined && { rate_interval_ms }),
    ...(runs !== undefined && { runs }),
    ...(seed !== undefined && { seed }),
  };
}

/** The scenario of a new network, which contains one call. */
export const FRESH_NETWORK = {
  ccscope_scenario: 1,
  id: 'my-network',
  title: 'My network',
  description: 'A network of your own.',
  duration_s: FRESH_DURATION_S,
  forward: { capacity: '2mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
  backward: { one_way_delay_ms: 25 },
  flows: [{ kind: 'media', name: 'call', preset: 'gcc' }],
} as const;
/** The new network as the text of a scenario file. */
export const FRESH_NETWORK_TEXT = JSON.stringify(FRESH_NETWORK);

/** Removes undefined fields. A setting that has returned to its default is therefore not written to the file. */
function trimmed<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}

export const pathOf = (scenario: Scenario, direction: Direction): ScenarioPath =>
  direction === 'forward'
    ? scenario.forward
    : (scenario.backward ?? { one_way_delay_ms: scenario.forward.one_way_delay_ms ?? 0 });

/** A path's first capacity above 0; null if the path has no bottleneck, or if its capacity is a recording. */
export function firstCapacityBps(scenario: Scenario, direction: Direction): number | null {
  const { capacity, capacity_per_flow: perFlow } = pathOf(scenario, direction);
  if (perFlow !== undefined) return parseRate(perFlow) * flowsIn(scenario, direction);
  if (capacity === undefined || typeof capacity === 'object') return null;
  return parseSchedule(capacity, { outage: true }).find((step) => step.capacityBps > 0)?.capacityBps ?? null;
}

export const changePath =
  (direction: Direction, patch: { [K in keyof ScenarioPath]?: ScenarioPath[K] | undefined }): Edit =>
  (scenario) => ({
    ...scenario,
    [direction]: trimmed({ ...pathOf(scenario, direction), ...patch }),
  });

export const rttOf = (scenario: Scenario): number =>
  (scenario.forward.one_way_delay_ms ?? 0) + (pathOf(scenario, 'backward').one_way_delay_ms ?? 0);

/** Sets the RTT. Each direction gets half of the RTT as its one-way delay. */
export const changeRtt =
  (rttMs: number): Edit =>
  (scenario) =>
    (['forward', 'backward'] as const).reduce(
      (changed, direction) => changePath(direction, { one_way_delay_ms: rttMs / 2 })(changed),
      scenario,
    );

export const changeDuration =
  (duration_s: number): Edit =>
  (scenario) => {
    const { windows, ...rest } = scenario;
    const kept = windows?.filter(({ end_s }) => end_s <= duration_s) ?? [];
    const flows = scenario.flows.map((flow) => {
      const { stop_s = 0, ...lasting } = flow;
      return stop_s > duration_s ? lasting : flow;
    });
    return { ...rest, flows, duration_s, ...(kept.length > 0 && { windows: kept }) };
  };

export const changeFlow =
  (name: string, patch: Partial<Record<keyof MediaFlow | keyof TcpFlow, unknown>>): Edit =>
  (scenario) => ({
    ...scenario,
    flows: scenario.flows.map((flow) =>
      flow.name === name ? (trimmed({ ...flow, ...patch }) as ScenarioFlow) : flow,
    ),
  });

/**
 * Gives a flow the preset of another controller. The start bitrate and the bitrate limits are kept. Other parameters
 * are dropped, since they were meant for the previous controller.
 */
export const changeController =
  (name: string, preset: string): Edit =>
  (scenario) => {
    const flow = scenario.flows.find((each) => each.name === name);
    const bounds = boundsOf(flow?.kind === 'media' ? flow.parameters : {});
    const parameters = Object.keys(bounds).length > 0 ? bounds : undefined;
    return changeFlow(name, { controller: undefined, preset, parameters, own_controller: undefined })(
      scenario,
    );
  };

/**
 * A call for the user's own controller. It has the bitrate bounds and the video source of the network's first call, so
 * that both calls start alike. On a page without the controller's file, the call runs with `preset` instead.
 */
export function ownCall({ flows }: Scenario, file: string): MediaFlow {
  const first = flows.find((flow) => flow.kind === 'media');
  const bounds = boundsOf(first?.parameters);
  return trimmed({
    kind: 'media',
    name: 'own',
    preset: 'gcc',
    own_controller: file,
    parameters: Object.keys(bounds).length > 0 ? bounds : undefined,
    source_preset: first?.source_preset,
    source: first?.source,
  });
}

/** Changes the file name in all flows that are to run with a user's own controller (`own_controller`). */
export const changeOwnController =
  (file: string): Edit =>
  (scenario) => ({
    ...scenario,
    flows: scenario.flows.map((flow) =>
      flow.kind === 'media' && flow.own_controller !== undefined ? { ...flow, own_controller: file } : flow,
    ),
  });

export const removeFlow =
  (name: string): Edit =>
  (scenario) => ({ ...scenario, flows: scenario.flows.filter((flow) => flow.name !== name) });

/**
 * A name that no flow has yet: `wanted` or, if that name is taken, a name such as `call-2`. The names of the flows of a
 * group are taken, too, so that these flows keep their names.
 */
export function freeName(scenario: Scenario, wanted: string): string {
  const taken = new Set([...scenario.flows.map(({ name }) => name), ...flowNames(scenario).flat()]);
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.has(name)) return name;
  }
}

/** Adds a flow under a name that is free. */
export const addFlow =
  (flow: ScenarioFlow): Edit =>
  (scenario) => ({
    ...scenario,
    flows: [...scenario.flows, { ...flow, name: freeName(scenario, flow.name) }],
  });
