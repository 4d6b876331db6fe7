/** What the media worker does about errors. */

/** The message of anything that was thrown. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs one of the last steps before something is discarded. If the step fails, nothing more can be done. */
export function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}
