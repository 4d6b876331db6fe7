import { transfer, wrap, type Remote } from 'comlink';
import { START_WITHIN_MS } from '../guest/guest_protocol.js';
import type { SlotConfig } from '../slot.js';
import { message } from './errors.js';
import type { MediaConfig, MediaWorkerApi, WorkerEvent } from './protocol.js';

/** Thrown if a worker could not be created or did not answer. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
}

const START_TIMEOUT_MS = 10_000;
const COMMAND_TIMEOUT_MS = 1000;
/**
 * If the page receives nothing from a started worker for SILENCE_MS, the page pings the worker. Normally, the
 * worker sends a message every 100 ms.
 */
const SILENCE_MS = 400;
const WATCH_MS = 100;
/**
 * A silent worker is pinged up to this many times. If the page itself is busy, it may notice the first answer
 * too late. The second ping prevents a false alarm.
 */
const QUESTIONS = 2;
const ANSWER_MS = 200;

/**
 * How long a worker may take to create these slots. It loads users' controllers one after the other. By default, it may
 * first have to finish loading a controller of an earlier change.
 */
export function slotsWithinMs(slots: readonly SlotConfig[], beforeMs = START_WITHIN_MS): number {
  return beforeMs + slots.filter(({ url }) => url !== undefined).length * START_WITHIN_MS;
}

function within<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WorkerError(`${what} within ${timeoutMs} ms`)), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * The page's interface to a media worker. Create it with `createMediaWorker`, which proves that the worker
 * runs: a transform with a dead worker would stop the media.
 */
export class MediaWorker {
  readonly #remote: Remote<MediaWorkerApi>;
  #onDeath: ((reason: string) => void) | null = null;
  #heardAt = performance.now();
  #watch: ReturnType<typeof setInterval> | undefined;
  #asking = false;

  constructor(readonly worker: Worker) {
    this.#remote = wrap<MediaWorkerApi>(worker);
    worker.addEventListener('error', (event) => this.#die(event.message || 'the worker failed to load'));
    worker.addEventListener('messageerror', () => this.#die('a message to the page was unreadable'));
  }

  /**
   * The worker's commands. The promise of a command resolves when the worker has executed the command. If the
   * worker dies first, the promise never settles.
   *
   * @internal
   */
  get commands(): Remote<MediaWorkerApi> {
    return this.#remote;
  }

  /** Waits for a command's answer. Rejects with WorkerError if no answer arrives in time. */
  answered<T>(command: Promise<T>, withinMs = COMMAND_TIMEOUT_MS): Promise<T> {
    return within(command, withinMs, 'the worker did not answer');
  }

  async ping(timeoutMs = START_TIMEOUT_MS): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.worker.addEventListener(
        'error',
        (e) => reject(new WorkerError(e.message || 'the media worker failed to load')),
        {
          once: true,
        },
      );
    });
    await within(Promise.race([this.#remote.ping(), failed]), timeoutMs, 'no answer');
  }

  /**
   * Loads the core in the worker. From then on, passes the worker's reports to `onEvent`, and calls `onDeath`
   * if the worker dies.
   *
   * @internal
   */
  async start(
    config: MediaConfig,
    onEvent: (event: WorkerEvent) => void,
    onDeath: (reason: string) => void,
  ): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<WorkerEvent>) => {
      this.#heardAt = performance.now();
      onEvent(data);
    };
    this.#onDeath = onDeath;
    // A worker that an earlier attachment has left is started again.
    clearInterval(this.#watch);
    this.#watch = setInterval(() => void this.#check(), WATCH_MS);
    await within(
      this.#remote.start(config, transfer(port2, [port2])),
      slotsWithinMs([config.controller, ...config.shadows], START_TIMEOUT_MS),
      'the core did not load',
    );
  }

  async #check(): Promise<void> {
    if (this.#asking || performance.now() - this.#heardAt < SILENCE_MS) return;
    this.#asking = true;
    for (let asked = 0; asked < QUESTIONS && !(await this.#answers()); asked++);
    if (performance.now() - this.#heardAt >= SILENCE_MS) this.#die('it does not answer');
    this.#asking = false;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.ping(ANSWER_MS);
      this.#heardAt = performance.now();
      return true;
    } catch {
      return false;
    }
  }

  #die(reason: string): void {
    const told = this.#onDeath;
    this.terminate();
    told?.(reason);
  }

  /** Ends the worker without calling `onDeath`. */
  terminate(): void {
    this.#onDeath = null;
    clearInterval(this.#watch);
    this.worker.terminate();
  }
}

/**
 * Creates a media worker and waits until it answers. Throws WorkerError if it cannot be created or does not
 * answer. Pass a URL if a Content-Security-Policy or a server requires another location of the worker's
 * script.
 *
 * Bundlers look for exactly the expression `new Worker(new URL('./entry.js', import.meta.url))`. Vite
 * resolves the `.js` to the TypeScript source beside it, in dev and build alike. In the compiled package,
 * `entry.js` exists.
 */
export async function createMediaWorker(workerUrl?: string | URL): Promise<MediaWorker> {
  const made = () =>
    workerUrl === undefined
      ? new Worker(new URL('./entry.js', import.meta.url), { type: 'module' })
      : new Worker(workerUrl, { type: 'module' });
  let client: MediaWorker;
  try {
    client = new MediaWorker(made());
  } catch (error) {
    throw new WorkerError(`the browser refused the media worker: ${message(error)}`);
  }
  try {
    await client.ping();
  } catch (error) {
    client.terminate();
    throw error;
  }
  return client;
}
