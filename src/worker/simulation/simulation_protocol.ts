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
  /**
   * The controller's name in messages. A WebAssembly module contains no name, so this name is also given to the
   * module.
   */
  name: string;
  /** The media flows that use this controller, by their names in the scenario. Default: all media flows. */
  flows?: readonly string[];
}

/**
 * What to simulate: either a cell of a scenario (one combination of its parameter values) with a seed, or a
 * simulation given directly by its options. Both can include a user's controller.
 */
export type SimulationRequest = { controller?: ControllerModule } & (
  | {
      /** A scenario: an object with the contents of its file. The worker checks the scenario. */
      scenario: unknown;
      /** Default: the first cell. */
      cell?: CellParams;
      /** Default: the first seed of the scenario. */
      seed?: number;
      /** Which trace rows the progress reports contain. Default: none. */
      trace?: TraceOptions;
    }
  | { options: SimulationOptions }
);

/** A scenario that can be run. */
export interface CheckedScenario {
  scenario: Scenario;
  /**
   * All cells, in the order of the values of the axes (the varied parameters). Without axes, there is a single
   * cell.
   */
  cells: CellParams[];
}

/** The progress of a run, with the rows since the last report. */
export interface SimulationProgress {
  timeUs: number;
  /** 0 to 1. */
  share: number;
  /** The wall-clock time since the simulation began, measured in the worker. */
  elapsedMs: number;
  /** See `unpackBatches`. */
  rows: PackedBatches;
}

export interface SimulationResult {
  /** The first element is for the whole run; the others are for the windows. */
  windows: WindowMetrics[];
  /**
   * The metrics of the scenario, including those that have published values for comparison. Empty if the run
   * was cancelled, or if the request contained options instead of a scenario.
   */
  metrics: readonly MetricResult[];
  /**
   * Computed values by `quantityKey`: the metrics, and the quantities that the scenario's `claims` and
   * `pictures` use. Empty in the same cases as `metrics`.
   */
  values: ReadonlyMap<string, number>;
  /**
   * The probability densities that LCC controllers have learnt, by flow number. Contains only flows whose
   * density appears in the scenario's `pictures`.
   */
  densities: ReadonlyMap<number, Density>;
  events: number;
  /** The virtual time that was simulated: less than the whole duration if the run was cancelled. */
  timeUs: number;
  /** The wall-clock time that the run took, including pauses for other work. */
  elapsedMs: number;
  cancelled: boolean;
  /** Faults of the user's controller. After a fault, its flow kept the last good rate. */
  faults: readonly ControllerFault[];
}

/**
 * Why there is no result. The kinds are:
 * - `scenario`: the request cannot be run; `field` is the path of the invalid value.
 * - `core`: the module of the core could not be loaded.
 * - `controller`: the user's controller could not be loaded, or had to be ended.
 * - `fault`: the simulator or its worker broke down.
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
