/** The path of a field, in errors about options within options. */
import { CoreError } from './load.js';

/** Fields whose error is about a whole list, because it is too long. */
const LISTS: readonly string[] = ['flows', 'windows'];

/** Prefixes the field of an error with its path. */
export function inside(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CoreError) || error.field === undefined || LISTS.includes(error.field))
      throw error;
    throw new CoreError(`${path}.${error.message}`, `${path}.${error.field}`);
  }
}
