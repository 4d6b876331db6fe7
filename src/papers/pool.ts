/** Runs simulations on all cores. The results do not depend on the number of workers. */
import { availableParallelism } from 'node:os';

import { Tinypool } from 'tinypool';

import type { Job, Outcome, RunFailure, RunValues } from './jobs.js';

/** A job of any kind: `cost` is how long it takes relative to other jobs; the unit does not matter. */
export interface Costly {
  cost: number;
}

export interface PoolOptions<J extends Costly = Job, R = RunValues> {
  /** Number of workers; default: the machine's cores. */
  threads?: number;
  /** Ends all work; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called with each finished job, in the order in which jobs finish. */
  onDone?: (job: J, outcome: Outcome<R>) => void;
  /** A module whose default export takes a job and returns an outcome; default: runs of cells. */
  worker?: URL;
}

const failed = (error: unknown): { failure: RunFailure } => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { failure: { name, message } };
};

/**
 * Makes a job fail if its thread ends without an error. Tinypool would wait for such a job forever. To be called
 * whenever the pool may have created threads.
 */
function watchThreads(pool: Tinypool, watched: WeakSet<object>, isOpen: () => boolean): void {
  for (const thread of pool.threads.filter((each) => !watched.has(each))) {
    watched.add(thread);
    let failed = false;
    thread.on('error', () => (failed = true));
    thread.on('exit', (code) => {
      if (isOpen() && !failed) thread.emit('error', new Error(`its thread ended with code ${String(code)}`));
    });
  }
}

/**
 * Runs all jobs. The costly jobs run first, so that all cores finish at about the same time. The outcomes are in the
 * order of the jobs. If a job fails, its failure is its outcome, and the other jobs continue.
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
    // Workers keep their compiled core from one job to the next.
    isolateWorkers: false,
  });
  // Ignores the failure of a thread that has no job: the pool replaces it.
  pool.on('error', () => undefined);
  const watched = new WeakSet<object>();
  let isOpen = true;
  const watch = (): void => watchThreads(pool, watched, () => isOpen);
  const outcomes: Outcome<R>[] = [];
  const one = async ({ job, index }: { job: J; index: number }): Promise<void> => {
    const outcome = await (pool.run(job) as Promise<Outcome<R>>).catch(failed);
    // When the pool is stopped, its unfinished jobs fail. These failures are not outcomes, so the signal's reason is
    // thrown.
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
