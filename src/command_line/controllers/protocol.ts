/** The messages between a command and the worker that runs a user's controller for it. */
import type {
  ControllerFault,
  ControllerName,
  SimulationOptions,
  TraceBatch,
  WindowMetrics,
} from '../../core/index.js';
import type { CellParams, Scenario, TraceOptions } from '../../scenario/index.js';
import type { GivenParameters } from '../../trace/index.js';
import type { ControllerFile } from './controllers.js';

/** The worker's initial data. */
export interface WorkerSetup {
  /** At least one. Tasks other than `run` use the first. */
  controllers: readonly ControllerFile[];
  memoryLimitBytes: number;
}

/** A task for the worker, which answers each task once. */
export type Task =
  /**
   * Runs one cell of a scenario once. A number in `assigned` is the index of one of the worker's controllers.
   */
  | {
      kind: 'run';
      scenario: Scenario;
      cell: CellParams;
      seed: number;
      trace: TraceOptions | null;
      assigned: readonly { flow?: string; controller: ControllerName | number }[];
    }
  /** Runs a simulation. All media flows use the worker's first controller. */
  | { kind: 'simulate'; options: SimulationOptions }
  /** Starts a replay. */
  | { kind: 'replay'; file: string; flow: string | undefined; parameters: GivenParameters }
  /** The next piece of the trace; null: the end of the trace. */
  | { kind: 'piece'; bytes: Uint8Array | null };

/** The result of a task. */
export interface TaskResult {
  /** The measured values of a run of a cell, by `quantityKey`. */
  values: ReadonlyMap<string, number>;
  /** The metrics of a simulation. */
  windows: readonly WindowMetrics[];
  batches: TraceBatch[];
  arrivals: number;
  /** Faults of the controller during the task; for a piece of a trace, all faults since the replay began. */
  faults: readonly ControllerFault[];
}

/** The parts of an error that the worker sends to the command. */
export interface TaskProblem {
  /** The name of the error's class. */
  name: string;
  message: string;
}

export type WorkerMessage =
  /** Sent once the controllers are loaded, with their own names. */
  | { kind: 'ready'; names: readonly string[] }
  | { kind: 'progress'; share: number }
  | { kind: 'done'; result: TaskResult }
  | { kind: 'failed'; problem: TaskProblem };
