/** Tells the user why a simulation, or its trace, gave no result. */
import { ConfigError } from '../../text/quantities.js';
import { SimulationError } from '../../worker/simulation/simulation_client.js';
import type { SimulationProblem } from '../../worker/simulation/simulation_protocol.js';
import { messageOf, notify } from '../notices.js';

/** Shows a notice about a failed simulation. `what` says what failed; `code` identifies the notice. */
export function tellSimulationError(error: unknown, what: string, code: string): void {
  if (!(error instanceof SimulationError || error instanceof ConfigError)) {
    notify('error', code, `${what}: ${messageOf(error)}.`, 'Try again, or reload the page.');
    return;
  }
  notify('error', code, `${what}: ${describe(error)}.`, error.fix);
}

/** Shows a notice that a trace worker failed. */
export const tellTraceError = (error: Error): void =>
  notify('error', 'trace', `The trace worker failed: ${error.message}.`, 'Reload the page.');

function describe({
  message,
  field,
  expected,
  got,
}: Pick<SimulationProblem, 'message' | 'field' | 'expected' | 'got'>): string {
  return field !== undefined && expected !== undefined && got !== undefined
    ? `${field}: expected ${expected}, got ${got}`
    : message;
}
