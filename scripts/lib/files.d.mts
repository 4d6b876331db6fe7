/** The folder of this repository. */
export const root: string;
export function filesUnder(paths: readonly string[], filter?: (file: string) => boolean): string[];
