/** Brings everything but the documentation up to date; without `app`, leaves out the app, too. */
export function build(options?: { app?: boolean }): Promise<void>;
