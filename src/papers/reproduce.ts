/** Runs experiments and judges them: published numbers beside measured ones. */
import {
  cellKey,
  cellLabel,
  compareCells,
  instantiate,
  judge,
  judgeSurface,
  quantityKey,
  summarise,
  type CellValues,
  type Quantity,
  type Scenario,
} from '../scenario/index.js';
import type { CellResults } from '../figures/cell_results.js';
import { pictureFigures, type PictureFigures } from '../figures/pictures.js';
import { caseReports, type CaseReport } from './comparison.js';
import { jobsOf, type Job, type JobOptions, type RunOutcome, type RunValues } from './jobs.js';
import { runJobs, type PoolOptions } from './pool.js';
import {
  experimentReport,
  sumSummaries,
  type ExperimentReport,
  type FailureReport,
  type Report,
} from './report.js';
import { surfaceFigure } from './surface.js';

export interface ReproduceOptions extends JobOptions, Omit<PoolOptions, 'onDone'> {
  /** The version to name in the report. */
  version: string;
  /** Called after each run with the finished share of the work, 0 to 1. */
  onProgress?: (done: number, last: Job) => void;
}

export interface Reproduction {
  report: Report;
  /** By the id of the experiment; empty unless `pictures` was set. */
  pictures: Map<string, PictureFigures[]>;
}

interface Ended {
  job: Job;
  outcome: RunOutcome;
}

/** Runs all cells of the scenarios. Throws ConfigError for a scenario that cannot run, or the signal's reason. */
export async function reproduce(
  scenarios: readonly Scenario[],
  options: ReproduceOptions,
): Promise<Reproduction> {
  const jobs = scenarios.flatMap((scenario) => jobsOf(scenario, options));
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const outcomes = await runJobs(jobs, { ...options, ...progress(jobs, options.onProgress) });
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1e6;
  const ended = jobs.flatMap((job, i): Ended[] => {
    const outcome = outcomes[i];
    return outcome === undefined ? [] : [{ job, outcome }];
  });
  const busy = sum(ended.map(({ outcome }) => secondsOf(outcome)));
  const pictures = new Map<string, PictureFigures[]>();
  const comparison: CaseReport[] = [];
  const experiments = scenarios.map(({ id }): ExperimentReport => {
    const own = ended.filter(({ job }) => job.scenario.id === id);
    const share = sum(own.map(({ outcome }) => secondsOf(outcome))) / busy;
    const { report, cases, drawn } = experimentOf(own, busy > 0 ? cpuSeconds * share : 0);
    comparison.push(...cases);
    if (options.pictures === true) pictures.set(id, drawn);
    return report;
  });
  const report: Report = {
    experiments,
    comparison,
    summary: sumSummaries(experiments.map(({ summary }) => summary)),
    ccscope: options.version,
    created: new Date().toISOString(),
    cpu_seconds: cpuSeconds,
    wall_seconds: (performance.now() - began) / 1e3,
    failures: ended.flatMap(failureOf),
  };
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

function failureOf({ job, outcome }: Ended): FailureReport[] {
  if ('result' in outcome) return [];
  const { scenario, params, run, seed } = job;
  const { name, message } = outcome.failure;
  return [
    { experiment: scenario.id, cell: cellLabel(scenario, params), run, seed, error: `${name}: ${message}` },
  ];
}

/** The results of one experiment's runs. */
function experimentOf(
  ended: readonly Ended[],
  cpuSeconds: number,
): { report: ExperimentReport; cases: CaseReport[]; drawn: PictureFigures[] } {
  const scenario = (ended[0] as Ended).job.scenario;
  const cells = new Map<string, { job: Job; runs: RunValues[] }>();
  for (const { job, outcome } of ended) {
    const key = cellKey(job.params);
    const cell = cells.get(key) ?? { job, runs: [] };
    cells.set(key, cell);
    if ('result' in outcome) cell.runs.push(outcome.result);
  }
  const results = [...cells.values()].map(({ job, runs }) => ({ params: job.params, ...gather(runs) }));
  const measured = results.map(({ params, values }): CellValues => ({ cell: params, values }));
  const runs = Math.max(...ended.map(({ job }) => job.run)) + 1;
  const { surface } = scenario;
  if (surface !== undefined) {
    const report = experimentReport(scenario, judgeSurface(scenario, surface, measured), {
      runs,
      cpuSeconds,
    });
    const figures =
      report.surface === undefined
        ? []
        : [surfaceFigure(report.surface, `${surface.metric}: darker is higher`)];
    return { report, cases: [], drawn: [{ title: '', columns: [figures] }] };
  }
  const drawn = results.map(({ params, values, trace, densities }): CellResults => ({
    params,
    scenario: instantiate(scenario, params),
    summary: (quantity: Quantity) => summarise(values.get(quantityKey(quantity)) ?? []),
    trace,
    densities,
  }));
  return {
    report: experimentReport(scenario, judge(scenario, measured), { runs, cpuSeconds }),
    cases: caseReports(scenario, compareCells(scenario, measured), runs),
    drawn: pictureFigures(scenario, drawn),
  };
}

/** One list per quantity, in the order of the runs. */
function gather(
  runs: readonly RunValues[],
): { values: Map<string, number[]> } & Pick<RunValues, 'trace' | 'densities'> {
  const values = new Map<string, number[]>();
  for (const run of runs) {
    for (const [key, value] of run.values) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return {
    values,
    trace: runs.find(({ trace }) => trace.length > 0)?.trace ?? [],
    densities: runs[0]?.densities ?? new Map(),
  };
}
