import type { MinifyOptions } from 'terser';

/** The options with which terser makes modules smaller than the bundlers do. */
export const terserOptions: MinifyOptions;
/** Makes the text of a bundled module smaller. The licences that the bundler has put at its end stay there. */
export function smaller(text: string): Promise<string>;
