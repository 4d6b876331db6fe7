/** What a command and the worker that runs a user's controller for it say to each other. */
import type { ControllerFault, SimulationOptions, TraceBatch, WindowMetrics } from '../../core/index.js';
import type { CellParams, Scenario, TraceOptions } from '../../scenario/index.js';
import type { GivenParameters } from '../../trace/index.js';
import type { ControllerFile } from './controllers.js';

/** What the worker is started with. */
export interface WorkerSetup {
  controller: ControllerFile;
  memoryLimitBytes: number;
}

/** One thing to do; each gets one answer. */
export type Task =
  /** One run of one cell, all media flows with the controller. */
  | { kind: 'run'; scenario: Scenario; cell: CellParams; seed: number; trace: TraceOptions | null }
  /** A simulation, all media flows with the controller. */
  | { kind: 'simulate'; options: SimulationOptions }
  /** Begins a replay. */
  | { kind: 'replay'; file: string; flow: string | undefined; parameters: GivenParameters }
  /** The next piece of the trace; null: its end. */
  | { kind: 'piece'; bytes: Uint8Array | null };

/** What came of a task. */
export interface TaskResult {
  /** Metrics of one run of a cell. */
  values: ReadonlyMap<string, number>;
  /** Metrics of a simulation. */
  windows: readonly WindowMetrics[];
  batches: TraceBatch[];
  arrivals: number;
  /** What the controller did wrong in it. */
  faults: readonly ControllerFault[];
}

/** What of an error survives the way out of a worker. */
export interface TaskProblem {
  /** Name of its class. */
  name: string;
  message: string;
}

export type WorkerMessage =
  /** The controller is loaded; `name` is its own. */
  | { kind: 'ready'; name: string }
  | { kind: 'progress'; share: number }
  | { kind: 'done'; result: TaskResult }
  | { kind: 'failed'; problem: TaskProblem };
