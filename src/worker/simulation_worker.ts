/** Entry of the simulation worker; see simulation_client.ts for its other end. */
import { expose, transfer } from 'comlink';

import type { Ran, SimulationProgress, SimulationRequest } from './simulation_protocol.js';
import { SimulationService } from './simulation_service.js';

let service = new SimulationService();

const api = {
  /** Takes the module from this URL from now on. */
  use(wasmUrl: string): void {
    service = new SimulationService(wasmUrl);
  },
  run(request: SimulationRequest, report: (progress: SimulationProgress) => unknown): Promise<Ran> {
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
