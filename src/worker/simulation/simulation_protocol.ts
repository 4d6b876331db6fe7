/** What a page and its simulation worker say to each other. */
import type { ControllerFault, Density, SimulationOptions, WindowMetrics } from '../../core/index.js';
import type { CellParams, MetricResult, Scenario, TraceOptions } from '../../scenario/index.js';
import type { PackedBatches } from '../../trace/index.js';

/** A user's controller, which all media flows get. */
export interface ControllerModule {
  /** A JavaScript module whose default export is a UserController, or a WebAssembly module; `blob:` too. */
  url: string;
  /** For messages, and of a WebAssembly module, which names nothing itself. */
  name: string;
}

/** A cell of a scenario with a seed, or a simulation by its options; with a controller of the user's, if one is given. */
export type SimulationRequest = { controller?: ControllerModule } & (
  | {
      /** A scenario as its file has it; it is checked. */
      scenario: unknown;
      /** Default: the first cell. */
      cell?: CellParams;
      /** Default: the scenario's. */
      seed?: number;
      /** Trace rows to send; none when left out. */
      trace?: TraceOptions;
    }
  | { options: SimulationOptions }
);

/** A scenario that can be run. */
export interface CheckedScenario {
  scenario: Scenario;
  /** In the order of the axes' values; one without axes. */
  cells: CellParams[];
}

/** How far a run is, with the rows since the last time. */
export interface SimulationProgress {
  timeUs: number;
  /** 0 to 1. */
  share: number;
  /** See `unpackBatches`. */
  rows: PackedBatches;
}

export interface SimulationResult {
  /** The whole run first, then the windows. */
  windows: WindowMetrics[];
  /** What the scenario wants measured, beside what was published; empty for a run by options or a cancelled one. */
  metrics: readonly MetricResult[];
  /** The same numbers, and those that claims and pictures need, by `quantityKey`; empty where `metrics` is. */
  values: ReadonlyMap<string, number>;
  /** What the flows have learnt whose densities the scenario's pictures show, by their numbers. */
  densities: ReadonlyMap<number, Density>;
  events: number;
  /** Virtual time that was simulated: less than all when it was cancelled. */
  timeUs: number;
  /** Wall-clock time it took, pauses for other work included. */
  elapsedMs: number;
  cancelled: boolean;
  /** What the user's controller did wrong; its flow kept the last good rate from then on. */
  faults: readonly ControllerFault[];
}

/**
 * Why there is no result. `scenario`: what was asked for cannot be run, `field` says where;
 * `core`: the module could not be loaded; `controller`: the user's could not, or had to be ended; `fault`: the simulator or its worker broke down.
 */
export interface SimulationProblem {
  kind: 'scenario' | 'core' | 'controller' | 'fault';
  message: string;
  field?: string;
  expected?: string;
  got?: string;
  /** One line: what to do. */
  fix: string;
}

/** Errors cross the worker boundary as data: structured clones of errors lose their fields. */
export type Answer<T> = { ok: true; result: T } | { ok: false; problem: SimulationProblem };
