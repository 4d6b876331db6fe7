/** Checks that targets apply to their results. */
import { isDeepStrictEqual } from 'node:util';

/** An oracle that was violated. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function check(holds: boolean, what: () => string): void {
  if (!holds) throw new Violation(what());
}

export const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

/** Messages are for people. */
const LONGEST_MESSAGE = 2000;

/**
 * The result of `work`, or undefined if it refuses with an error of this class. Such an error names a field and
 * what was expected there, in a readable message; any other error is passed on.
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
