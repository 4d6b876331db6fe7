/** Brings everything up to date; without `app`, builds only what the command line needs. */
export function build(options?: { app?: boolean }): Promise<void>;
