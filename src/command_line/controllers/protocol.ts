/** The messages between a command and the worker that runs a user's controller for it. */
import type { ControllerFault, SimulationOptions, TraceBatch, WindowMetrics } from '../../core/index.js';
import type { CellParams, Scenario, TraceOptions } from '../../scenario/index.js';
import type { GivenParameters } from '../../trace/index.js';
import type { ControllerFile } from './controllers.js';

/** The worker's initial data. */
export interface WorkerSetup {
  controller: ControllerFile;
  memoryLimitBytes: number;
}

/** A task; each gets one answer. */
export type Task =
  /** One run of one cell. All media flows use the worker's controller. */
  | { kind: 'run'; scenario: Scenario; cell: CellParams; seed: number; trace: TraceOptions | null }
  /** A simulation. All media flows use the worker's controller. */
  | { kind: 'simulate'; options: SimulationOptions }
  /** Starts a replay. */
  | { kind: 'replay'; file: string; flow: string | undefined; parameters: GivenParameters }
  /** The next piece of the trace; null: its end. */
  | { kind: 'piece'; bytes: Uint8Array | null };

/** The result of a task. */
export interface TaskResult {
  /** Metrics of one run of a cell. */
  values: ReadonlyMap<string, number>;
  /** Metrics of a simulation. */
  windows: readonly WindowMetrics[];
  batches: TraceBatch[];
  arrivals: number;
  /** Faults of the controller during the task; for a piece of a trace, all faults since the replay began. */
  faults: readonly ControllerFault[];
}

/** The parts of an error that the worker sends to the command. */
export interface TaskProblem {
  /** Name of its class. */
  name: string;
  message: string;
}

export type WorkerMessage =
  /** The controller is loaded; `name` is the name that it gives itself. */
  | { kind: 'ready'; name: string }
  | { kind: 'progress'; share: number }
  | { kind: 'done'; result: TaskResult }
  | { kind: 'failed'; problem: TaskProblem };
