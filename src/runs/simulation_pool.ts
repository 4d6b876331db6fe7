/** A pool of simulation workers for the runs of a page. Each worker starts when it is first needed. */
import pLimit from 'p-limit';

import {
  SimulationWorker,
  type RunHandlers,
  type SimulationWorkerOptions,
} from '../worker/simulation/simulation_client.js';
import type { SimulationRequest, SimulationResult } from '../worker/simulation/simulation_protocol.js';

export class SimulationPool {
  /** The worker that answers `check` and `plan`, even while it simulates. */
  readonly #first: SimulationWorker;
  readonly #workers: readonly SimulationWorker[];
  readonly #idle: SimulationWorker[];
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(most: number, options: SimulationWorkerOptions = {}) {
    this.#first = new SimulationWorker(options);
    const others = Array.from({ length: most - 1 }, () => new SimulationWorker(options));
    this.#workers = [this.#first, ...others];
    this.#idle = [...others, this.#first];
    this.#limit = pLimit(most);
  }

  /** Checks a scenario, which is an object or the text of a file. Rejects with SimulationError. */
  check(scenario: unknown): ReturnType<SimulationWorker['check']> {
    return this.#first.check(scenario);
  }

  /**
   * The simulator's options for a request; without `trace` if it requests a scenario. Rejects with
   * SimulationError.
   */
  plan(request: SimulationRequest): ReturnType<SimulationWorker['plan']> {
    return this.#first.plan(request);
  }

  /** Simulates once a worker is free. Rejects with SimulationError. */
  run(request: SimulationRequest, handlers?: RunHandlers): Promise<SimulationResult> {
    return this.use((worker) => worker.run(request, handlers));
  }

  /** Waits for a free worker, and calls `work` with it. Until `work` ends, no other call uses this worker. */
  use<T>(work: (worker: SimulationWorker) => Promise<T>): Promise<T> {
    return this.#limit(async () => {
      const worker = this.#idle.pop() ?? this.#first;
      try {
        return await work(worker);
      } finally {
        this.#idle.push(worker);
      }
    });
  }

  /** Terminates all workers. */
  close(): void {
    for (const worker of this.#workers) worker.close();
  }
}
