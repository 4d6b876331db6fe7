/**
 * Replaces a link's thread when the thread dies. If this happens in the middle of a call, the new thread takes over
 * the port and the settings. So the pages' next connectivity checks find the relay at the same address.
 */
import { hrtime } from 'node:process';
import { Worker } from 'node:worker_threads';

import { ConfigError } from '../../text/quantities.js';
import type { Direction } from '../../core/direction.js';
import type {
  AgentMessage,
  CapacitySteps,
  FromThread,
  LinkRequest,
  PathBatch,
  PathOwner,
  Sockets,
  ThreadProblem,
  ThreadSetup,
  ThreadTick,
  ToThread,
  WayBatch,
} from './protocol.js';
import { ThreadMemory } from './thread_memory.js';
import { ShaperError } from '../udp.js';

type Ready = Extract<FromThread, { kind: 'ready' }>;

/** A link fails permanently when its thread has ended this many times. */
const MAX_DEATHS = 3;

export interface ThreadHooks {
  /** Called when a thread starts to listen: the first thread, and each replacement. */
  ready(where: Ready): void;
  flow(message: Extract<FromThread, { kind: 'flow' }>): void;
  batch(batch: PathBatch): void;
  /** Called after the batches of all paths. */
  tick(tick: ThreadTick): void;
  /** Called when the thread has ended and a replacement is starting. */
  died(why: string): void;
  /** Called when the thread has ended and no replacement will start. Not called after `close`. */
  ended(error: Error): void;
}

interface Pending {
  message: LinkRequest & { id: number };
  resolve(timeUs: number): void;
  reject(error: Error): void;
}

/** Restores an error by its name, since classes are lost when an error leaves a thread. */
function errorOf({ name, message, field }: ThreadProblem): Error {
  if (name === 'ShaperError') return new ShaperError(message);
  if (field !== undefined) {
    // The core's messages have the form `field: expected …` or `field: expected …; fix`.
    const [expected = '', fix = 'correct this value'] = message.replace(/^[^:]*: expected /, '').split('; ');
    return new ConfigError(`link.${field}`, expected, 'another value', fix);
  }
  return shaperFailed(`${name}: ${message}`);
}

const shaperFailed = (why: string): ShaperError =>
  new ShaperError(`the shaper failed: ${why}; open a new link, or run the call again`);

const failure = (text: string): { text: string; error: ShaperError } => ({ text, error: shaperFailed(text) });

/**
 * The sockets with the ports that the system chose for the first thread, so that a replacement gets the same ports.
 */
const bound = (sockets: Sockets, { a, b }: Ready): Sockets =>
  sockets.kind === 'relay' ? { ...sockets, port: a.port } : { ...sockets, ports: [a.port, b.port] };

export const hrtimeUs = (): number => {
  const [s, ns] = hrtime();
  return s * 1e6 + ns / 1e3;
};

export class LastingThread {
  #worker: Worker;
  readonly #memory: ThreadMemory;
  #nextId = 1;
  readonly #pending = new Map<number, Pending>();
  /** The sockets with the ports of the first thread; null before it listens. */
  #sockets: Sockets | null = null;
  #deaths = 0;
  /** The error that the running thread reported before its end. */
  #why: { text: string; error: Error } | null = null;
  /** Why no more requests are possible; null while they are possible. */
  #ended: Error | null = null;
  #isClosing = false;

  constructor(
    private readonly file: URL,
    private readonly setup: ThreadSetup,
    private readonly hooks: ThreadHooks,
  ) {
    this.#memory = new ThreadMemory(setup);
    this.#worker = this.#start(setup);
  }

  agent(message: AgentMessage): void {
    this.#memory.agent(message);
    this.#post(message);
  }

  extend(owner: PathOwner, directions: readonly Direction[], steps: CapacitySteps): void {
    for (const message of this.#memory.extend(owner, directions, steps)) this.#post(message);
  }

  /** When the schedule of a direction started, possibly in an earlier thread. */
  scheduleStartUs(owner: PathOwner, direction: Direction, batch: WayBatch): number | null {
    return this.#memory.started(owner, direction, batch);
  }

  /**
   * Resolves to the time from which the request applies. Requests that a thread leaves unanswered are sent to
   * the next thread.
   */
  ask(request: LinkRequest): Promise<number> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const message = { ...request, id: this.#nextId++ };
    return new Promise((resolve, reject) => {
      this.#pending.set(message.id, { message, resolve, reject });
      this.#post(message);
      this.#refer();
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#ended === null) await this.ask({ kind: 'close' }).catch(() => undefined);
    this.#settle(new ShaperError('the link is closed; open another one'));
    await this.#worker.terminate();
  }

  #start(setup: ThreadSetup): Worker {
    // The Node options of the test's own process, such as its loaders, must not reach the thread.
    const worker = new Worker(this.file, { workerData: setup, execArgv: [], name: 'ccscope shaper' });
    worker.on('message', (message: FromThread) => this.#hear(message));
    worker.on('error', ({ message }) => (this.#why ??= failure(message)));
    worker.on('exit', (code) => this.#exited(this.#why ?? failure(`its thread ended with code ${code}`)));
    return worker;
  }

  #post(message: ToThread): void {
    if (this.#ended === null) this.#worker.postMessage(message);
  }

  /**
   * Lets the thread keep the process alive only while the first thread starts, or a request awaits its
   * answer. So the process can end even if a test forgot to close a link.
   */
  #refer(): void {
    if (this.#pending.size > 0 || this.#sockets === null) this.#worker.ref();
    else this.#worker.unref();
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        this.#sockets = bound(this.setup.sockets, message);
        this.#refer();
        this.hooks.ready(message);
        return;
      case 'done':
        this.#done(message);
        return;
      case 'failed':
        this.#failed(message);
        return;
      case 'flow':
        this.hooks.flow(message);
        return;
      case 'batch':
        this.hooks.batch(message);
        return;
      case 'tick':
        this.hooks.tick(message.tick);
    }
  }

  #done({ id, timeUs }: Extract<FromThread, { kind: 'done' }>): void {
    const pending = this.#answered(id);
    if (pending === undefined) return;
    this.#memory.done(pending.message);
    pending.resolve(timeUs);
  }

  #failed({ id, problem }: Extract<FromThread, { kind: 'failed' }>): void {
    const error = errorOf(problem);
    if (id !== null) return this.#answered(id)?.reject(error);
    // The thread cannot continue. It is terminated, which frees its port; then `#exited` is called.
    this.#why ??= {
      text: problem.message,
      error:
        error instanceof ShaperError || error instanceof ConfigError ? error : new ShaperError(error.message),
    };
    void this.#worker.terminate();
  }

  #answered(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#refer();
    return pending;
  }

  #exited({ text, error }: { text: string; error: Error }): void {
    if (this.#ended !== null) return;
    if (this.#isClosing) return this.#settle(error);
    this.#deaths++;
    if (this.#sockets === null || this.#deaths >= MAX_DEATHS) {
      this.#settle(error);
      this.hooks.ended(error);
      return;
    }
    this.hooks.died(text);
    this.#restart(this.#sockets);
  }

  /** Starts a new thread. Messages to the thread wait in its message port until the thread listens. */
  #restart(sockets: Sockets): void {
    this.#why = null;
    const { change, messages } = this.#memory.resume(hrtimeUs() - this.setup.zeroUs);
    const expected = this.#memory.expected;
    const known = sockets.kind === 'pair' && expected !== null ? { ...sockets, expected } : sockets;
    this.#worker = this.#start({ ...this.setup, sockets: known, change });
    for (const message of messages) this.#post(message);
    for (const { message } of this.#pending.values()) this.#post(message);
    this.#refer();
  }

  #settle(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
    this.#worker.unref();
  }
}
