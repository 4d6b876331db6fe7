/** Runs the choices of a lesson, and keeps what each of them gave. */
import { signal } from '@preact/signals';

import { described, traceOf, type Run } from '../lab/run.js';
import type { Runs } from '../lab/run_scope.js';
import { tellSimulationError } from '../lab/simulation_notice.js';
import { dismiss } from '../notices.js';
import { SimulationWorker } from '../../worker/simulation/simulation_client.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import type { Lesson, Tried } from './lesson.js';

export class Player implements Runs {
  /** What is drawn; null before the first run of a lesson. */
  readonly run = signal<Run | null>(null);
  /** The choice that is being simulated; null while none is. */
  readonly running = signal<string | null>(null);
  /** What the choices gave, in the order in which they were tried. */
  readonly tried = signal<readonly Tried[]>([]);
  onRows: Runs['onRows'] = () => undefined;
  newestUs = 0;
  readonly #worker = new SimulationWorker();
  #abort: AbortController | null = null;
  /** Resolves when the worker is free again. */
  #ended: Promise<void> = Promise.resolve();
  /** Counts what was asked for; the last one counts. */
  #turn = 0;

  constructor(readonly store: TraceStore) {}

  get durationUs(): number {
    return this.run.peek()?.durationUs ?? 0;
  }

  /** Another lesson begins: what was run is gone. */
  async reset(): Promise<void> {
    this.#turn += 1;
    this.#abort?.abort();
    this.tried.value = [];
    this.run.value = null;
    this.running.value = null;
    this.newestUs = 0;
    await this.store.clear();
  }

  /** Simulates a choice of a lesson, instead of one that is being simulated. Tells of failures itself. */
  async play({ scenario }: Lesson, choice: string): Promise<void> {
    const turn = ++this.#turn;
    const isLatest = (): boolean => turn === this.#turn;
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.running.value = choice;
    await this.#ended;
    if (!isLatest()) return;
    let free = (): void => undefined;
    this.#ended = new Promise((resolve) => (free = resolve));
    try {
      const { scenario: checked } = await this.#worker.check(scenario);
      const request = { scenario: checked, cell: { choice }, seed: 1 };
      const options = await this.#worker.plan(request);
      if (!isLatest()) return;
      await this.store.clear();
      this.newestUs = 0;
      const run: Run = { ...request, ...described(options), result: null };
      this.run.value = run;
      this.onRows('all');
      const result = await this.#worker.run(
        { ...request, trace: traceOf(options, false) },
        {
          signal: abort.signal,
          onProgress: ({ rows, timeUs }) => {
            if (!isLatest()) return;
            this.store.appendPacked(rows);
            this.newestUs = timeUs;
            this.onRows('more');
          },
        },
      );
      if (!isLatest()) return;
      dismiss('run');
      this.run.value = { ...run, result };
      this.onRows('all');
      const [whole] = result.windows;
      if (whole === undefined) return;
      const others = this.tried.peek().filter(({ value }) => value !== choice);
      this.tried.value = [...others, { value: choice, whole }];
    } catch (error) {
      if (isLatest()) tellSimulationError(error, 'The run failed', 'run');
    } finally {
      free();
      if (isLatest()) this.running.value = null;
    }
  }
}
