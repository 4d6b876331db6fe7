/** The worker script of the pool. Each call simulates one run of one cell. */
import { CoreError, loadCore, type Core } from '../core/index.js';
import { ConfigError, runCell } from '../scenario/index.js';
import type { Job, RunOutcome } from './jobs.js';

let core: Promise<Core> | null = null;

/** Simulates one run. Never rejects: an error becomes the outcome's `failure`. */
export default async function run({ scenario, params, seed, trace }: Job): Promise<RunOutcome> {
  try {
    core ??= loadCore();
    const loaded = await core;
    const began = performance.now();
    const { values, batches, densities } = runCell(
      loaded,
      scenario,
      params,
      seed,
      trace === null ? {} : { trace },
    );
    const seconds = (performance.now() - began) / 1e3;
    return { result: { values, trace: trace === null ? [] : batches, densities, seconds } };
  } catch (error) {
    // After a trap the module's memory may be corrupt, so the next run loads a new core. Refused options leave
    // the memory intact.
    if (!(error instanceof CoreError || error instanceof ConfigError)) core = null;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { failure: { name, message } };
  }
}
