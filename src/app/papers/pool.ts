/** Simulation workers that share the runs. */
import pLimit from 'p-limit';

import type { Scenario } from '../../scenario/scenario.js';
import type { PackedBatches } from '../../trace/index.js';
import { SimulationError, SimulationWorker } from '../../worker/simulation/simulation_client.js';
import type { CheckedScenario, SimulationRequest } from '../../worker/simulation/simulation_protocol.js';
import type { SentOutcome } from './report_service.js';

const MOST_WORKERS = 4;

export class SimulationPool {
  /** The worker also answers while it simulates. */
  readonly #first = new SimulationWorker();
  readonly #idle = [this.#first];
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(workers = Math.min(MOST_WORKERS, navigator.hardwareConcurrency)) {
    // Each worker starts with its first run.
    while (this.#idle.length < workers) this.#idle.unshift(new SimulationWorker());
    this.#limit = pLimit(this.#idle.length);
  }

  /** Checks the text of a scenario's file. Rejects with SimulationError. */
  check(text: string): Promise<CheckedScenario> {
    return this.#first.check(text);
  }

  /** Simulates one run as soon as a worker is free; null if it was aborted. Rejects if no run can succeed. */
  run(
    request: Extract<SimulationRequest, { scenario: unknown }> & { scenario: Scenario },
    signal: AbortSignal,
  ): Promise<SentOutcome | null> {
    return this.#limit(async () => {
      const worker = signal.aborted ? undefined : this.#idle.pop();
      if (worker === undefined) return null;
      try {
        return await outcomeOf(worker, request, signal);
      } finally {
        this.#idle.push(worker);
      }
    });
  }
}

async function outcomeOf(
  worker: SimulationWorker,
  request: SimulationRequest,
  signal: AbortSignal,
): Promise<SentOutcome | null> {
  const rows: PackedBatches[] = [];
  try {
    const { values, densities, elapsedMs, cancelled } = await worker.run(request, {
      signal,
      onProgress: ({ rows: more }) => {
        if (more.layout.length > 0) rows.push(more);
      },
    });
    return cancelled ? null : { result: { values, densities, rows, seconds: elapsedMs / 1e3 } };
  } catch (error) {
    // Without the core no other run succeeds either.
    if (!(error instanceof SimulationError) || error.kind === 'core') throw error;
    return { failure: { name: error.name, message: error.message } };
  }
}
