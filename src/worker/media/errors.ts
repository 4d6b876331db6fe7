/** What the media worker does about errors. */

/** The message of anything that was thrown. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs a clean-up step and ignores its errors, because the object is discarded in any case. */
export function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}
