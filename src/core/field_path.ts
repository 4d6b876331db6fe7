/** Completes the path of the field that an error about nested options names. */
import { CoreError } from './load.js';

/** Fields whose errors are about a whole list, not about one of its entries: the list is too long. */
const LISTS: readonly string[] = ['flows', 'windows'];

/** Runs `action`, and prefixes the field of an error that it throws with `path`. */
export function inside(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CoreError) || error.field === undefined || LISTS.includes(error.field))
      throw error;
    throw new CoreError(`${path}.${error.message}`, `${path}.${error.field}`);
  }
}
