/**
 * An error about nested options names a field relative to these options; this file adds the path of the options.
 */
import { CoreError } from './load.js';

/**
 * Fields whose errors concern a whole list, e.g. because it is too long, and not the entry at `path`. Such an error
 * is thrown unchanged.
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
