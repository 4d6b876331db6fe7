/** Makes several runs of calls. The controllers take turns, so that all of them run under the same conditions. */
import { extname } from 'node:path';

import { loadText } from '../../machine/index.js';
import { fileOutput, inTurn, type Io } from '../io.js';
import { progress } from '../progress.js';
import type { RunContext, RunResult } from './run.js';
import { ratios, summarise } from './summary.js';
import type { CallReport, ControllerReport, RunReport } from './types.js';

/** The runs of one controller so far, and the function that makes the next run. */
export interface Series {
  head: Omit<ControllerReport, 'browser' | 'runs' | 'set_aside' | 'overloaded_runs' | 'summary'>;
  browser: string;
  runs: RunReport[];
  /** The reports of runs that were repeated because the machine was overloaded. */
  setAside: RunReport[];
  make(context: RunContext): Promise<RunResult>;
}

export interface SeriesOptions {
  /** The number of runs of each controller. */
  runs: number;
  /**
   * Output files. If there are several calls, each file's name also contains the controller and the number of the
   * run.
   */
  trace?: string | undefined;
  html?: string | undefined;
  /** How many times a run is repeated at most if the machine was overloaded. Default 0. */
  again?: number | undefined;
  signal: AbortSignal;
  io: Io;
}

/** Makes all calls, and adds each result to its series. Throws FailedRun. */
export async function makeCalls(calls: readonly Series[], options: SeriesOptions): Promise<void> {
  const total = calls.length * options.runs;
  const bar = progress(options.io, total);
  try {
    for (let made = 0; made < total; made++) {
      const own = calls[made % calls.length];
      if (own === undefined) break;
      const run = own.runs.length + 1;
      const what = `${own.head.controller}, run ${run}`;
      bar.update(made, what);
      const make = (): Promise<RunResult> =>
        own.make({
          signal: options.signal,
          run: own.runs.length,
          onProgress: (share) => bar.update(made + Math.min(1, share), what),
          wantTrace: options.trace !== undefined,
          wantHtml: options.html !== undefined,
        });
      const result = await untilQuiet(make, own, what, options);
      own.runs.push(result.report);
      own.browser = result.browser;
      const fileOf = (file: string): string =>
        total === 1 ? file : nameForRun(file, own.head.controller, run);
      await inTurn([
        () => keep(options.trace, fileOf, result.trace),
        () => keep(options.html, fileOf, result.html),
      ]);
    }
  } finally {
    bar.clear();
  }
}

/**
 * Makes a run. If the machine was overloaded, stores the report in `setAside` and repeats the run, at most
 * `again` times.
 */
export async function untilQuiet(
  make: () => Promise<RunResult>,
  own: Series,
  what: string,
  { again = 0, io }: Pick<SeriesOptions, 'again' | 'io'>,
): Promise<RunResult> {
  for (let repeated = 0; ; repeated++) {
    const result = await make();
    const { machine } = result.report;
    if (!machine.overloaded || repeated === again) return result;
    own.setAside.push(result.report);
    own.browser = result.browser;
    io.stderr.write(
      `${what}: the machine was ${loadText(machine)}; the run is made again (${repeated + 1} of ${again})\n`,
    );
  }
}

/** The name of an output file of one of several runs: the controller and the number stand before the extension. */
function nameForRun(file: string, controller: string, run: number): string {
  const ending = extname(file);
  return `${file.slice(0, file.length - ending.length)}.${controller}-${run}${ending}`;
}

/** The names of an output file for all runs of these controllers. */
export function filesOfRuns(file: string, controllers: readonly string[], runs: number): string[] {
  if (controllers.length * runs === 1) return [file];
  return controllers.flatMap((controller) =>
    Array.from({ length: runs }, (_, i) => nameForRun(file, controller, i + 1)),
  );
}

/** Writes an output file of a run. Does nothing if the file was not requested. */
async function keep(
  file: string | undefined,
  fileOf: (file: string) => string,
  text: string | null,
): Promise<void> {
  if (file === undefined || text === null) return;
  const output = fileOutput(fileOf(file));
  output.write(text);
  await output.end();
}

/** Whether there is something to report. A run that was set aside counts, even if none was completed in its place. */
export const isStarted = ({ runs, setAside }: Series): boolean => runs.length + setAside.length > 0;

/** The report of one controller over all its runs. */
export function controllerReport({ head, browser, runs, setAside }: Series): ControllerReport {
  const overloaded_runs = runs.filter(({ machine }) => machine.overloaded).length;
  return { ...head, browser, runs, set_aside: setAside, overloaded_runs, summary: summarise(runs) };
}

/**
 * The first controller's report, which contains the reports of the other controllers. A controller whose only runs
 * were set aside has a report, too. Null if no run was completed.
 */
export function reportOf(calls: readonly Series[]): CallReport | null {
  const [first, ...others] = calls.filter(isStarted).map(controllerReport);
  const [second] = others;
  if (first === undefined) return null;
  if (second === undefined) return first;
  const compared = Object.fromEntries(others.map((other) => [other.controller, other]));
  return { ...first, comparison: { ...compared, ratios: ratios(first.runs, second.runs) } };
}
