/** Brings the extension in dist/extension up to date. */
export function buildExtension(): Promise<void>;
