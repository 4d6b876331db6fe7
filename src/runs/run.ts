/** A run of a scenario's cell: its flows, the rows that it records, and its result. */
import type { FlowOptions, SimulationOptions, TableName } from '../core/index.js';
import { parameterValue } from '../core/parameter_value.js';
import { CONTROLLER_SPECS, controllerOfPreset, defaultPreset, type ControllerName } from '../core/schema.js';
import { queueForm } from '../link/queue_form.js';
import { FAIR_QUEUES } from '../link/words.js';
import { instantiate, type CellParams } from '../scenario/cells.js';
import { flowNumbers } from '../scenario/compile.js';
import type { TraceOptions } from '../scenario/index.js';
import type { Scenario } from '../scenario/scenario.js';
import type { ControllerModule, SimulationResult } from '../worker/simulation/simulation_protocol.js';

const TABLES: readonly TableName[] = ['group', 'nada', 'lcc', 'rate', 'queue', 'throughput'];
/**
 * The interval of periodic rows. The interval becomes longer if a table with one row for each flow would
 * otherwise have more than MOST_ROWS rows.
 */
const INTERVAL_US = 200e3;
const MOST_ROWS = 200_000;

/** A run, whether finished or not. */
export interface Run {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
  /** The user's controller, if a flow uses it. */
  controller?: ControllerModule;
  flows: readonly FlowInfo[];
  durationUs: number;
  /** Null unless the run has ended without an error. */
  result: SimulationResult | null;
}

export interface FlowInfo {
  flow: number;
  name: string;
  kind: 'media' | 'tcp';
  direction: 'forward' | 'backward';
  /** The built-in controller of a media flow. Absent if the flow has a user's controller. */
  controller?: ControllerName;
  preset?: string;
  /** The highest rate that the controller may ask for. Absent for TCP and for a user's controller. */
  maxBitrateBps?: number;
  /** When the flow starts and stops, unless it runs from the beginning to the end. */
  startUs?: number;
  stopUs?: number;
}

/** The flows and the duration of a simulation. `own` contains the numbers of the flows with the user's controller. */
export function described(
  { flows, durationUs }: SimulationOptions,
  own: ReadonlySet<number> = new Set(),
): Pick<Run, 'flows' | 'durationUs'> {
  const named = flows.map((options, flow): FlowInfo => {
    const { kind, name, direction = 'forward', startUs = 0, stopUs } = options;
    const controller = own.has(flow) ? undefined : controllerOf(options);
    return {
      flow,
      kind,
      name: name ?? `${kind} ${flow}`,
      direction,
      ...(startUs > 0 && { startUs }),
      ...(stopUs !== undefined && stopUs < durationUs && { stopUs }),
      ...(controller !== undefined && { controller, maxBitrateBps: maxBitrateOf(controller, options) }),
      ...(kind === 'media' &&
        options.preset !== undefined &&
        controller !== undefined && { preset: options.preset }),
    };
  });
  return { flows: named, durationUs };
}

function maxBitrateOf(controller: ControllerName, { preset, parameters }: FlowOptions): number {
  const component = CONTROLLER_SPECS[controller];
  const spec = component.parameters.find(({ name }) => name === 'max_bitrate_bps');
  if (spec === undefined) return Infinity;
  return parameterValue(component, spec, preset ?? defaultPreset(controller, 'simulation'), parameters);
}

/** The name of the user's controller for each flow that it controls, by the number of the flow. */
export function replacedIn({
  scenario,
  cell,
  controller,
}: Pick<Run, 'scenario' | 'cell' | 'controller'>): ReadonlyMap<number, string> {
  if (controller === undefined) return new Map();
  const flows = flowNumbers(instantiate(scenario, cell), controller.flows ?? []);
  return new Map([...flows].map((flow) => [flow, controller.name]));
}

/** Whether the bottleneck of the forward path has a queue for each flow. */
export function hasFlowQueues({ scenario, cell }: Run): boolean {
  const { queue } = instantiate(scenario, cell).forward;
  return queue !== undefined && FAIR_QUEUES.includes(queueForm(queue).discipline);
}

/** The core's controller of a flow. Undefined for TCP, and for a controller that is not part of the core. */
function controllerOf(flow: FlowOptions): ControllerName | undefined {
  if (flow.kind === 'tcp') return undefined;
  const { controller, preset } = flow;
  if (controller !== undefined) return typeof controller === 'string' ? controller : undefined;
  return preset === undefined ? 'gcc' : controllerOfPreset(preset);
}

/**
 * Rows about individual packets are recorded only if the duration in seconds times the number of flows is at most
 * this.
 */
const LOOKED_AT_FLOW_S = 2500;

/** Whether a run is short enough to record rows about individual packets. */
export const areFew = ({ flows, durationUs }: { flows: readonly unknown[]; durationUs: number }): boolean =>
  (flows.length * durationUs) / 1e6 <= LOOKED_AT_FLOW_S;

export interface Recorded {
  /** Whether to record the arrival of every packet, for a replay. */
  packets: boolean;
  /**
   * Whether to also record the tables `arrival`, `packet` and `feedback` if the run is short enough (see
   * `areFew`). The table `feedback` is also recorded if a chart of a controller needs it.
   */
  inside: boolean;
}

/** Whether a flow has a controller that reports its received rate only in the table `feedback`. */
const isFedBack = (flow: FlowOptions): boolean =>
  flow.kind === 'media' &&
  (flow.controller ?? (flow.preset === undefined ? 'gcc' : controllerOfPreset(flow.preset))) !== 'gcc';

/** The rows to record for the charts and for the drawings of packets. */
export function traceOf(
  { flows, durationUs }: SimulationOptions,
  { packets, inside }: Recorded,
): TraceOptions {
  const few = areFew({ flows, durationUs });
  const looks = inside && few;
  const tables: readonly TableName[] = [
    ...TABLES,
    ...(packets || looks ? (['arrival'] as const) : []),
    ...(looks ? (['packet'] as const) : []),
    ...(looks || (few && flows.some(isFedBack)) ? (['feedback'] as const) : []),
  ];
  const intervalUs = Math.max(INTERVAL_US, Math.ceil((durationUs * flows.length) / MOST_ROWS));
  return { tables, intervalUs };
}
