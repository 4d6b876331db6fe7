/** Runs cells of scenarios for a command, either with the scenario's controllers or with requested ones. */
import { setImmediate as events } from 'node:timers/promises';

import { loadCore, type ControllerName, type TraceBatch } from '../../core/index.js';
import { assignedFlows, placedIn } from '../../scenario/chosen_controller.js';
import {
  ControllerSimulator,
  instantiate,
  simulateCell,
  type CellParams,
  type Scenario,
  type TraceOptions,
} from '../../scenario/index.js';
import { ControllerRunner, type ControllerEnded } from '../controllers/runner.js';
import { unlessAborted } from '../interrupt.js';
import {
  faultReport,
  type ControllerFile,
  type FaultReport,
  type RequestedController,
} from '../controllers/controllers.js';

/** One run of one cell. */
export interface CellTask {
  scenario: Scenario;
  cell: CellParams;
  seed: number;
  trace: TraceOptions | null;
  /** Ends the run when aborted; `run` then rejects with the signal's reason. */
  signal: AbortSignal;
}

export interface CellOutcome {
  values: ReadonlyMap<string, number>;
  batches: readonly TraceBatch[];
  faults: readonly FaultReport[];
}

/** A controller that replaces a scenario's own controllers, as in the JSON output. */
export interface UsedController {
  name: string;
  /** The flow that it controls. If absent, it controls all media flows that no other requested controller names. */
  flow?: string;
  /** For a user's controller: the path of its file, and the SHA-256 hash of the file. */
  file?: string;
  sha256?: string;
}

export interface CellRunner {
  /** Empty if the scenario's own controllers run. */
  readonly controllers: readonly UsedController[];
  /** The faults of the users' controllers, over all runs. */
  readonly faults: FaultReport[];
  /**
   * Throws ConfigError or CoreError. If a user's controller runs, rejects with UsageError or FailedRun
   * instead; if that controller was terminated, the error is a ControllerEnded.
   */
  run(task: CellTask, progress: (share: number) => void): Promise<CellOutcome>;
  close(): Promise<void>;
}

/** The names of the controllers that replace the scenario's own in a cell, by flow number. */
export function replacedIn(
  controllers: readonly UsedController[],
  scenario: Scenario,
  cell: CellParams,
): ReadonlyMap<number, string> {
  const flows = assignedFlows(instantiate(scenario, cell), controllers);
  return new Map([...flows].map(([flow, index]) => [flow, controllers[index]?.name ?? '']));
}

/**
 * Rejects with UsageError if a file is not a controller, and with ControllerEnded if loading the files takes
 * longer than `timeoutS`. Later, `run` rejects with ControllerEnded if a controller makes no progress for
 * `timeoutS`.
 */
export async function cellRunner(
  requested: readonly RequestedController[],
  timeoutS: number,
): Promise<CellRunner> {
  const files = requested.flatMap(({ controller }) => (typeof controller === 'object' ? [controller] : []));
  return files.length > 0 ? userRunner(requested, files, timeoutS) : ownRunner(requested);
}

/** After this time a simulation lets the process handle its events. */
const LONGEST_WORK_MS = 50;

async function ownRunner(requested: readonly RequestedController[]): Promise<CellRunner> {
  const core = await loadCore();
  const assigned = requested.map(({ controller, ...rest }) => ({
    ...rest,
    controller: controller as ControllerName,
  }));
  const run = async (
    { scenario, cell, seed, trace, signal }: CellTask,
    progress: (share: number) => void,
  ): Promise<CellOutcome> => {
    const simulator = new ControllerSimulator(core, placedIn(instantiate(scenario, cell), assigned));
    const simulated = simulateCell(simulator, scenario, cell, seed, trace ?? undefined);
    const batches: TraceBatch[] = [];
    let workedSince = performance.now();
    for (let goOn = true; ;) {
      const step = simulated.next(goOn);
      if (step.done === true) {
        signal.throwIfAborted();
        return { values: step.value.values, batches, faults: [] };
      }
      for (const batch of step.value.batches) batches.push(batch);
      if (performance.now() - workedSince < LONGEST_WORK_MS) continue;
      progress(step.value.share);
      // Without this pause, the process would not notice a signal such as Ctrl-C before the end of the run.
      await events();
      workedSince = performance.now();
      goOn = !signal.aborted;
    }
  };
  return {
    controllers: assigned.map(({ controller, ...rest }) => ({ name: controller, ...rest })),
    faults: [],
    run,
    close: () => Promise.resolve(),
  };
}

async function userRunner(
  requested: readonly RequestedController[],
  files: readonly ControllerFile[],
  timeoutS: number,
): Promise<CellRunner> {
  const runner = await ControllerRunner.open(files, { timeLimitMs: timeoutS * 1e3 });
  const all: FaultReport[] = [];
  const assigned = requested.map(({ controller, ...rest }) => ({
    ...rest,
    controller: typeof controller === 'object' ? files.indexOf(controller) : controller,
  }));
  return {
    controllers: requested.map(({ controller, ...rest }): UsedController => {
      if (typeof controller === 'string') return { name: controller, ...rest };
      const { path, sha256 } = controller;
      return {
        name: runner.names[files.indexOf(controller)] ?? controller.name,
        ...rest,
        file: path,
        sha256,
      };
    }),
    faults: all,
    run: async ({ signal, ...task }, progress) => {
      const done = runner.do({ kind: 'run', ...task, assigned }, progress);
      const { values, batches, faults } = await unlessAborted(signal, done);
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
