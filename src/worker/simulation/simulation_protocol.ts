/** The messages between a page and its simulation worker. */
import type { ControllerFault, Density, SimulationOptions, WindowMetrics } from '../../core/index.js';
import type { CellParams, MetricResult, Scenario, TraceOptions } from '../../scenario/index.js';
import type { PackedBatches } from '../../trace/index.js';

/** A user's controller. */
export interface ControllerModule {
  /**
   * A JavaScript module whose default export is a UserController, or a WebAssembly module; `blob:` URLs are
   * allowed.
   */
  url: string;
  /** Its name in messages, and for a WebAssembly module, which contains no name. */
  name: string;
  /** The names of the scenario's media flows that it controls; default: all. */
  flows?: readonly string[];
}

/**
 * What to simulate: a cell of a scenario with a seed, or a simulation given by its options. Either may have a
 * user's controller.
 */
export type SimulationRequest = { controller?: ControllerModule } & (
  | {
      /** A scenario in the form of its file; it is checked. */
      scenario: unknown;
      /** Default: the first cell. */
      cell?: CellParams;
      /** Default: the scenario's. */
      seed?: number;
      /** Trace rows to send; by default none. */
      trace?: TraceOptions;
    }
  | { options: SimulationOptions }
);

/** A scenario that can be run. */
export interface CheckedScenario {
  scenario: Scenario;
  /** In the order of the axes' values; a single cell if there are no axes. */
  cells: CellParams[];
}

/** The progress of a run, with the rows since the last report. */
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
  /**
   * The scenario's metrics, including those with published values; empty for a run by options and for a
   * cancelled run.
   */
  metrics: readonly MetricResult[];
  /**
   * The values of the metrics, and those that claims and pictures need, by `quantityKey`; empty if the run was
   * cancelled or was given by options.
   */
  values: ReadonlyMap<string, number>;
  /**
   * The densities that LCC flows have learnt, by flow number; only of those flows whose densities the
   * scenario's pictures show.
   */
  densities: ReadonlyMap<number, Density>;
  events: number;
  /** The virtual time that was simulated: less than the whole duration if the run was cancelled. */
  timeUs: number;
  /** The wall-clock time that the run took, including pauses for other work. */
  elapsedMs: number;
  cancelled: boolean;
  /** Faults of the user's controller; its flow kept the last good rate from then on. */
  faults: readonly ControllerFault[];
}

/**
 * Why there is no result. `scenario`: the request cannot be run, `field` names the wrong value; `core`: the
 * module could not be loaded; `controller`: the user's controller could not be loaded, or had to be ended;
 * `fault`: the simulator or its worker broke down.
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
