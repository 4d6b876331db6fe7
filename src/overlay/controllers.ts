/**
 * Loads the core's controllers as WebAssembly, or as JavaScript if the policy of the page refuses WebAssembly.
 */
import script from 'ccscope:controllers.js';
import wasm from 'ccscope:controllers.wasm';

import { loadCore, startScriptedCore, type Core } from '../core/index.js';
import { fromBase64, inflated } from '../text/compressed.js';

/** How the controllers run. */
export type CoreKind = 'wasm' | 'javascript';

/** Loads the controllers. Throws CoreError if not even JavaScript works. */
export async function loadControllers(told: (kind: CoreKind) => void): Promise<Core> {
  try {
    const core = await loadCore(await inflated(fromBase64(wasm)));
    told('wasm');
    return core;
  } catch {
    const core = startScriptedCore(script);
    told('javascript');
    return core;
  }
}
