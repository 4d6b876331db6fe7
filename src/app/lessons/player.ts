/** Runs the choices of a lesson, and keeps what each of them gave. */
import { signal } from '@preact/signals';

import { LiveRun } from '../../runs/live_run.js';
import { traceOf } from '../../runs/run.js';
import { tellSimulationError } from '../lab/simulation_notice.js';
import { dismiss } from '../notices.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';
import type { Lesson, Tried } from './lesson.js';

export class Player {
  readonly live: LiveRun;
  /** The choice that is being simulated; null while none is. */
  readonly running = signal<string | null>(null);
  /** What the choices gave, in the order in which they were tried. */
  readonly tried = signal<readonly Tried[]>([]);
  /** Counts what was asked for; the last one counts. */
  #turn = 0;

  constructor(store: TraceStore) {
    this.live = new LiveRun(store, {
      traceOf: (options) => traceOf(options, { packets: false, inside: false }),
    });
  }

  /** Another lesson begins: what was run is gone. */
  async reset(): Promise<void> {
    this.#turn += 1;
    this.tried.value = [];
    this.running.value = null;
    await this.live.reset();
  }

  /** Simulates a choice of a lesson, instead of one that is being simulated. Tells of failures itself. */
  async play({ scenario }: Lesson, choice: string): Promise<void> {
    const turn = ++this.#turn;
    const isLatest = (): boolean => turn === this.#turn;
    this.running.value = choice;
    try {
      const { scenario: checked } = await this.live.check(scenario);
      if (!isLatest()) return;
      const run = await this.live.play({ scenario: checked, cell: { choice }, seed: 1 });
      const [whole] = run?.result?.windows ?? [];
      if (whole === undefined) return;
      dismiss('run');
      const others = this.tried.peek().filter(({ value }) => value !== choice);
      this.tried.value = [...others, { value: choice, whole }];
    } catch (error) {
      if (isLatest()) tellSimulationError(error, 'The run failed', 'run');
    } finally {
      if (isLatest()) this.running.value = null;
    }
  }
}
