import { CoreError } from '../../src/core/index.js';

/** The CoreError with which the core refuses the call in `act`. Passes on any other error. */
export function refused(act: () => unknown): CoreError {
  try {
    act();
  } catch (error) {
    if (error instanceof CoreError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
