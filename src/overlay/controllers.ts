/**
 * Loads the core's controllers as WebAssembly, or as JavaScript if the policy of the page refuses WebAssembly.
 */
import script from 'ccscope:controllers.js';
import wasm from 'ccscope:controllers.wasm';

import { loadCore, startScriptedCore, type Core } from '../core/index.js';

/** How the controllers run. */
export type CoreKind = 'wasm' | 'javascript';

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Loads the controllers. Throws CoreError if not even JavaScript works. */
export async function loadControllers(told: (kind: CoreKind) => void): Promise<Core> {
  try {
    const core = await loadCore(bytesOf(wasm));
    told('wasm');
    return core;
  } catch {
    const core = startScriptedCore(script);
    told('javascript');
    return core;
  }
}
