/** An experiment on the papers page: its plan, its progress and its results. */
import { computed, signal } from '@preact/signals';

import type { Listed } from '../lab/papers.js';
import type { Scenario } from '../../scenario/scenario.js';
import type { Plan, Reported } from './report_service.js';

export interface LoadedPlan extends Plan {
  scenario: Scenario;
}

/** The amount of work for a set of runs. */
export interface Work {
  runs: number;
  /** Virtual time, seconds. */
  simulatedS: number;
  /** The computing cost, relative to the cost of other runs. */
  cost: number;
}

const NO_WORK: Work = { runs: 0, simulatedS: 0, cost: 0 };

export function sumWork(all: readonly Work[]): Work {
  return all.reduce(
    (sum, { runs, simulatedS, cost }) => ({
      runs: sum.runs + runs,
      simulatedS: sum.simulatedS + simulatedS,
      cost: sum.cost + cost,
    }),
    NO_WORK,
  );
}

const workOf = ({ durationUs, cost }: Plan['runs'][number]): Work => ({
  runs: 1,
  simulatedS: durationUs / 1e6,
  cost,
});

/** Worker seconds per unit of cost, measured once over all experiments. Used until an experiment is complete. */
export const TYPICAL_SECONDS_PER_COST = 3.5e-7;

/** Worker seconds per unit of cost, measured in the experiments that are complete; null if none is. */
export function workerSeconds(experiments: readonly Experiment[]): number | null {
  const complete = experiments.filter(({ isComplete }) => isComplete.value);
  const { cost } = sumWork(complete.map(({ total }) => total.value));
  const seconds = complete.reduce((sum, { reported }) => sum + (reported.value?.report.cpu_seconds ?? 0), 0);
  return cost > 0 ? seconds / cost : null;
}

export class Experiment {
  /** Null until the experiment's file has been loaded. */
  readonly plan = signal<LoadedPlan | null>(null);
  /** Whether the experiment's runs are under way or wait for a worker. */
  readonly isRunning = signal(false);
  readonly done = signal<Work>(NO_WORK);
  /**
   * The result when the experiment last ended or was cancelled; null before that. It covers the runs that were
   * complete by then.
   */
  readonly reported = signal<Reported | null>(null);
  readonly total = computed(() => sumWork((this.plan.value?.runs ?? []).map(workOf)));
  readonly isComplete = computed(
    () => this.plan.value !== null && this.reported.value?.runs === this.total.value.runs,
  );
  /** Whether the paper published statements by which the results are judged. */
  readonly isJudged = computed(() => (this.plan.value?.published.statements.length ?? 0) > 0);
  /**
   * The result that the page shows. In some experiments, the cells are the points of one map (`surface`). An
   * incomplete map is not shown, since its highest point may still be missing.
   */
  readonly shown = computed(() =>
    this.isComplete.value || this.plan.value?.scenario.surface === undefined ? this.reported.value : null,
  );
  #ended = new Set<number>();

  constructor(readonly listed: Listed) {}

  get id(): string {
    return this.listed.id;
  }

  /**
   * The runs that have not ended, as indices into the plan. The first runs of all cells come before all
   * second runs, so that a cancelled experiment has results for as many cells as possible. Among runs with
   * the same number, costly ones come first, so that all workers end at about the same time.
   */
  left(): number[] {
    const runs = this.plan.peek()?.runs ?? [];
    return runs
      .map(({ run, cost }, index) => ({ run, cost, index }))
      .filter(({ index }) => !this.#ended.has(index))
      .sort((a, b) => a.run - b.run || b.cost - a.cost)
      .map(({ index }) => index);
  }

  ended(index: number): void {
    const run = this.plan.peek()?.runs[index];
    if (run === undefined || this.#ended.has(index)) return;
    this.#ended.add(index);
    this.done.value = sumWork([this.done.peek(), workOf(run)]);
  }

  /** Resets the experiment to its state before the first run. */
  clear(): void {
    this.#ended = new Set();
    this.done.value = NO_WORK;
    this.reported.value = null;
  }
}
