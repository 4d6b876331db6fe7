/** A run of a scenario's cell: its flows, the rows that it records, and its result. */
import type { FlowOptions, SimulationOptions, TableName } from '../core/index.js';
import { controllerOfPreset, type ControllerName } from '../core/schema.js';
import type { CellParams } from '../scenario/cells.js';
import type { TraceOptions } from '../scenario/index.js';
import type { Scenario } from '../scenario/scenario.js';
import type { ControllerModule, SimulationResult } from '../worker/simulation/simulation_protocol.js';

const TABLES: readonly TableName[] = ['group', 'nada', 'lcc', 'rate', 'queue', 'throughput'];
/** The interval of periodic rows; longer if a run would otherwise have too many rows. */
const INTERVAL_US = 200e3;
const MOST_ROWS = 200_000;

/** A run, finished or not. */
export interface Run {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
  /** The user's controller, if one takes part. */
  controller?: ControllerModule;
  flows: readonly FlowInfo[];
  durationUs: number;
  /** Null until the run has ended without an error. */
  result: SimulationResult | null;
}

export interface FlowInfo {
  flow: number;
  name: string;
  kind: 'media' | 'tcp';
  direction: 'forward' | 'backward';
  /** The controller of a media flow. */
  controller?: ControllerName;
  preset?: string;
}

/**
 * The flows and the duration of a simulation. `own` contains the numbers of the flows that have the user's
 * controller.
 */
export function described(
  { flows, durationUs }: SimulationOptions,
  own: ReadonlySet<number> = new Set(),
): Pick<Run, 'flows' | 'durationUs'> {
  const named = flows.map((options, flow): FlowInfo => {
    const { kind, name, direction = 'forward' } = options;
    const controller = own.has(flow) ? undefined : controllerOf(options);
    return {
      flow,
      kind,
      name: name ?? `${kind} ${flow}`,
      direction,
      ...(controller !== undefined && { controller }),
      ...(kind === 'media' &&
        options.preset !== undefined &&
        controller !== undefined && { preset: options.preset }),
    };
  });
  return { flows: named, durationUs };
}

/** Undefined for TCP, and for a controller that is not part of the core. */
function controllerOf(flow: FlowOptions): ControllerName | undefined {
  if (flow.kind === 'tcp') return undefined;
  const { controller, preset } = flow;
  if (controller !== undefined) return typeof controller === 'string' ? controller : undefined;
  return preset === undefined ? 'gcc' : controllerOfPreset(preset);
}

/**
 * The rows of single packets are recorded only if the length of the run, in seconds, multiplied by the number of its
 * flows is at most this.
 */
const LOOKED_AT_FLOW_S = 2500;

/** Whether a run is short enough for recording the rows of its single packets. */
export const areFew = ({ flows, durationUs }: { flows: readonly unknown[]; durationUs: number }): boolean =>
  (flows.length * durationUs) / 1e6 <= LOOKED_AT_FLOW_S;

export interface Recorded {
  /** Whether every packet's arrival is kept, for a replay. */
  packets: boolean;
  /** Whether the tables `packet` and `feedback` are recorded too, if the run is short enough (`areFew`). */
  inside: boolean;
}

/** The rows that charts and pictures of packets need. */
export function traceOf(
  { flows, durationUs }: SimulationOptions,
  { packets, inside }: Recorded,
): TraceOptions {
  const looks = inside && areFew({ flows, durationUs });
  const tables: readonly TableName[] = [
    ...TABLES,
    ...(packets || looks ? (['arrival'] as const) : []),
    ...(looks ? (['packet', 'feedback'] as const) : []),
  ];
  const intervalUs = Math.max(INTERVAL_US, Math.ceil((durationUs * flows.length) / MOST_ROWS));
  return { tables, intervalUs };
}
