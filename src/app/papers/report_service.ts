/** The service in the report worker: it plans experiments, keeps the results of their runs, and judges them. */
import {
  experimentOf,
  failureOf,
  publishedReport,
  type Ended,
  type ExperimentOutcome,
} from '../../papers/experiment.js';
import { jobsOf, type Job, type RunFailure, type RunValues } from '../../papers/jobs.js';
import type { ExperimentReport, FailureReport } from '../../papers/report.js';
import type { Scenario } from '../../scenario/index.js';
import { unpackBatches, type PackedBatches } from '../../trace/index.js';

/** One run of one cell. It is the same job, with the same seed, as in `ccscope reproduce`. */
export type PlannedRun = Omit<Job, 'scenario'>;

export interface Plan {
  runs: PlannedRun[];
  /** A report without any run. It contains the published numbers; its verdicts have no meaning. */
  published: ExperimentReport;
}

/** The result of one run. Its trace is packed into buffers, which are cheap to transfer between workers. */
export type SentOutcome =
  { result: Omit<RunValues, 'trace'> & { rows: readonly PackedBatches[] } } | { failure: RunFailure };

export interface Reported extends ExperimentOutcome {
  failures: FailureReport[];
  /** The number of runs that the result covers. */
  runs: number;
}

interface Kept {
  scenario: Scenario;
  jobs: readonly Job[];
  /** The results, by the index of the job in the plan. */
  ended: Map<number, Ended>;
}

export class ReportService {
  readonly #experiments = new Map<string, Kept>();

  /** Plans an experiment, and forgets the results of an earlier plan. */
  open(scenario: Scenario): Plan {
    const jobs = jobsOf(scenario, { pictures: true });
    this.#experiments.set(scenario.id, { scenario, jobs, ended: new Map() });
    return {
      runs: jobs.map(({ scenario: _, ...run }) => run),
      published: publishedReport(scenario, scenario.runs ?? 1),
    };
  }

  /** Adds the result of the run at `index` of the plan. */
  add(id: string, index: number, sent: SentOutcome): void {
    const { jobs, ended } = this.#of(id);
    const job = jobs[index];
    if (job === undefined)
      throw new RangeError(`index: expected a number below ${jobs.length}, got ${index}`);
    if ('failure' in sent) {
      ended.set(index, { job, outcome: sent });
      return;
    }
    const { rows, ...values } = sent.result;
    ended.set(index, { job, outcome: { result: { ...values, trace: rows.flatMap(unpackBatches) } } });
  }

  /** The result of the runs that have ended. */
  report(id: string): Reported {
    const { scenario, ended } = this.#of(id);
    // The results are in the order of the plan, as in `ccscope reproduce`.
    const inOrder = [...ended].sort(([a], [b]) => a - b).map(([, each]) => each);
    const cpuSeconds = inOrder.reduce(
      (sum, { outcome }) => sum + ('result' in outcome ? outcome.result.seconds : 0),
      0,
    );
    const outcome = experimentOf(scenario, inOrder, { runs: scenario.runs ?? 1, cpuSeconds });
    return { ...outcome, failures: inOrder.flatMap(failureOf), runs: inOrder.length };
  }

  /** Forgets all runs of an experiment. */
  forget(id: string): void {
    this.#of(id).ended.clear();
  }

  #of(id: string): Kept {
    const kept = this.#experiments.get(id);
    if (kept === undefined) throw new RangeError(`id: expected the id of an open experiment, got ${id}`);
    return kept;
  }
}
