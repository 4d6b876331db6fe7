/** Entry point of the simulation worker; see simulation_client.ts for its other end. */
import { expose, transfer } from 'comlink';

import type { SimulationOptions } from '../../core/index.js';
import { holdLife } from '../life.js';
import type {
  Answer,
  CheckedScenario,
  SimulationProgress,
  SimulationRequest,
  SimulationResult,
} from './simulation_protocol.js';
import { SimulationService } from './simulation_service.js';

let service = new SimulationService();

const api = {
  /** Holds a lock of this name from now on; see life.ts. */
  hold: holdLife,
  /** From now on, loads the core's module from this URL. */
  use(wasmUrl: string): void {
    service = new SimulationService(wasmUrl);
  },
  check: (input: unknown): Answer<CheckedScenario> => service.check(input),
  plan: (request: SimulationRequest): Answer<SimulationOptions> => service.plan(request),
  run(
    request: SimulationRequest,
    report: (progress: SimulationProgress) => unknown,
  ): Promise<Answer<SimulationResult>> {
    return service.run(request, (progress) => {
      const { layout, values } = progress.rows;
      return report(transfer(progress, [layout.buffer, values.buffer]));
    });
  },
  cancel(): void {
    service.cancel();
  },
};

export type SimulationWorkerApi = typeof api;

expose(api);
