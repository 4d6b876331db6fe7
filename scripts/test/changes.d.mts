/** The hash of each file, by path. */
export type Contents = Readonly<Record<string, string>>;
export function contents(part: { reads: readonly string[] }): Contents;
export function affected(before: Contents | undefined, now: Contents): string[] | null;
