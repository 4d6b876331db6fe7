/**
 * Runs a controller from a separate WebAssembly module. The module implements those functions of the core's ABI
 * that belong to a controller's receiver half and sender half. public/controllers/ccscope_controller.h lists and
 * explains them.
 */
import type { Abi } from './abi.generated.js';
import { ABI_VERSION, CoreError } from './load.js';
import { feedbackNumbers } from './feedback.js';
import type {
  FeedbackValues,
  HalfOptions,
  UserController,
  UserReceiverHalf,
  UserSenderHalf,
} from './user_controller.js';

/** The options for a module. */
export interface WasmControllerOptions {
  /** The controller's name in reports, traces and pages. */
  name: string;
  /** The memory limit of a half. A half whose memory grows beyond this limit has a fault. Default 64 MiB. */
  memoryLimitBytes?: number;
  /** The index of the controller to use, if the module has several. Default 0. */
  controller?: number;
  /** Numbers that the module receives when a half is created, after the three bitrates. Default: none. */
  parameters?: readonly number[];
}

const DEFAULT_MEMORY_LIMIT_BYTES = 64 * 2 ** 20;
/** The number of fields of a feedback message that precede its values. */
const FEEDBACK_FIELDS = 6;

/** The functions of the core's ABI that a module must export. */
const NEEDED: readonly (keyof Abi)[] = [
  'ccs_input_buffer',
  'ccs_session_buffer',
  'ccs_receiver_create',
  'ccs_receiver_push_arrivals',
  'ccs_receiver_take_feedback',
  'ccs_sender_create',
  'ccs_sender_push_feedback',
  'ccs_sender_run',
];
/** The name of an exported function. Some functions are optional, so they are looked up by name. */
type Name = keyof Abi | '_initialize';

/** Compiles a module. Throws a CoreError that names the invalid import or export. */
export async function wasmController(
  source: WebAssembly.Module | BufferSource,
  options: WasmControllerOptions,
): Promise<UserController> {
  const module = source instanceof WebAssembly.Module ? source : await compile(source, options.name);
  check(module, options.name);
  return {
    name: options.name,
    createReceiver: (half) => new WasmReceiver(module, options, half),
    createSender: (half) => new WasmSender(module, options, half),
  };
}

async function compile(bytes: BufferSource, name: string): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CoreError(`${name}: expected a WebAssembly module (${reason})`, 'module');
  }
}

function check(module: WebAssembly.Module, name: string): void {
  const exports = new Map(WebAssembly.Module.exports(module).map((each) => [each.name, each.kind]));
  const wrong = (field: string, expected: string): CoreError =>
    new CoreError(`${name}: ${field}: expected ${expected}; see ccscope_controller.h`, field);
  if (exports.get('memory') !== 'memory') throw wrong('exports.memory', 'the module to export its memory');
  for (const needed of NEEDED)
    if (exports.get(needed) !== 'function')
      throw wrong(`exports.${needed}`, 'the module to export this function');
  for (const { module: space, name: imported, kind } of WebAssembly.Module.imports(module))
    if (kind !== 'function') throw wrong(`imports.${space}.${imported}`, `functions alone, not a ${kind}`);
}

type Exported = (...args: number[]) => number;

/**
 * The code that both halves use. Each half has its own instance of the module, so the module may keep state in
 * global variables.
 */
class Instance {
  readonly #exports: Readonly<Record<string, unknown>>;
  readonly #memory: WebAssembly.Memory;
  readonly #limitBytes: number;
  #handle = 0;

  constructor(
    module: WebAssembly.Module,
    { memoryLimitBytes = DEFAULT_MEMORY_LIMIT_BYTES }: WasmControllerOptions,
  ) {
    const imports: WebAssembly.Imports = {};
    for (const { module: space, name } of WebAssembly.Module.imports(module))
      (imports[space] ??= {})[name] =
        name === 'emscripten_notify_memory_growth' ? () => undefined : refuse(name);
    this.#exports = new WebAssembly.Instance(module, imports).exports;
    this.#memory = this.#exports['memory'] as WebAssembly.Memory;
    this.#limitBytes = memoryLimitBytes;
    if (this.has('_initialize')) this.call('_initialize');
    if (!this.has('ccs_abi_version')) return;
    const version = this.call('ccs_abi_version');
    if (version !== ABI_VERSION)
      throw new Error(`the module has ABI version ${version}; expected ${ABI_VERSION}`);
  }

  has(name: Name): boolean {
    return typeof this.#exports[name] === 'function';
  }

  call(name: Name, ...args: number[]): number {
    const result = (this.#exports[name] as Exported)(...args);
    const { byteLength } = this.#memory.buffer;
    if (byteLength <= this.#limitBytes) return result;
    throw new Error(
      `the module's memory has grown to ${byteLength} bytes; at most ${this.#limitBytes} are allowed`,
    );
  }

  /** Calls a function that returns a status. Throws if the status is not 0. */
  check(name: Name, ...args: number[]): void {
    if (this.call(name, ...args) !== 0) throw this.#lastError(name);
  }

  /** Writes the values `given` to the input buffer, and creates a half with them. */
  create(name: Name, given: readonly number[], ...args: number[]): void {
    this.#write(this.call('ccs_input_buffer', given.length), given);
    this.#handle = this.call(name, ...args);
    if (this.#handle === 0) throw this.#lastError(name);
  }

  get handle(): number {
    return this.#handle;
  }

  fill(numbers: readonly number[]): void {
    this.#write(this.call('ccs_session_buffer', this.#handle, numbers.length), numbers);
  }

  read(count: number): number[] {
    return [...this.#view(this.call('ccs_session_buffer', this.#handle, count), count)];
  }

  #write(pointer: number, numbers: readonly number[]): void {
    this.#view(pointer, numbers.length).set(numbers);
  }

  #view(pointer: number, count: number): Float64Array {
    return new Float64Array(this.#memory.buffer, pointer, count);
  }

  #lastError(name: Name): Error {
    if (!this.has('ccs_last_error')) return new Error(`${name} failed`);
    const bytes = new Uint8Array(this.#memory.buffer, this.call('ccs_last_error'));
    return new Error(
      `${name} failed: ${new TextDecoder().decode(bytes.slice(0, Math.max(0, bytes.indexOf(0))))}`,
    );
  }
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(`the module called ${name}, which ccscope does not provide to controllers`);
  };
}

const given = (half: HalfOptions, { parameters = [] }: WasmControllerOptions): number[] => [
  half.minBitrateBps,
  half.maxBitrateBps,
  half.startBitrateBps,
  ...parameters,
];

class WasmReceiver implements UserReceiverHalf {
  readonly #instance: Instance;

  constructor(module: WebAssembly.Module, options: WasmControllerOptions, half: HalfOptions) {
    this.#instance = new Instance(module, options);
    this.#instance.create('ccs_receiver_create', given(half, options), options.controller ?? 0, half.flow);
  }

  onArrival(a: Parameters<UserReceiverHalf['onArrival']>[0]): FeedbackValues {
    this.#instance.fill([
      ...[0, a.seq, a.sendTimeUs, a.arrivalTimeUs, a.sizeBytes, a.rtpTimestamp ?? NaN],
      ...[NaN, Number(a.keyFrame), a.rttUs ?? NaN],
    ]);
    this.#instance.check('ccs_receiver_push_arrivals', this.#instance.handle, 1);
    return this.#message();
  }

  onInbound(c: Parameters<NonNullable<UserReceiverHalf['onInbound']>>[0]): FeedbackValues {
    if (!this.#instance.has('ccs_receiver_push_inbound')) return null;
    this.#instance.fill([0, c.timeUs, c.packetsReceived, c.packetsLost, c.bytesReceived]);
    this.#instance.check('ccs_receiver_push_inbound', this.#instance.handle, 1);
    return this.#message();
  }

  /**
   * Returns the values of the feedback message that the module has just produced; null if there is none. The core
   * sets the message's other fields.
   */
  #message(): FeedbackValues {
    const count = this.#instance.call('ccs_receiver_take_feedback', this.#instance.handle);
    return count === 0 ? null : this.#instance.read(count).slice(FEEDBACK_FIELDS);
  }
}

class WasmSender implements UserSenderHalf {
  readonly #instance: Instance;
  #nowUs = 0;

  constructor(module: WebAssembly.Module, options: WasmControllerOptions, half: HalfOptions) {
    this.#instance = new Instance(module, options);
    const { controller = 0 } = options;
    this.#instance.create('ccs_sender_create', given(half, options), controller, half.flow, half.seed);
  }

  onFeedback(feedback: Parameters<UserSenderHalf['onFeedback']>[0], nowUs: number): void {
    this.#nowUs = nowUs;
    const numbers = feedbackNumbers(feedback);
    this.#instance.fill(numbers);
    this.#instance.check('ccs_sender_push_feedback', this.#instance.handle, nowUs, numbers.length);
  }

  onRtt(rttUs: number): void {
    if (this.#instance.has('ccs_sender_push_sent'))
      this.#instance.check('ccs_sender_push_sent', this.#instance.handle, this.#nowUs, NaN, rttUs, NaN);
  }

  rate(nowUs: number): { targetBps: number; pacingBps?: number } {
    this.#nowUs = nowUs;
    this.#instance.check('ccs_sender_run', this.#instance.handle, nowUs);
    const [targetBps = NaN, pacingBps = NaN] = this.#instance.read(2);
    return Number.isNaN(pacingBps) ? { targetBps } : { targetBps, pacingBps };
  }
}
