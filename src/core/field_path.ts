/**
 * Completes field names in errors. An error about nested options names only the field inside these options.
 * The path of the options is added here.
 */
import { CoreError } from './load.js';

/**
 * Lists that can be invalid as a whole, e.g. because they are too long. An error with one of these names is
 * already complete, so it is thrown unchanged.
 */
const LISTS: readonly string[] = ['flows', 'windows'];

/** Runs `action`. If it throws an error about a field, puts `path` before the name of the field. */
export function inside(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CoreError) || error.field === undefined || LISTS.includes(error.field))
      throw error;
    throw new CoreError(`${path}.${error.message}`, `${path}.${error.field}`);
  }
}
