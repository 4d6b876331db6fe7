/** An experiment on the page: its plan, how far it is, and what it gave. */
import { computed, signal } from '@preact/signals';

import type { Listed } from '../lab/papers.js';
import type { Scenario } from '../../scenario/scenario.js';
import type { Plan, Reported } from './report_service.js';

export interface LoadedPlan extends Plan {
  scenario: Scenario;
}

/** What running an experiment takes, or has taken so far. */
export interface Work {
  runs: number;
  /** Virtual time, seconds. */
  simulatedS: number;
  /** In the unit of the jobs' costs. */
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

export class Experiment {
  /** Null until its file is there. */
  readonly plan = signal<LoadedPlan | null>(null);
  /** Its runs are under way, or wait for a worker. */
  readonly isRunning = signal(false);
  readonly done = signal<Work>(NO_WORK);
  /** What the runs say that had ended when it ended or was cancelled; null before. */
  readonly reported = signal<Reported | null>(null);
  readonly total = computed(() => sumWork((this.plan.value?.runs ?? []).map(workOf)));
  readonly isComplete = computed(
    () => this.plan.value !== null && this.reported.value?.runs === this.total.value.runs,
  );
  /** What of it is shown: a part of a map says nothing of where the map is highest. */
  readonly shown = computed(() =>
    this.isComplete.value || this.plan.value?.scenario.surface === undefined ? this.reported.value : null,
  );
  #ended = new Set<number>();

  constructor(readonly listed: Listed) {}

  get id(): string {
    return this.listed.id;
  }

  /**
   * The places in the plan of the runs that have not ended: the first run of every cell, then the second, so that what is
   * there when it is cancelled is of as many cells as possible; the costly ones first, so that the workers end together.
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

  /** As before its first run. */
  clear(): void {
    this.#ended = new Set();
    this.done.value = NO_WORK;
    this.reported.value = null;
  }
}
