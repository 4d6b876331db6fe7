/**
 * Completes field names in errors. The core only names the field inside nested options, so the path to these
 * options is added here.
 */
import { CoreError } from './load.js';

/**
 * Lists that can be invalid as a whole, for example if they are too long. The core's error then contains the
 * complete name, so it is not changed.
 */
const LISTS: readonly string[] = ['flows', 'windows'];

/** Runs `action`. If it throws an error about a field, adds `path` in front of the field's name. */
export function inside(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CoreError) || error.field === undefined || LISTS.includes(error.field))
      throw error;
    throw new CoreError(`${path}.${error.message}`, `${path}.${error.field}`);
  }
}
