/** Loads a user's controller, a JavaScript or WebAssembly module, from its URL. Runs in a worker. */
import { CoreError } from '../../core/load.js';
import { userControllerProblem, type UserController } from '../../core/user_controller.js';
import { wasmController, type WasmControllerOptions } from '../../core/wasm_controller.js';

const WASM_MAGIC = [0x00, 0x61, 0x73, 0x6d];

/**
 * Loads the controller of a module. Throws a CoreError that says what is wrong with the module. The `options`
 * apply to WebAssembly modules. JavaScript modules only use `options.name`, in error messages.
 */
export async function loadUserModule(url: string, options: WasmControllerOptions): Promise<UserController> {
  const response = await fetch(url).catch(() => null);
  if (response?.ok !== true) {
    const status = response === null ? 'could not be fetched' : `its server answered ${response.status}`;
    throw new CoreError(`${options.name}: ${status} (${url.slice(0, 200)})`, 'url');
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (WASM_MAGIC.every((byte, i) => bytes[i] === byte)) return wasmController(bytes, options);
  return controllerOf(await imported(url, options.name), options.name);
}

async function imported(url: string, name: string): Promise<unknown> {
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ url);
  } catch (error) {
    throw new CoreError(`${name}: it could not be loaded: ${String(error).slice(0, 300)}`, 'url');
  }
}

/** Returns the controller that a module exports. Throws a CoreError that says what is missing or invalid. */
export function controllerOf(module: unknown, name: string): UserController {
  const exported = (module as { default?: unknown }).default;
  if (exported === undefined)
    throw new CoreError(`${name}: expected a default export that is a UserController, got none`, 'default');
  const problem = userControllerProblem(exported);
  if (problem === null) return exported as UserController;
  const field = problem.field.replace('controller', 'default');
  throw new CoreError(`${name}: ${field}: expected ${problem.expected}`, field);
}
