/** Runs the choices of a lesson and keeps their results. */
import { signal } from '@preact/signals';

import { LiveRun } from '../../runs/live_run.js';
import { traceOf } from '../../runs/run.js';
import { tellSimulationError } from '../lab/simulation_notice.js';
import { dismiss } from '../notices.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import type { Lesson, Tried } from './lesson.js';

export class Player {
  readonly live: LiveRun;
  /** The choice that is being simulated; null if no simulation runs. */
  readonly running = signal<string | null>(null);
  /** The results of the choices, in the order in which they were tried. */
  readonly tried = signal<readonly Tried[]>([]);
  /** Counts requests; only the latest one is carried out. */
  #turn = 0;

  constructor(store: TraceStore) {
    this.live = new LiveRun(store, {
      traceOf: (options) => traceOf(options, { packets: false, inside: false }),
    });
  }

  /** Drops the results, since another lesson begins. */
  reset(): void {
    this.#turn += 1;
    this.tried.value = [];
    this.running.value = null;
    this.live.reset();
  }

  /**
   * Simulates a choice of a lesson, and cancels any simulation that is still running. Failures are shown as notices.
   */
  async play({ scenario }: Lesson, choice: string): Promise<void> {
    const turn = ++this.#turn;
    const isLatest = (): boolean => turn === this.#turn;
    this.running.value = choice;
    try {
      const { scenario: checked } = await this.live.check(scenario);
      if (!isLatest()) return;
      const run = await this.live.play({ scenario: checked, cell: { choice }, seed: 1 });
      const measured = run?.result?.windows.at(-1);
      if (measured === undefined) return;
      dismiss('run');
      const others = this.tried.peek().filter(({ value }) => value !== choice);
      this.tried.value = [...others, { value: choice, measured }];
    } catch (error) {
      if (isLatest()) tellSimulationError(error, 'The run failed', 'run');
    } finally {
      if (isLatest()) this.running.value = null;
    }
  }
}
