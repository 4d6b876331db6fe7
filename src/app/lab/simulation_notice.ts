/** Tells the user why a simulation gave no result. */
import { SimulationError } from '../../worker/simulation/simulation_client.js';
import type { SimulationProblem } from '../../worker/simulation/simulation_protocol.js';
import { messageOf, notify } from '../notices.js';

/** `what` did not happen, and why; `code` is the notice's name. */
export function tellSimulationError(error: unknown, what: string, code: string): void {
  if (!(error instanceof SimulationError)) {
    notify('error', code, `${what}: ${messageOf(error)}.`, 'Try again, or reload the page.');
    return;
  }
  notify('error', code, `${what}: ${describe(error)}.`, error.fix);
}

function describe({ message, field, expected, got }: SimulationProblem): string {
  return field !== undefined && expected !== undefined && got !== undefined
    ? `${field}: expected ${expected}, got ${got}`
    : message;
}
