/** Error handling of the media worker. */

/** Returns the message of a thrown value, which need not be an Error. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs a clean-up step and ignores its errors, because the object is discarded in any case. */
export function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The error is ignored on purpose.
  }
}
