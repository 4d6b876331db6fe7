/** A worker of the pool. Each job is one simulated call. */
import type { CallPlan, RunReport, TwinMachine } from '../call/types.js';
import type { Outcome } from '../../papers/jobs.js';
import { runTwin } from '../twin/run.js';

/** One run of one cell. */
export interface TwinJob {
  plan: CallPlan;
  machine: TwinMachine;
  /** The cell's index in the matrix. */
  cell: number;
  run: number;
  cost: number;
}

/**
 * Never rejects: an error becomes the outcome's `failure`. The signal is never aborted, since the pool stops a
 * run by terminating the worker.
 */
export default async function run({ plan, machine, run: index }: TwinJob): Promise<Outcome<RunReport>> {
  const context = { run: index, wantTrace: false, wantHtml: false, onProgress: () => undefined };
  try {
    const { report } = await runTwin(plan, machine, { ...context, signal: new AbortController().signal });
    return { result: report };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { failure: { name, message } };
  }
}
