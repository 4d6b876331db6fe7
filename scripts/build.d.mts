/**
 * Brings everything up to date, except the documentation and the browser extension. With `app: false`, also leaves out
 * the app.
 */
export function build(options?: { app?: boolean }): Promise<void>;
/** The scripts for pages: the entry of each, by its name, and the folders of src/ with all of their sources. */
export const bundles: Readonly<
  Record<string, { entries: Readonly<Record<string, string>>; rooms: readonly string[] }>
>;
/** The files and folders that the app is built from. */
export const appSources: readonly string[];
/** The source files of a bundle. */
export function sourcesOf(name: string): string[];
