/** What runs in the report worker: plans experiments, keeps what their runs gave, and says what that means. */
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

/** One run of one cell: a job of `ccscope reproduce`, with the same seed. */
export type PlannedRun = Omit<Job, 'scenario'>;

export interface Plan {
  runs: PlannedRun[];
  /** The report before the first run; its verdicts mean nothing. */
  published: ExperimentReport;
}

/** What one run gave, with its trace as it crosses workers. */
export type SentOutcome =
  { result: Omit<RunValues, 'trace'> & { rows: readonly PackedBatches[] } } | { failure: RunFailure };

export interface Reported extends ExperimentOutcome {
  failures: FailureReport[];
  /** Of how many runs this is. */
  runs: number;
}

interface Kept {
  scenario: Scenario;
  jobs: readonly Job[];
  /** By the job's place in the plan. */
  ended: Map<number, Ended>;
}

export class ReportService {
  readonly #experiments = new Map<string, Kept>();

  /** Plans an experiment, of which no run has ended. */
  open(scenario: Scenario): Plan {
    const jobs = jobsOf(scenario, { pictures: true });
    this.#experiments.set(scenario.id, { scenario, jobs, ended: new Map() });
    return {
      runs: jobs.map(({ scenario: _, ...run }) => run),
      published: publishedReport(scenario, scenario.runs ?? 1),
    };
  }

  /** Takes what the run at `index` of the plan gave. */
  add(id: string, index: number, sent: SentOutcome): void {
    const { jobs, ended } = this.#of(id);
    const job = jobs[index];
    if (job === undefined) throw new RangeError(`index: expected less than ${jobs.length}, got ${index}`);
    if ('failure' in sent) {
      ended.set(index, { job, outcome: sent });
      return;
    }
    const { rows, ...values } = sent.result;
    ended.set(index, { job, outcome: { result: { ...values, trace: rows.flatMap(unpackBatches) } } });
  }

  /** What the runs that have ended say. */
  report(id: string): Reported {
    const { scenario, ended } = this.#of(id);
    // In the order of the plan, as `ccscope reproduce` has them.
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
    if (kept === undefined) throw new RangeError(`id: expected an experiment that is open, got ${id}`);
    return kept;
  }
}
