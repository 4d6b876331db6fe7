/** What the controls of the live Lab do to a scenario: each gives another scenario, and leaves the one it had. */
import { boundsOf } from '../../scenario/chosen_controller.js';
import { instantiate, type CellParams } from '../../scenario/cells.js';
import type { Scenario, ScenarioFlow, ScenarioPath } from '../../scenario/scenario.js';

export type Edit = (scenario: Scenario) => Scenario;
export type Direction = 'forward' | 'backward';
export type MediaFlow = Extract<ScenarioFlow, { kind: 'media' }>;
export type TcpFlow = Extract<ScenarioFlow, { kind: 'tcp' }>;

/** The name and the length of a network until the user measures something else. */
const FRESH_DURATION_S = 60;

/**
 * One cell of a scenario as a scenario of its own, which can be changed. Published values and the paper's
 * claims stay behind, since they are about the original; a scenario of the user's own keeps its name.
 */
export function editable(scenario: Scenario, cell: CellParams): Scenario {
  const { id, title, description, forward, backward, flows, windows, duration_s, rate_interval_ms, seed } =
    instantiate(scenario, cell);
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
    ...(seed !== undefined && { seed }),
  };
}

/** The network that a new scenario begins with: one call. */
export const FRESH_NETWORK = {
  ccscope_scenario: 1,
  id: 'my-network',
  title: 'My network',
  description: 'One call over one bottleneck.',
  duration_s: FRESH_DURATION_S,
  forward: { capacity: '2mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
  backward: { one_way_delay_ms: 25 },
  flows: [{ kind: 'media', name: 'call', preset: 'gcc' }],
} as const;

/** Removes undefined fields, so that a setting that returns to its usual value leaves the file. */
function trimmed<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}

export const pathOf = (scenario: Scenario, direction: Direction): ScenarioPath =>
  direction === 'forward'
    ? scenario.forward
    : (scenario.backward ?? { one_way_delay_ms: scenario.forward.one_way_delay_ms ?? 0 });

export const changePath =
  (direction: Direction, patch: { [K in keyof ScenarioPath]?: ScenarioPath[K] | undefined }): Edit =>
  (scenario) => ({
    ...scenario,
    [direction]: trimmed({ ...pathOf(scenario, direction), ...patch }),
  });

export const rttOf = (scenario: Scenario): number =>
  (scenario.forward.one_way_delay_ms ?? 0) + (pathOf(scenario, 'backward').one_way_delay_ms ?? 0);

/** Each way has half of the RTT. */
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
    return { ...rest, duration_s, ...(kept.length > 0 && { windows: kept }) };
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
 * Sets another controller's preset. Bounds of the rate stay; other parameters were meant for the controller
 * that was there.
 */
export const changeController =
  (name: string, preset: string): Edit =>
  (scenario) => {
    const flow = scenario.flows.find((each) => each.name === name);
    const bounds = boundsOf(flow?.kind === 'media' ? flow.parameters : {});
    const parameters = Object.keys(bounds).length > 0 ? bounds : undefined;
    return changeFlow(name, { controller: undefined, preset, parameters })(scenario);
  };

export const removeFlow =
  (name: string): Edit =>
  (scenario) => ({ ...scenario, flows: scenario.flows.filter((flow) => flow.name !== name) });

/** `call`, or `call-2` where there is one already. */
export function freeName({ flows }: Scenario, wanted: string): string {
  const taken = new Set(flows.map(({ name }) => name));
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
