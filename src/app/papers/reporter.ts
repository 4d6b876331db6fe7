/** The page's side of the connection to the report worker. */
import { transfer, wrap } from 'comlink';

import type { Scenario } from '../../scenario/scenario.js';
import type { Plan, Reported, ReportService, SentOutcome } from './report_service.js';

export class Reporter {
  readonly #worker = new Worker(new URL('./report_worker.js', import.meta.url), { type: 'module' });
  readonly #remote = wrap<ReportService>(this.#worker);
  /** Rejects when the worker fails: its script could not be loaded, or it ran out of memory. */
  readonly #broken = new Promise<never>((_, reject) => {
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      reject(new Error(`the report worker failed: ${event.message || 'its script could not be loaded'}`));
    });
  });

  constructor() {
    // `open` and `report` pass the failure on to their callers. This handler only keeps the promise from counting as
    // an unhandled rejection.
    this.#broken.catch(() => undefined);
  }

  open(scenario: Scenario): Promise<Plan> {
    return Promise.race([this.#remote.open(scenario), this.#broken]);
  }

  /** Adds a run's outcome. The worker handles messages in order: a later `report` includes the outcome. */
  add(id: string, index: number, sent: SentOutcome): void {
    const rows = 'result' in sent ? sent.result.rows : [];
    const buffers = rows.flatMap(({ layout, values }) => [layout.buffer, values.buffer]);
    void this.#remote.add(id, index, transfer(sent, buffers)).catch(() => undefined);
  }

  report(id: string): Promise<Reported> {
    return Promise.race([this.#remote.report(id), this.#broken]);
  }

  forget(id: string): void {
    void this.#remote.forget(id).catch(() => undefined);
  }
}
