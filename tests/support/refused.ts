import { CoreError } from '../../src/core/index.js';

/**
 * Runs `act`, in which the core must throw a CoreError, and returns this error. Rethrows any other error.
 * Throws an Error if nothing was thrown.
 */
export function refused(act: () => unknown): CoreError {
  try {
    act();
  } catch (error) {
    if (error instanceof CoreError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
