/** The page's end of the frame worker: proven alive before any transform uses it. */
import type { FrameWorkerAnswer, FrameWorkerOptions, FrameWorkerRequest } from './frame_protocol.js';
import { attempt, listen, setTimeout } from './natives.js';

/** Why there is no worker to attach transforms to. */
export type WorkerTrouble = 'starting' | 'refused' | 'dead';

/** A worker that does not answer for so long has nothing to tell. */
const ANSWER_MS = 1000;

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string;
  };
}

/** From a Blob, so that it needs no server; where Trusted Types refuse the plain URL, by a policy. */
function newWorker(source: string): Worker {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return new Worker(url, { name: 'ccscope' });
  } catch (error) {
    const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
    if (trustedTypes === undefined) throw error;
    const policy = trustedTypes.createPolicy('ccscope', { createScriptURL: (text) => text });
    return new Worker(policy.createScriptURL(url), { name: 'ccscope' });
  }
}

export class FrameWorker {
  #worker: Worker | null = null;
  #trouble: WorkerTrouble | null = 'starting';
  #nextId = 0;
  readonly #waiting = new Map<number, (rows: FrameWorkerAnswer['rows']) => void>();
  #attached = false;

  constructor(source: string) {
    try {
      const worker = newWorker(source);
      this.#worker = worker;
      listen(worker, 'message', (event) => this.#hear((event as MessageEvent<FrameWorkerAnswer>).data));
      // A policy of the page may refuse it only now; nothing was attached to it then.
      listen(worker, 'error', () => (this.#trouble = this.#trouble === 'starting' ? 'refused' : 'dead'));
      void this.#ask();
    } catch {
      this.#trouble = 'refused';
    }
  }

  /** Null when transforms may be attached. */
  get trouble(): WorkerTrouble | null {
    return this.#trouble;
  }

  /** A transform for a receiver; only without trouble. Throws what the browser throws. */
  transform(options: FrameWorkerOptions): RTCRtpScriptTransform {
    if (this.#worker === null) throw new Error('there is no worker');
    this.#attached = true;
    return new RTCRtpScriptTransform(this.#worker, options);
  }

  /** The frames noted since the last time. Never waits long, never rejects. */
  take(): Promise<FrameWorkerAnswer['rows']> {
    return this.#attached ? this.#ask() : Promise.resolve([]);
  }

  #ask(): Promise<FrameWorkerAnswer['rows']> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      attempt(() => this.#worker?.postMessage({ id } satisfies FrameWorkerRequest));
      setTimeout(() => this.#resolve(id, []), ANSWER_MS);
    });
  }

  #hear({ id, rows }: FrameWorkerAnswer): void {
    if (this.#trouble === 'starting') this.#trouble = null;
    this.#resolve(id, rows);
  }

  #resolve(id: number, rows: FrameWorkerAnswer['rows']): void {
    this.#waiting.get(id)?.(rows);
    this.#waiting.delete(id);
  }
}
