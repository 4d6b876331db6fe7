/**
 * Loads the WebAssembly core, which has a flat C ABI (wasm/abi). The module needs no loader script, since it has
 * only a few imports: a callback after its memory has grown, a function that calls users' controllers, and
 * Emscripten's proc_exit, which is never called. So the same module runs in pages, workers and Node. A
 * Content-Security-Policy must allow `wasm-unsafe-eval`; it need not allow `unsafe-eval`.
 */

import type { Abi } from './abi.generated.js';
import { UserHost } from './user_host.js';

/** An error of the core: invalid input, or a module that could not be loaded. */
export class CoreError extends Error {
  override readonly name = 'CoreError';
  constructor(
    message: string,
    /** The parameter or field that was refused. Undefined if the error does not concern a single field. */
    readonly field?: string,
  ) {
    super(message);
  }
}

/** The core trapped. The current operation is incomplete, and this instance of the core cannot be used any more. */
export class CoreFailure extends Error {
  override readonly name = 'CoreFailure';
}

/** Where to load the module from. Default: the file next to this file. */
export type WasmSource = WebAssembly.Module | BufferSource | URL | string;

/**
 * The core compiled to JavaScript, for pages whose policy forbids WebAssembly. The function takes the imports by
 * name, and returns the exports.
 */
export type ScriptedCore = (imports: Readonly<Record<string, unknown>>) => WebAssembly.Exports;

type Exported = (...args: number[]) => number;

/**
 * The prototype of the object `abi`. It handles functions that the module lacks: reading one throws a CoreError
 * with the function's name.
 */
const MISSING = new Proxy(
  {},
  {
    get: (_, name) => {
      if (typeof name === 'string' && name.startsWith('ccs_'))
        throw new CoreError(`this build of the core has no ${name}; rebuild the core`);
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
     * Runs the users' controllers of this core.
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

  /** The failure that made this core unusable; null while it works. */
  get failure(): CoreFailure | null {
    return this.#failure;
  }

  /** Checks the status that a function of the core returned. If it is not 0, throws the core's message. */
  check(status: number): void {
    if (status !== 0) throw this.lastError();
  }

  /** Returns a pointer that a function of the core returned. If it is null, throws the core's message. */
  found(pointer: number): number {
    if (pointer === 0) throw this.lastError();
    return pointer;
  }

  /**
   * A view of `length` doubles at `pointer`. Valid only until the next call of the core, since the memory may
   * grow.
   */
  doubles(pointer: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, pointer, length);
  }

  /** Writes values to the core's input buffer, which the next call reads. */
  input(values: readonly number[]): void {
    this.doubles(this.abi.ccs_input_buffer(values.length), values.length).set(values);
  }

  /** A view of `length` bytes at `pointer`. Valid only until the next call of the core. */
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
/** The module name of the import that calls users' controllers. */
const USER_SPACE = 'ccscope';

const shipped = (): URL => new URL('./ccscope.wasm', import.meta.url);

/** Compiles the core. Several instances, each with its own memory, can use the result. */
export async function compileCore(source: WasmSource = shipped()): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== 'string' && !(source instanceof URL)) return WebAssembly.compile(source);
  return WebAssembly.compile(await bytesAt(new URL(source, import.meta.url)));
}

async function bytesAt(url: URL): Promise<ArrayBuffer> {
  if (url.protocol === 'file:') {
    // Only Node reads the module from a file. If this code imported `node:fs`, bundlers for browsers would
    // try to include it. They do not notice getBuiltinModule().
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return new Uint8Array(await readFile(url)).buffer;
  }
  const response = await fetch(url);
  if (!response.ok) throw new CoreError(`could not fetch the core: ${url.href} answered ${response.status}`);
  return response.arrayBuffer();
}

/**
 * The SHA-256 hash of the core that ships with this code, in hexadecimal digits. The build of the core is
 * deterministic, so the hash identifies the code that made a number. Undefined if the hash cannot be computed, for
 * example on a page without TLS.
 */
export async function shippedCoreHash(): Promise<string | undefined> {
  try {
    const digest = await crypto.subtle.digest('SHA-256', await bytesAt(shipped()));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    return undefined;
  }
}

const nothing = (): number => 0;

/**
 * Compiles and instantiates the core. Rejects with CoreError if the server refuses the file, or if the core
 * has another ABI version.
 */
export async function loadCoreModule(source?: WasmSource): Promise<CoreModule> {
  const module = await compileCore(source);
  const users = new UserHost();
  const imports: WebAssembly.Imports = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module))
    (imports[space] ??= {})[name] = space === USER_SPACE ? users.call : nothing;
  return started((await WebAssembly.instantiate(module, imports)).exports, users);
}

/** Starts the JavaScript build of the core. Throws CoreError if it has another ABI version. */
export function startScriptedModule(instantiate: ScriptedCore): CoreModule {
  const users = new UserHost();
  // The imports of the JavaScript build have no module names. Only the import `user`, which calls users'
  // controllers, does anything.
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
    throw new CoreError(
      `the core has ABI version ${version}, but these bindings expect ${ABI_VERSION}; rebuild both`,
    );
  return core;
}
