/** Runs experiments, and compares the measured numbers with the published ones. */
import type { Scenario } from '../scenario/index.js';
import type { PictureFigures } from '../figures/pictures.js';
import { experimentOf, failureOf, reportOf, type Ended } from './experiment.js';
import { jobsOf, type Job, type JobOptions, type RunOutcome } from './jobs.js';
import { runJobs, type PoolOptions } from './pool.js';
import type { Report } from './report.js';

export interface ReproduceOptions extends JobOptions, Omit<PoolOptions, 'onDone'> {
  /** The version of ccscope for the report. */
  version: string;
  /** Called after each run. `done` is the finished part of the work, from 0 to 1. */
  onProgress?: (done: number, last: Job) => void;
}

export interface Reproduction {
  report: Report;
  /** The figures of each experiment, by the experiment's id. Empty unless the option `pictures` was set. */
  pictures: Map<string, PictureFigures[]>;
}

/**
 * Runs all cells of the scenarios. Throws ConfigError for a scenario that cannot run. If the signal is aborted,
 * throws the signal's reason.
 */
export async function reproduce(
  scenarios: readonly Scenario[],
  options: ReproduceOptions,
): Promise<Reproduction> {
  const jobs = scenarios.flatMap((scenario) => jobsOf(scenario, options));
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const ran = await runJobs(jobs, { ...options, ...progress(jobs, options.onProgress) });
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1e6;
  const ended = jobs.flatMap((job, i): Ended[] => {
    const outcome = ran[i];
    return outcome === undefined ? [] : [{ job, outcome }];
  });
  const busy = sum(ended.map(({ outcome }) => secondsOf(outcome)));
  const outcomes = scenarios.map(({ id }) => {
    const own = ended.filter(({ job }) => job.scenario.id === id);
    const share = sum(own.map(({ outcome }) => secondsOf(outcome))) / busy;
    // Uses the job's scenario, since its seed may differ from the given scenario's seed.
    const { scenario } = (own[0] as Ended).job;
    const runs = own.reduce((most, { job }) => Math.max(most, job.run + 1), 0);
    return experimentOf(scenario, own, { runs, cpuSeconds: busy > 0 ? cpuSeconds * share : 0 });
  });
  const report = reportOf(outcomes, {
    ccscope: options.version,
    created: new Date().toISOString(),
    cpu_seconds: cpuSeconds,
    wall_seconds: (performance.now() - began) / 1e3,
    failures: ended.flatMap(failureOf),
  });
  const pictures = new Map(
    options.pictures === true ? outcomes.map((outcome) => [outcome.report.id, outcome.pictures]) : [],
  );
  return { report, pictures };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const secondsOf = (outcome: RunOutcome): number => ('result' in outcome ? outcome.result.seconds : 0);

function progress(
  jobs: readonly Job[],
  onProgress: ReproduceOptions['onProgress'],
): Pick<PoolOptions, 'onDone'> {
  if (onProgress === undefined) return {};
  const all = sum(jobs.map(({ cost }) => cost));
  let done = 0;
  return {
    onDone: (job) => {
      done += job.cost;
      onProgress(done / all, job);
    },
  };
}
