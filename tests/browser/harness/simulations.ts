/** Runs simulations in a worker, as ccscope's pages do. */
import { traceHeader, type CellParams } from '../../../src/scenario/index.js';
import { formatTrace, TraceData, unpackBatches } from '../../../src/trace/index.js';
import { SimulationError, SimulationWorker } from '../../../src/worker/simulation/simulation_client.js';
import type { SimulationProblem } from '../../../src/worker/simulation/simulation_protocol.js';
import type { TableName } from '../../../src/core/index.js';

export interface Asked {
  scenario: unknown;
  cell: CellParams;
  seed: number;
  tables: readonly TableName[];
}

/** A run's metrics and its trace file, as text. */
export interface Simulated {
  windows: string;
  metrics: string;
  trace: string;
  reports: number;
}

export async function simulate({ scenario, cell, seed, tables }: Asked): Promise<Simulated> {
  const worker = new SimulationWorker();
  const trace = new TraceData();
  let reports = 0;
  const checked = await worker.check(scenario);
  const { windows, metrics } = await worker.run(
    { scenario, cell, seed, trace: { tables } },
    {
      onProgress: ({ rows }) => {
        reports += 1;
        for (const batch of unpackBatches(rows)) trace.append(batch);
      },
    },
  );
  worker.close();
  const header = { ccscope_trace: 1 as const, ...traceHeader(checked.scenario, cell, seed) };
  return {
    windows: JSON.stringify(windows),
    metrics: JSON.stringify(metrics),
    trace: [...formatTrace(trace, header)].join(''),
    reports,
  };
}

type Options = ConstructorParameters<typeof SimulationWorker>[0];

/**
 * Runs the scenario with a user's controller whose source text is given. Resolves with the problem that ends the run;
 * null if the run succeeds.
 */
export async function controllerFailure(
  source: string,
  scenario: unknown,
): Promise<SimulationProblem | null> {
  const worker = new SimulationWorker({ controllerTimeoutMs: 2000 });
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    await worker.run({ scenario, controller: { url, name: 'mine.js' } });
    return null;
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    const { kind, message, fix } = error;
    return { kind, message, fix };
  } finally {
    worker.close();
  }
}

/**
 * Runs the scenario twice in one SimulationWorker with these options. Resolves with the problem of each run; null for
 * a run that succeeds.
 */
export async function failures(options: Options, scenario: unknown): Promise<(SimulationProblem | null)[]> {
  const worker = new SimulationWorker(options);
  const problems: (SimulationProblem | null)[] = [];
  for (let run = 0; run < 2; run++) {
    try {
      await worker.run({ scenario });
      problems.push(null);
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error;
      const { kind, message, fix } = error;
      problems.push({ kind, message, fix });
    }
  }
  worker.close();
  return problems;
}

/** Options for a SimulationWorker whose first worker has a broken script. */
export function brokenOnce(): Options {
  let started = 0;
  const broken = URL.createObjectURL(new Blob(['throw new Error("broken script")']));
  return {
    createWorker: () =>
      started++ === 0
        ? new Worker(broken)
        : new Worker(new URL('../../../src/worker/simulation/simulation_worker.ts', import.meta.url), {
            type: 'module',
          }),
  };
}

/** Prepares a worker that fails before anything is requested. Resolves with the problem of the first run, or null. */
export async function failureAfterPrepare(scenario: unknown): Promise<string | null> {
  const { createWorker } = brokenOnce() as { createWorker: () => Worker };
  const made: Worker[] = [];
  const worker = new SimulationWorker({
    createWorker: () => {
      const next = createWorker();
      made.push(next);
      return next;
    },
  });
  worker.prepare();
  await new Promise((resolve) => made[0]?.addEventListener('error', resolve, { once: true }));
  try {
    await worker.run({ scenario });
    return made.length === 2 ? null : `${made.length} workers`;
  } catch (error) {
    return String(error);
  } finally {
    worker.close();
  }
}

/** Aborts a run that would take minutes. Resolves with its outcome and the time that it took to stop. */
export async function aborted(scenario: unknown) {
  const worker = new SimulationWorker();
  const abort = new AbortController();
  let abortedAt = 0;
  const onProgress = (): void => {
    if (abortedAt > 0) return;
    abortedAt = performance.now();
    abort.abort();
  };
  const result = await worker.run({ scenario }, { signal: abort.signal, onProgress });
  const stoppedMs = performance.now() - abortedAt;
  worker.close();
  return { cancelled: result.cancelled, timeUs: result.timeUs, stoppedMs };
}
