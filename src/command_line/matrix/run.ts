/** Runs a matrix: real calls one after the other, or simulated calls (twins) in parallel on all cores. */
import type { RunContext } from '../call/run.js';
import { untilQuiet } from '../call/series.js';
import type { RunReport, TwinMachine } from '../call/types.js';
import type { Io } from '../io.js';
import { progress } from '../progress.js';
import { runJobs } from '../../papers/pool.js';
import { stepsOf, type Cell } from './plan.js';
import { namesOf, type FailureReport, type RunCell } from './report.js';
import type { TwinJob } from './worker.js';

export interface MatrixOptions {
  runs: number;
  signal: AbortSignal;
  io: Io;
  /** How many times a real run is repeated at most if the machine was overloaded. Default 0. */
  again?: number | undefined;
}

/**
 * `cells`: all cells; the series of a cell collects its finished runs. `failures`: the failed runs. Both grow
 * during the runs.
 */
export interface Made {
  cells: readonly RunCell[];
  failures: FailureReport[];
}

const what = ({ link, source, controller }: Cell, run: number): string =>
  `${link}, ${source}: ${controller}, run ${run + 1}`;

function failed(made: Made, cell: RunCell, run: number, error: string, io: Io): void {
  made.failures.push({ ...namesOf(cell), run: run + 1, error });
  io.stderr.write(`${what(cell, run)} failed: ${error}\n`);
}

/** Makes real calls. Rejects if the command is interrupted; `made` then contains the results so far. */
export async function makeReal(made: Made, { runs, signal, io, again }: MatrixOptions): Promise<void> {
  const steps = stepsOf(made.cells, runs);
  // Without a terminal there is no bar, and no line every ten seconds: the code below writes a line for each run.
  const bar = progress(io, steps.length, { everyMs: Infinity });
  try {
    for (const [done, { cell: index, run }] of steps.entries()) {
      const cell = made.cells[index];
      if (cell === undefined) continue;
      signal.throwIfAborted();
      bar.update(done, what(cell, run));
      if (io.stderr.isTTY !== true) io.stderr.write(`${done + 1} of ${steps.length}: ${what(cell, run)}\n`);
      const context: RunContext = {
        ...{ signal, run, wantTrace: false, wantHtml: false },
        onProgress: (share) => bar.update(done + Math.min(1, share), what(cell, run)),
      };
      const make = () => cell.series.make(context);
      try {
        const { report, browser } = await untilQuiet(make, cell.series, what(cell, run), { again, io });
        cell.series.runs.push(report);
        cell.series.browser = browser;
      } catch (error) {
        signal.throwIfAborted();
        failed(made, cell, run, error instanceof Error ? error.message : String(error), io);
      }
    }
  } finally {
    bar.clear();
  }
}

/**
 * Makes simulated calls on all cores. Rejects if the command is interrupted; `made` then contains the results so
 * far.
 */
export async function makeTwins(
  made: Made,
  machine: TwinMachine,
  { runs, signal, io }: MatrixOptions,
): Promise<void> {
  const jobs = stepsOf(made.cells, runs).flatMap(({ cell, run }): TwinJob[] => {
    const { plan } = made.cells[cell] ?? {};
    return plan === undefined ? [] : [{ plan, machine, cell, run, cost: plan.durationMs }];
  });
  const bar = progress(io, jobs.length);
  const reports = made.cells.map((): (RunReport | undefined)[] => []);
  let done = 0;
  try {
    await runJobs<TwinJob, RunReport>(jobs, {
      worker: new URL('./worker.js', import.meta.url),
      signal,
      onDone: ({ cell: index, run }, outcome) => {
        const cell = made.cells[index];
        if (cell === undefined) return;
        bar.update(++done, what(cell, run));
        if ('result' in outcome) (reports[index] ??= [])[run] = outcome.result;
        else failed(made, cell, run, outcome.failure.message, io);
      },
    });
  } finally {
    bar.clear();
    // Adds the reports in the order of their seeds, since the jobs end in any order. Failed runs have no report.
    for (const [index, { series }] of made.cells.entries())
      series.runs.push(...(reports[index] ?? []).filter((report) => report !== undefined));
  }
}
