/** Turns any error into the message and the fix that the element shows. */
import { ConfigError } from '../text/quantities.js';
import { TraceError } from '../trace/index.js';
import { SimulationError } from '../worker/simulation/simulation_client.js';
import type { ErrorDetail } from './public.js';

/** The advice if a worker or the module does not start, and for errors of unknown kinds. */
const SET_UP =
  'see that the files beside ccscope-view.js are there, and that the page’s policy allows workers and WebAssembly';

export function problemOf(error: unknown): ErrorDetail {
  if (error instanceof ConfigError) {
    const { field, expected, got, fix } = error;
    return { message: `${field}: expected ${expected}, got ${got}`, field, fix };
  }
  if (error instanceof SimulationError) {
    const { kind, message, field, expected, got, fix } = error;
    if (kind === 'core' || kind === 'fault') return { message, fix: SET_UP };
    const isFull = field !== undefined && expected !== undefined && got !== undefined;
    return {
      message: isFull ? `${field}: expected ${expected}, got ${got}` : message,
      ...(field !== undefined && { field }),
      fix,
    };
  }
  if (error instanceof TraceError)
    return { message: error.message, field: 'src', fix: 'give the address of a trace in format v1 (NDJSON)' };
  return { message: error instanceof Error ? error.message : String(error), fix: SET_UP };
}
