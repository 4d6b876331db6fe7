/** The checks that targets apply to their results. */
import { isDeepStrictEqual } from 'node:util';

/** Thrown when an oracle is violated. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function check(holds: boolean, what: () => string): void {
  if (!holds) throw new Violation(what());
}

export const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

/** The maximum length of an error message, in characters: people have to read it. */
const LONGEST_MESSAGE = 2000;

/**
 * Returns the result of `work`, or undefined if `work` throws an error of the class `documented`. Such an error must
 * have a field and a message that is not too long. Rethrows any other error.
 */
export function refused<T>(
  work: () => T,
  documented: abstract new (...args: never) => Error & { field?: string | undefined },
): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof documented)) throw error;
    check(typeof error.field === 'string' && error.field !== '', () => `no field: ${error.message}`);
    check(error.message.length <= LONGEST_MESSAGE, () => `a message of ${error.message.length} characters`);
    return undefined;
  }
}

export const textOf = (input: Uint8Array): string => new TextDecoder().decode(input);
