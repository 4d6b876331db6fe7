/**
 * The page's end of the frame worker. A page's first task may create receivers before the worker can prove that it
 * runs; they are attached to the worker on trust, and released if it turns out that it does not run.
 */
import type {
  FrameWorkerAnswer,
  FrameWorkerNotes,
  FrameWorkerOptions,
  FrameWorkerRequest,
} from './frame_protocol.js';
import { newWorker } from './blob_worker.js';
import { attempt, listen, setTimeout } from './natives.js';

type State = 'starting' | 'alive' | 'failed';

/** A worker that has not started after this time never will. */
const START_MS = 5000;

/** A worker that does not answer within this time is taken to have nothing to report. */
const ANSWER_MS = 1000;

const NOTHING: FrameWorkerNotes = { rows: [], late: [] };

export class FrameWorker {
  #worker: Worker | null = null;
  #state: State = 'starting';
  #nextId = 0;
  readonly #waiting = new Map<number, (notes: FrameWorkerNotes) => void>();
  #attached = false;

  /**
   * `failed` is called, at most once, if the worker turns out not to run after the constructor has returned. If
   * the worker cannot even be created, `failed` is not called, and `usable` is false at once.
   */
  constructor(
    source: string,
    private readonly failed: () => void,
  ) {
    try {
      const worker = newWorker(source);
      this.#worker = worker;
      listen(worker, 'message', (event) => this.#hear((event as MessageEvent<FrameWorkerAnswer>).data));
      // If the page's Content-Security-Policy refuses the worker, it may do so only after the construction.
      listen(worker, 'error', () => this.#fail());
      setTimeout(() => this.#fail(), START_MS);
      void this.#ask();
    } catch {
      this.#state = 'failed';
    }
  }

  #fail(): void {
    if (this.#state !== 'starting') return;
    this.#state = 'failed';
    this.failed();
  }

  /** Whether transforms may be attached. */
  get usable(): boolean {
    return this.#state !== 'failed';
  }

  /** A transform for a receiver; only to be called while the worker is usable. Throws the browser's errors. */
  transform(options: FrameWorkerOptions): RTCRtpScriptTransform {
    if (this.#worker === null) throw new Error('there is no worker');
    this.#attached = true;
    return new RTCRtpScriptTransform(this.#worker, options);
  }

  /** What was noted since the last call. Never waits long, never rejects. */
  take(): Promise<FrameWorkerNotes> {
    return this.#attached ? this.#ask() : Promise.resolve(NOTHING);
  }

  /** Lets frames pass without noting them. */
  pause(): void {
    void this.#ask(false);
  }

  resume(): void {
    void this.#ask(true);
  }

  #ask(notes?: boolean): Promise<FrameWorkerNotes> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      attempt(() =>
        this.#worker?.postMessage(
          (notes === undefined ? { id } : { id, notes }) satisfies FrameWorkerRequest,
        ),
      );
      setTimeout(() => this.#resolve(id, NOTHING), ANSWER_MS);
    });
  }

  #hear({ id, rows, late }: FrameWorkerAnswer): void {
    if (this.#state === 'starting') this.#state = 'alive';
    this.#resolve(id, { rows, late });
  }

  #resolve(id: number, notes: FrameWorkerNotes): void {
    this.#waiting.get(id)?.(notes);
    this.#waiting.delete(id);
  }
}
