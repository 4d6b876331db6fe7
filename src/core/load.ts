/**
 * Loads the WebAssembly core, which has a flat C ABI (wasm/abi). The module needs no loader script, because
 * it has few imports: a function that is called when its memory has grown, one that calls user controllers,
 * and Emscripten's proc_exit, which is never called. So the same module runs in pages, workers and Node. A
 * Content-Security-Policy must allow `wasm-unsafe-eval`, but need not allow `unsafe-eval`.
 */

import type { Abi } from './abi.generated.js';
import { UserHost } from './user_host.js';

/** An error from the core: bad input, or a module that could not be loaded. */
export class CoreError extends Error {
  override readonly name = 'CoreError';
  constructor(
    message: string,
    /** The parameter or field that was refused, if any. */
    readonly field?: string,
  ) {
    super(message);
  }
}

/** The core trapped: the current operation is incomplete, and this instance can no longer be used. */
export class CoreFailure extends Error {
  override readonly name = 'CoreFailure';
}

/** Where to load the module from. Default: the file that ships beside this one. */
export type WasmSource = WebAssembly.Module | BufferSource | URL | string;

/**
 * The core compiled to JavaScript, for pages whose policy refuses WebAssembly. This function takes the imports by
 * name and returns the exports.
 */
export type ScriptedCore = (imports: Readonly<Record<string, unknown>>) => WebAssembly.Exports;

type Exported = (...args: number[]) => number;

/**
 * The prototype of the object `abi`. A lookup reaches this prototype only if the module lacks the function.
 * It then throws a CoreError with the function's name.
 */
const MISSING = new Proxy(
  {},
  {
    get: (_, name) => {
      if (typeof name === 'string' && name.startsWith('ccs_'))
        throw new CoreError(`the core does not export ${name}; rebuild it`);
      return undefined;
    },
  },
);

/** The loaded module: its exports and views of its memory. */
export class CoreModule {
  readonly #memory: WebAssembly.Memory;
  #failure: CoreFailure | null = null;
  /**
   * The core's functions (wasm/abi/ccscope.h). Each throws CoreError if the module lacks it, and CoreFailure
   * if the core traps or has trapped before.
   *
   * @internal
   */
  readonly abi: Abi;

  /** @internal */
  constructor(
    exports: WebAssembly.Exports,
    /**
     * Hosts the user controllers of this core.
     *
     * @internal
     */
    readonly users: UserHost = new UserHost(),
  ) {
    const { memory, ...functions } = exports;
    this.#memory = memory as WebAssembly.Memory;
    users.attach(this.#memory);
    const exported = Object.entries(functions as Record<string, Exported>);
    this.abi = Object.assign(
      Object.create(MISSING) as Abi,
      Object.fromEntries(
        exported.map(([name, f]) => [name, (...args: number[]) => this.#call(name, f, args)]),
      ),
    );
  }

  #call(name: string, f: Exported, args: number[]): number {
    if (this.users.asking)
      throw new CoreError('a controller called the core while the core was waiting for its answer');
    if (this.#failure !== null) throw this.#failure;
    try {
      return f(...args);
    } catch (error) {
      this.#failure = new CoreFailure(`the core failed in ${name} (${String(error)}); load a new core`);
      throw this.#failure;
    }
  }

  /** Why this core can no longer be used; null while it works. */
  get failure(): CoreFailure | null {
    return this.#failure;
  }

  /** Checks the status that a function returned; throws the core's message if it is not 0. */
  check(status: number): void {
    if (status !== 0) throw this.lastError();
  }

  /** Checks the pointer that a function returned, and returns it; throws the core's message if it is null. */
  found(pointer: number): number {
    if (pointer === 0) throw this.lastError();
    return pointer;
  }

  /** A view of `length` doubles at `pointer`. Valid only until the next call, since the memory may grow. */
  doubles(pointer: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, pointer, length);
  }

  /** Writes values to the core's input buffer, for the next call. */
  input(values: readonly number[]): void {
    this.doubles(this.abi.ccs_input_buffer(values.length), values.length).set(values);
  }

  /** A view of `length` bytes at `pointer`. Valid only until the next call. */
  bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, pointer, length);
  }

  /** The NUL-terminated UTF-8 text at `pointer`. */
  text(pointer: number): string {
    const bytes = new Uint8Array(this.#memory.buffer, pointer);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  lastError(): CoreError {
    const message = this.text(this.abi.ccs_last_error());
    const colon = message.indexOf(': ');
    return new CoreError(message, colon > 0 ? message.slice(0, colon) : undefined);
  }
}

export const ABI_VERSION = 2;
/** The module name of the imports through which the core calls user controllers. */
const USER_SPACE = 'ccscope';

const shipped = (): URL => new URL('./ccscope.wasm', import.meta.url);

/** Compiles the core for use by several instances, each of which has its own memory. */
export async function compileCore(source: WasmSource = shipped()): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== 'string' && !(source instanceof URL)) return WebAssembly.compile(source);
  const url = new URL(source, import.meta.url);
  if (url.protocol === 'file:') {
    // Only Node loads the module from a file. Bundlers for browsers do not notice a module that is obtained by
    // getBuiltinModule(), so they do not include it.
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new CoreError(`could not fetch the core: ${url.href} answered ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

const nothing = (): number => 0;

/** Compiles and instantiates the core. Throws CoreError if it is missing or has another ABI version. */
export async function loadCoreModule(source?: WasmSource): Promise<CoreModule> {
  const module = await compileCore(source);
  const users = new UserHost();
  const imports: WebAssembly.Imports = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module))
    (imports[space] ??= {})[name] = space === USER_SPACE ? users.call : nothing;
  return started((await WebAssembly.instantiate(module, imports)).exports, users);
}

/** Starts the core from JavaScript. Throws CoreError if it has another ABI version. */
export function startScriptedModule(instantiate: ScriptedCore): CoreModule {
  const users = new UserHost();
  // In the JavaScript build, imports have no module names. The only import that does anything is `user`, through
  // which the core calls user controllers.
  return started(
    instantiate(new Proxy({}, { get: (_, name) => (name === 'user' ? users.call : nothing) })),
    users,
  );
}

function started(exports: WebAssembly.Exports, users: UserHost): CoreModule {
  (exports['_initialize'] as (() => void) | undefined)?.();
  const core = new CoreModule(exports, users);
  const version = core.abi.ccs_abi_version();
  if (version !== ABI_VERSION)
    throw new CoreError(`the core has ABI ${version}, these bindings expect ${ABI_VERSION}; rebuild both`);
  return core;
}
