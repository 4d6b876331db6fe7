import { CoreError } from '../../src/core/index.js';

/** The CoreError with which the core refuses what `act` asks of it. Throws what else `act` throws. */
export function refused(act: () => unknown): CoreError {
  try {
    act();
  } catch (error) {
    if (error instanceof CoreError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
