/** Wrong usage or wrong input. The command ends with status 2 and prints this message, which says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A run that failed or did not meet its expectation: the command ends with status 1. */
export class FailedRun extends Error {
  override readonly name = 'FailedRun';
}

/** The code of a system error such as ENOENT, or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
