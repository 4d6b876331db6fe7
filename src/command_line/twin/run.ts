/** One simulated call: the twin of a call that `ccscope call` makes in a browser. */
import { setImmediate } from 'node:timers/promises';

import {
  CoreError,
  CoreFailure,
  loadCore,
  tableSpec,
  type Core,
  type SimulationOptions,
  type TraceBatch,
} from '../../core/index.js';
import { simulate } from '../../scenario/index.js';
import { formatHeader, RowFormatter, TRACE_VERSION } from '../../trace/index.js';
import type { CallPlan, FaultReport, TwinMachine } from '../call/types.js';
import type { RunContext, RunResult } from '../call/run.js';
import { ControllerRunner } from '../controllers/runner.js';
import { loadControllerFile } from '../controllers/controllers.js';
import { UsageError } from '../../text/errors.js';
import { unlessAborted } from '../interrupt.js';
import { planOptions } from './options.js';
import { twinReport, type Simulated } from './report.js';

/** Used in a twin's report in place of the browser's name. */
export const TWIN = 'twin';

let core: Promise<Core> | null = null;

/**
 * Simulates one call. The seed is the plan's seed plus the index of the run. Throws UsageError for options that
 * the simulator refuses, and FailedRun if a user's controller had to be terminated.
 */
export async function runTwin(plan: CallPlan, machine: TwinMachine, context: RunContext): Promise<RunResult> {
  const seed = plan.seed + context.run;
  const options = planOptions(plan, machine, { seed, wantTrace: context.wantTrace });
  const [file] = plan.files;
  const simulated =
    file === undefined ? await withCore(options, context) : await withFile(file.path, options, context);
  const trace = context.wantTrace ? traceText(plan, options, { machine, seed }, simulated) : null;
  return { report: twinReport(plan, simulated), browser: TWIN, trace, html: null };
}

async function withCore(options: SimulationOptions, { signal, onProgress }: RunContext): Promise<Simulated> {
  core ??= loadCore();
  const loaded = await core;
  try {
    const run = simulate(loaded, options);
    const batches: TraceBatch[] = [];
    for (;;) {
      signal.throwIfAborted();
      const step = run.next();
      if (step.done === true) return { windows: step.value.windows, batches, faults: [] };
      for (const batch of step.value.batches) batches.push(batch);
      onProgress(step.value.share);
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof CoreError) throw new UsageError(error.message);
    // After a trap in WebAssembly the core cannot be used any more. The next run loads a new core.
    if (error instanceof CoreFailure) core = null;
    throw error;
  }
}

/**
 * Simulates with a user's controller in a worker. A worker can be terminated even if the controller's code never
 * returns.
 */
async function withFile(
  path: string,
  options: SimulationOptions,
  { signal, onProgress }: RunContext,
): Promise<Simulated> {
  const runner = await ControllerRunner.open(await loadControllerFile(path));
  try {
    const result = await unlessAborted(signal, runner.do({ kind: 'simulate', options }, onProgress));
    const faults = result.faults.map(({ timeUs, ...fault }): FaultReport => ({ ...fault, time_us: timeUs }));
    return { windows: result.windows, batches: result.batches, faults };
  } finally {
    await runner.close();
  }
}

/** The trace of a run as text, in trace format v1. */
function traceText(
  plan: CallPlan,
  { flows }: SimulationOptions,
  { machine, seed }: { machine: TwinMachine; seed: number },
  { batches }: Simulated,
): string {
  const { controller, preset, link } = plan;
  const [call] = flows;
  const parameters = call?.kind === 'media' ? call.parameters : undefined;
  const header = formatHeader({
    ...{ ccscope_trace: TRACE_VERSION, source: 'simulator', clock: 'simulator' },
    ...{ controller, ...(preset !== undefined && { preset }), parameters: parameters ?? plan.set },
    ...{ twin: true, machine, seed, link },
  });
  const lines = batches.flatMap(({ table, columns, rows }) => {
    const formatter = new RowFormatter(tableSpec(table));
    return Array.from({ length: rows }, (_, row) => formatter.line(columns, row));
  });
  return `${[header, ...lines].join('\n')}\n`;
}
