/** Runs simulations on all cores. The results do not depend on the number of workers. */
import { availableParallelism } from 'node:os';

import { Tinypool } from 'tinypool';

import type { Job, Outcome, RunFailure, RunValues } from './jobs.js';

/** A job of any kind. `cost` is its estimated run time relative to other jobs, in any unit. */
export interface Costly {
  cost: number;
}

export interface PoolOptions<J extends Costly = Job, R = RunValues> {
  /** The number of workers. Default: the number of the machine's cores. */
  threads?: number;
  /** Stops all work when aborted; `runJobs` then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called for each finished job, in the order in which the jobs finish. */
  onDone?: (job: J, outcome: Outcome<R>) => void;
  /**
   * A module whose default export takes a job and returns an outcome. Default: worker.ts, which runs cells.
   */
  worker?: URL;
}

const failed = (error: unknown): { failure: RunFailure } => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { failure: { name, message } };
};

/**
 * Makes a job fail if its thread exits without an error; Tinypool would wait for such a job forever. Must be
 * called whenever the pool may have created threads.
 */
function watchThreads(pool: Tinypool, watched: WeakSet<object>, isOpen: () => boolean): void {
  for (const thread of pool.threads.filter((each) => !watched.has(each))) {
    watched.add(thread);
    let failed = false;
    thread.on('error', () => (failed = true));
    thread.on('exit', (code) => {
      if (isOpen() && !failed)
        thread.emit('error', new Error(`the thread of this run ended with exit code ${String(code)}`));
    });
  }
}

/**
 * Runs all jobs, the most expensive ones first, so that all cores finish at about the same time. The outcomes
 * have the order of the jobs. The outcome of a failed job is its failure; the other jobs continue.
 */
export async function runJobs<J extends Costly = Job, R = RunValues>(
  jobs: readonly J[],
  options: PoolOptions<J, R> = {},
): Promise<Outcome<R>[]> {
  const { threads = availableParallelism(), signal, onDone } = options;
  signal?.throwIfAborted();
  if (jobs.length === 0) return [];
  const workers = Math.min(threads, jobs.length);
  const pool = new Tinypool({
    filename: (options.worker ?? new URL('./worker.js', import.meta.url)).href,
    runtime: 'worker_threads',
    minThreads: workers,
    maxThreads: workers,
    // Lets workers keep their compiled core from one job to the next.
    isolateWorkers: false,
  });
  // Ignores errors of threads that have no job: the pool replaces these threads.
  pool.on('error', () => undefined);
  const watched = new WeakSet<object>();
  let isOpen = true;
  const watch = (): void => watchThreads(pool, watched, () => isOpen);
  const outcomes: Outcome<R>[] = [];
  const one = async ({ job, index }: { job: J; index: number }): Promise<void> => {
    const outcome = await (pool.run(job) as Promise<Outcome<R>>).catch(failed);
    // Stopping the pool makes unfinished jobs fail. These failures are not outcomes, so this throws the signal's
    // reason.
    signal?.throwIfAborted();
    watch();
    outcomes[index] = outcome;
    onDone?.(job, outcome);
  };
  const order = jobs.map((job, index) => ({ job, index })).sort((a, b) => b.job.cost - a.job.cost);
  const close = (): Promise<void> => {
    isOpen = false;
    return pool.destroy();
  };
  const stop = (): void => void close();
  signal?.addEventListener('abort', stop, { once: true });
  watch();
  try {
    const ends = await Promise.allSettled(order.map(one));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    signal?.removeEventListener('abort', stop);
    await close();
  }
  return outcomes;
}
