/** Spreads the simulation runs of the papers page over several workers. */
import { SimulationPool } from '../../runs/simulation_pool.js';
import type { Scenario } from '../../scenario/scenario.js';
import type { PackedBatches } from '../../trace/index.js';
import { SimulationError, type SimulationWorker } from '../../worker/simulation/simulation_client.js';
import type { CheckedScenario, SimulationRequest } from '../../worker/simulation/simulation_protocol.js';
import type { SentOutcome } from './report_service.js';

const MOST_WORKERS = 4;

export class PapersPool {
  /** The number of workers. */
  readonly size = Math.min(MOST_WORKERS, navigator.hardwareConcurrency);
  readonly #pool = new SimulationPool(this.size);

  /** Checks the text of a scenario's file. Rejects with SimulationError. */
  check(text: string): Promise<CheckedScenario> {
    return this.#pool.check(text);
  }

  /**
   * Simulates one run as soon as a worker is free. Resolves to null if the run was aborted, and to a failure if only
   * this run failed. Rejects if no other run can succeed either.
   */
  run(
    request: Extract<SimulationRequest, { scenario: unknown }> & { scenario: Scenario },
    signal: AbortSignal,
  ): Promise<SentOutcome | null> {
    return this.#pool.use(async (worker) => (signal.aborted ? null : outcomeOf(worker, request, signal)));
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
    // If the core did not load, no other run can succeed either.
    if (!(error instanceof SimulationError) || error.kind === 'core') throw error;
    return { failure: { name: error.name, message: error.message } };
  }
}
