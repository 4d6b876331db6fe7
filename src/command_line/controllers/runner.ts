/**
 * Starts and watches the worker that runs users' controllers for a command. Terminates a controller that never
 * returns or that uses too much memory.
 */
import { Worker } from 'node:worker_threads';

import type { ControllerFile } from './controllers.js';
import { FailedRun, systemCode, UsageError } from '../../text/errors.js';
import type { Task, TaskProblem, TaskResult, WorkerMessage, WorkerSetup } from './protocol.js';

export interface RunnerOptions {
  /**
   * While the worker loads controllers or executes a task, it must send a message at least this often.
   * Default 10 s.
   */
  timeLimitMs?: number;
  /**
   * Limit of the worker's JavaScript heap, in MiB. The memory of the whole process may grow by twice this limit.
   * Default 1024.
   */
  memoryLimitMb?: number;
}

const TIME_LIMIT_MS = 10_000;
const MEMORY_LIMIT_MB = 1024;
const WATCH_MS = 100;
/** Memory limit of a WebAssembly controller. */
const WASM_LIMIT_BYTES = 64 * 2 ** 20;

/** The controller was terminated, for example because it never returned or used too much memory. */
export class ControllerEnded extends FailedRun {
  constructor(
    message: string,
    readonly controller: string,
    readonly why: string,
  ) {
    super(message);
  }
}

/** Recreates an error from a worker. Threads cannot pass on an error's class, so `name` selects the class. */
function errorOf({ name, message }: TaskProblem): Error {
  if (
    ['UsageError', 'CoreError', 'ConfigError', 'TraceError', 'ParameterProblem', 'SyntaxError'].includes(name)
  )
    return new UsageError(message);
  return new FailedRun(`the controller's run failed: ${name}: ${message}`);
}

/** The callbacks of the caller that waits for the answer to a task. */
interface Pending {
  resolve(result: TaskResult): void;
  reject(error: Error): void;
  progress?: (share: number) => void;
}

/** Runs users' controllers in one worker. */
export class ControllerRunner {
  /** The names of the files until the controllers are loaded, then the controllers' own names. */
  names: readonly string[];
  readonly #worker: Worker;
  readonly #files: readonly ControllerFile[];
  readonly #timeLimitMs: number;
  readonly #memoryLimitMb: number;
  readonly #rssBytes = process.memoryUsage.rss();
  #heardAt = performance.now();
  #watch: ReturnType<typeof setInterval> | undefined;
  #pending: Pending | null = null;

  private constructor(files: readonly ControllerFile[], { timeLimitMs, memoryLimitMb }: RunnerOptions) {
    this.#files = files;
    this.names = files.map(({ name }) => name);
    this.#timeLimitMs = timeLimitMs ?? TIME_LIMIT_MS;
    this.#memoryLimitMb = memoryLimitMb ?? MEMORY_LIMIT_MB;
    const setup: WorkerSetup = { controllers: files, memoryLimitBytes: WASM_LIMIT_BYTES };
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryLimitMb },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#hear(message));
    this.#worker.on('error', (error) => this.#broken(error));
    this.#worker.on('exit', (code) => this.#end(`it ended its own thread with code ${code}`));
  }

  /**
   * Loads one or several controllers into one worker. Rejects with UsageError if a file is not a controller, and
   * with ControllerEnded if the controllers cannot be loaded in time.
   */
  static async open(
    files: ControllerFile | readonly ControllerFile[],
    options: RunnerOptions = {},
  ): Promise<ControllerRunner> {
    const runner = new ControllerRunner([files].flat(), options);
    await runner.#answer();
    return runner;
  }

  /** Executes a task. Rejects with ControllerEnded, with UsageError for an invalid request, or with FailedRun. */
  do(task: Task, progress?: (share: number) => void): Promise<TaskResult> {
    const answered = this.#answer(progress);
    this.#worker.postMessage(task);
    return answered;
  }

  #answer(progress?: (share: number) => void): Promise<TaskResult> {
    this.#heardAt = performance.now();
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS);
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, ...(progress !== undefined && { progress }) };
    });
  }

  #hear(message: WorkerMessage): void {
    this.#heardAt = performance.now();
    if (message.kind === 'progress') {
      this.#pending?.progress?.(message.share);
      return;
    }
    const pending = this.#settle();
    if (message.kind === 'failed') pending?.reject(errorOf(message.problem));
    if (message.kind === 'done') pending?.resolve(message.result);
    if (message.kind === 'ready') {
      this.names = message.names;
      pending?.resolve({ values: new Map(), windows: [], batches: [], arrivals: 0, faults: [] });
    }
  }

  #settle(): Pending | null {
    clearInterval(this.#watch);
    this.#watch = undefined;
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }

  #look(): void {
    const grownMb = (process.memoryUsage.rss() - this.#rssBytes) / 2 ** 20;
    // Twice the limit: once for the worker's JavaScript heap, and once for other memory, such as recorded rows.
    if (grownMb > 2 * this.#memoryLimitMb) this.#end(`it allocated more than ${this.#memoryLimitMb} MB`);
    else if (performance.now() - this.#heardAt > this.#timeLimitMs)
      this.#end(
        `it did not answer for ${this.#timeLimitMs / 1000} s: a function does not return, or fills the memory`,
      );
  }

  #broken(error: Error): void {
    const isMemory = systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isMemory) this.#end(`it allocated more than ${this.#memoryLimitMb} MB`);
    else this.#end(`it failed outside of its functions: ${error.message}`);
  }

  #end(why: string): void {
    const pending = this.#settle();
    void this.#worker.terminate();
    const { name } = this;
    const paths = this.#files.map(({ path }) => path).join(', ');
    const which = this.#files.length === 1 ? 'the controller' : 'one of the controllers';
    pending?.reject(new ControllerEnded(`${which} ${name} (${paths}) was stopped: ${why}`, name, why));
  }

  get name(): string {
    return this.names.join(', ');
  }

  /** Ends the worker. */
  async close(): Promise<void> {
    this.#settle();
    await this.#worker.terminate();
  }
}
