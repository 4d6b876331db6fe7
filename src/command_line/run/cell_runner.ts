/** Runs cells of scenarios for a command, either with the scenario's controllers or with a requested one. */
import { loadCore, type ControllerName, type TraceBatch } from '../../core/index.js';
import {
  ControllerSimulator,
  runCell,
  type CellParams,
  type Scenario,
  type TraceOptions,
} from '../../scenario/index.js';
import { ControllerRunner, type ControllerEnded } from '../controllers/runner.js';
import {
  faultReport,
  loadController,
  type ControllerFile,
  type FaultReport,
} from '../controllers/controllers.js';

/** One run of one cell. */
export interface CellTask {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
  trace: TraceOptions | null;
}

export interface CellOutcome {
  values: ReadonlyMap<string, number>;
  batches: readonly TraceBatch[];
  faults: readonly FaultReport[];
}

export interface CellRunner {
  /**
   * The name of the controller that replaces those of all media flows. Undefined if the scenario's controllers
   * run.
   */
  readonly controller: string | undefined;
  /** The faults of the user's controller, over all runs. */
  readonly faults: FaultReport[];
  /** Rejects with ConfigError, CoreError or ControllerEnded. */
  run(task: CellTask, progress: (share: number) => void): Promise<CellOutcome>;
  close(): Promise<void>;
}

/**
 * Rejects with UsageError if `controller` is neither the name nor the file of a controller, with ControllerEnded
 * if it cannot be loaded in time.
 */
export async function cellRunner(flags: {
  controller?: string;
  controllerTimeout: number;
}): Promise<CellRunner> {
  const chosen = flags.controller === undefined ? undefined : await loadController(flags.controller);
  return typeof chosen === 'object' ? userRunner(chosen, flags.controllerTimeout) : ownRunner(chosen);
}

async function ownRunner(controller: ControllerName | undefined): Promise<CellRunner> {
  const core = await loadCore();
  const simulator = controller === undefined ? core : new ControllerSimulator(core, controller);
  const run = ({ scenario, cell, seed, trace }: CellTask, progress: (share: number) => void): CellOutcome => {
    const goOn = (share: number): boolean => (progress(share), true);
    const options = { ...(trace !== null && { trace }), progress: goOn };
    return { ...runCell(simulator, scenario, cell, seed, options), faults: [] };
  };
  return {
    controller,
    faults: [],
    run: (task, progress) => Promise.resolve(run(task, progress)),
    close: () => Promise.resolve(),
  };
}

async function userRunner(file: ControllerFile, timeoutS: number): Promise<CellRunner> {
  const runner = await ControllerRunner.open(file, { timeLimitMs: timeoutS * 1e3 });
  const all: FaultReport[] = [];
  return {
    controller: runner.name,
    faults: all,
    run: async (task, progress) => {
      const { values, batches, faults } = await runner.do({ kind: 'run', ...task }, progress);
      const reports = faults.map(faultReport);
      all.push(...reports);
      return { values, batches, faults: reports };
    },
    close: () => runner.close(),
  };
}

/** The report on a controller that was terminated. */
export const endReport = ({ controller, why }: ControllerEnded): FaultReport => ({
  controller,
  message: why,
});
