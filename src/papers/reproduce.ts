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
 * Runs all cells of the scenarios. Throws ConfigError for a scenario that cannot run. If the signal is aborted, the
 * report covers the runs that have ended, and is not `complete`; if no run has ended, throws the signal's reason.
 */
export async function reproduce(
  scenarios: readonly Scenario[],
  options: ReproduceOptions,
): Promise<Reproduction> {
  const jobs = scenarios.flatMap((scenario) => jobsOf(scenario, options));
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const ran = await runs(jobs, options);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1e6;
  const ended = jobs.flatMap((job): Ended[] => {
    const outcome = ran.get(job);
    return outcome === undefined ? [] : [{ job, outcome }];
  });
  const busy = sum(ended.map(({ outcome }) => secondsOf(outcome)));
  const outcomes = scenarios.flatMap(({ id }) => {
    const own = ended.filter(({ job }) => job.scenario.id === id);
    if (own.length === 0) return [];
    const share = sum(own.map(({ outcome }) => secondsOf(outcome))) / busy;
    // Uses the job's scenario, since its seed may differ from the given scenario's seed.
    const { scenario } = (own[0] as Ended).job;
    const count = own.reduce((most, { job }) => Math.max(most, job.run + 1), 0);
    return [experimentOf(scenario, own, { runs: count, cpuSeconds: busy > 0 ? cpuSeconds * share : 0 })];
  });
  const report = reportOf(outcomes, {
    ccscope: options.version,
    created: new Date().toISOString(),
    cpu_seconds: cpuSeconds,
    wall_seconds: (performance.now() - began) / 1e3,
    failures: ended.flatMap(failureOf),
    complete: ended.length === jobs.length,
  });
  const pictures = new Map(
    options.pictures === true ? outcomes.map((outcome) => [outcome.report.id, outcome.pictures]) : [],
  );
  return { report, pictures };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const secondsOf = (outcome: RunOutcome): number => ('result' in outcome ? outcome.result.seconds : 0);

/** The outcomes of the jobs that ended: of all, unless the signal was aborted. */
async function runs(
  jobs: readonly Job[],
  { onProgress, ...options }: ReproduceOptions,
): Promise<ReadonlyMap<Job, RunOutcome>> {
  const all = sum(jobs.map(({ cost }) => cost));
  const ran = new Map<Job, RunOutcome>();
  let done = 0;
  const onDone = (job: Job, outcome: RunOutcome): void => {
    ran.set(job, outcome);
    done += job.cost;
    onProgress?.(done / all, job);
  };
  try {
    await runJobs(jobs, { ...options, onDone });
  } catch (error) {
    if (options.signal?.aborted !== true || ran.size === 0) throw error;
  }
  return ran;
}
