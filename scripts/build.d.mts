/**
 * Brings everything up to date, except the documentation and the browser extension. With `app: false`, also leaves out
 * the app.
 */
export function build(options?: { app?: boolean }): Promise<void>;
