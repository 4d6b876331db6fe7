/** What tests use of the manifest. */
export const BROWSERS: readonly string[];
export function manifestFor(browser: string, version: string): Record<string, unknown>;
