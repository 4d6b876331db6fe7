/** The script of the pool's workers. Each call simulates one run of one cell. */
import { CoreError, loadCore, type Core } from '../core/index.js';
import { ConfigError, runCell } from '../scenario/index.js';
import type { Job, RunOutcome } from './jobs.js';

let core: Promise<Core> | null = null;

/** Simulates from start to end. Never rejects: errors are part of the outcome. */
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
    // After a trap, the state of the module's memory is unknown, so the module is dropped. Refused options
    // leave the memory intact.
    if (!(error instanceof CoreError || error instanceof ConfigError)) core = null;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { failure: { name, message } };
  }
}
