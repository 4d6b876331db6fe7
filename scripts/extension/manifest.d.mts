/** The part of manifest.mjs that tests use. */
export const BROWSERS: readonly string[];
export function manifestFor(browser: string, version: string): Record<string, unknown>;
