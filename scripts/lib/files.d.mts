/** The folder of this repository. */
export const root: string;
export function filesUnder(paths: readonly string[], filter?: (file: string) => boolean): string[];
/** A path in this repository. */
export function inRoot(...parts: string[]): string;
