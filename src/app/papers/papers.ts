/** The actions of the papers page: it loads experiments, runs them in workers and keeps their results. */
import { computed, signal } from '@preact/signals';

import { version } from '../../../package.json';
import { reportOf } from '../../papers/experiment.js';
import { saveAs } from '../files.js';
import type { Listed } from '../lab/papers.js';
import { fetchScenario } from '../lab/registry.js';
import { tellSimulationError } from '../lab/simulation_notice.js';
import { dismiss } from '../notices.js';
import { Experiment, sumWork, TYPICAL_SECONDS_PER_COST, workerSeconds, type Work } from './experiment.js';
import { PapersPool } from './pool.js';
import { Reporter } from './reporter.js';

/** The progress of the current batch of experiments. */
export interface Progress {
  runs: number;
  of: number;
  /** The fraction of the work that is done, 0 to 1. */
  share: number;
  /** The seconds that are left; null while they cannot be estimated. */
  toGoS: number | null;
}

export class Papers {
  readonly experiments: ReadonlyMap<string, Experiment>;
  /**
   * The experiments of the batch. The batch ends when no experiment of it runs any more. Experiments that are started
   * before its end are added to the batch.
   */
  readonly #batch = signal<readonly Experiment[]>([]);
  /** How the last batch ended; empty before the first batch has ended. */
  readonly lastEnd = signal<'' | 'done' | 'partly' | 'cancelled' | 'failed'>('');
  /** How many experiments of the batch were completed, were cancelled, and failed. */
  #ended = { done: 0, cancelled: 0, failed: 0 };
  readonly progress = computed<Progress | null>(() => this.#progress());
  readonly #secondsPerCost = computed(() => workerSeconds([...this.experiments.values()]));
  readonly #aborts = new Map<Experiment, AbortController>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #pool = new PapersPool();
  readonly #reporter = new Reporter();
  /** The time at which the batch began, and the total cost of the runs that had ended before that time. */
  #began = { atMs: 0, cost: 0 };
  /** The wall-clock time of all batches that have ended, in seconds. */
  #wallS = 0;

  constructor(listed: readonly Listed[]) {
    this.experiments = new Map(listed.map((each) => [each.id, new Experiment(each)]));
  }

  /**
   * Estimates the time that the work takes in this browser. Before the first experiment is complete, the estimate is
   * that of a typical machine without other work.
   */
  estimate({ cost }: Work): { seconds: number; isMeasured: boolean } {
    const measured = this.#secondsPerCost.value;
    const seconds = (cost * (measured ?? TYPICAL_SECONDS_PER_COST)) / this.#pool.size;
    return { seconds, isMeasured: measured !== null };
  }

  /** The experiments with these ids, in the order of the ids. */
  of(ids: readonly string[]): Experiment[] {
    return ids.flatMap((id) => this.experiments.get(id) ?? []);
  }

  /**
   * Loads and plans experiments. Failures are shown as notices. A later call tries again to load an experiment that
   * could not be loaded.
   */
  async load(ids: readonly string[]): Promise<void> {
    await Promise.all(
      this.of(ids).map((experiment) => {
        const { id } = experiment;
        const loading = this.#loading.get(id) ?? this.#load(experiment);
        this.#loading.set(id, loading);
        return loading;
      }),
    );
  }

  async #load(experiment: Experiment): Promise<void> {
    const { id } = experiment;
    try {
      const { scenario } = await this.#pool.check(await fetchScenario(id));
      experiment.plan.value = { ...(await this.#reporter.open(scenario)), scenario };
      dismiss(`scenario-${id}`);
    } catch (error) {
      this.#loading.delete(id);
      tellSimulationError(error, `The experiment ${id} was not opened`, `scenario-${id}`);
    }
  }

  /**
   * Runs these experiments. An incomplete experiment continues with its missing runs; a complete experiment starts
   * again from the beginning. Quick experiments come first.
   */
  async run(ids: readonly string[]): Promise<void> {
    dismiss('run');
    const wanted = this.of(ids).filter(({ isRunning }) => !isRunning.peek());
    const started = wanted.map((experiment) => {
      const abort = new AbortController();
      experiment.isRunning.value = true;
      this.#aborts.set(experiment, abort);
      if (experiment.isComplete.peek()) {
        this.#reporter.forget(experiment.id);
        experiment.clear();
      }
      return { experiment, signal: abort.signal };
    });
    const isFirst = this.#batch.peek().length === 0;
    this.#batch.value = [...new Set([...this.#batch.peek(), ...wanted])];
    await this.load(ids);
    if (isFirst) this.#began = { atMs: performance.now(), cost: this.#work().done.cost };
    const byCost = started.sort((a, b) => a.experiment.total.peek().cost - b.experiment.total.peek().cost);
    await Promise.all(byCost.map((each) => this.#run(each.experiment, each.signal)));
  }

  async #run(experiment: Experiment, signal: AbortSignal): Promise<void> {
    try {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      });
      const runs = experiment.left().map((index) => this.#one(experiment, index, signal));
      await Promise.race([Promise.all(runs), aborted]);
      if (experiment.done.peek().runs > 0)
        experiment.reported.value = await this.#reporter.report(experiment.id);
    } catch (error) {
      tellSimulationError(error, `The run of ${experiment.id} failed`, 'run');
      this.cancel([...this.#aborts.keys()].map(({ id }) => id));
    } finally {
      this.#end(experiment);
    }
  }

  async #one(experiment: Experiment, index: number, signal: AbortSignal): Promise<void> {
    const { scenario, runs } = experiment.plan.peek() ?? {};
    const run = runs?.[index];
    if (scenario === undefined || run === undefined) return;
    const { params: cell, seed, trace } = run;
    const request = { scenario, cell, seed, ...(trace !== null && { trace }) };
    const outcome = await this.#pool.run(request, signal);
    if (outcome === null || signal.aborted) return;
    this.#reporter.add(experiment.id, index, outcome);
    experiment.ended(index);
  }

  #end(experiment: Experiment): void {
    const wasCancelled = this.#aborts.get(experiment)?.signal.aborted === true;
    const isDone = experiment.plan.peek() !== null && experiment.left().length === 0;
    this.#ended[isDone ? 'done' : wasCancelled ? 'cancelled' : 'failed'] += 1;
    this.#aborts.delete(experiment);
    experiment.isRunning.value = false;
    if (this.#aborts.size > 0) return;
    this.#batch.value = [];
    this.#wallS += (performance.now() - this.#began.atMs) / 1e3;
    const { done, cancelled, failed } = this.#ended;
    this.#ended = { done: 0, cancelled: 0, failed: 0 };
    const without = cancelled > 0 ? 'cancelled' : 'failed';
    this.lastEnd.value = cancelled + failed === 0 ? 'done' : done === 0 ? without : 'partly';
  }

  /**
   * Cancels these experiments, if they run. Their results so far are kept. If they are run again, only the missing
   * runs are simulated.
   */
  cancel(ids: readonly string[]): void {
    for (const experiment of this.of(ids)) this.#aborts.get(experiment)?.abort();
  }

  cancelAll(): void {
    this.cancel([...this.experiments.keys()]);
  }

  #work() {
    const batch = this.#batch.value;
    return {
      done: sumWork(batch.map(({ done }) => done.value)),
      total: sumWork(batch.map(({ total }) => total.value)),
    };
  }

  #progress(): Progress | null {
    if (this.#batch.value.length === 0) return null;
    const { done, total } = this.#work();
    const perCostMs = (performance.now() - this.#began.atMs) / (done.cost - this.#began.cost);
    const toGoS = (perCostMs * (total.cost - done.cost)) / 1e3;
    const share = total.cost > 0 ? done.cost / total.cost : 0;
    return { runs: done.runs, of: total.runs, share, toGoS: Number.isFinite(toGoS) ? toGoS : null };
  }

  /** Saves a report on these experiments' results so far, in the format of `ccscope reproduce --json`. */
  download(ids: readonly string[]): void {
    const shown = this.of(ids).filter((each) => each.shown.peek() !== null);
    const reported = shown.flatMap((each) => each.shown.peek() ?? []);
    const seconds = reported.reduce((sum, { report }) => sum + report.cpu_seconds, 0);
    const report = reportOf(reported, {
      ccscope: version,
      created: new Date().toISOString(),
      cpu_seconds: seconds,
      wall_seconds: this.#wallS,
      failures: reported.flatMap(({ failures }) => failures),
      complete: shown.every(({ isComplete }) => isComplete.peek()),
    });
    const blob = new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: 'application/json' });
    saveAs(blob, `ccscope-${ids.length === 1 ? ids[0] : 'papers'}.json`);
  }
}
