/**
 * The page's interface to the frame worker. Receivers get transforms at once, even before the worker has proved
 * that it runs. If the worker then fails to start, `failed` is called, so that the transforms are removed again.
 */
import type {
  FrameWorkerAnswer,
  FrameWorkerNotes,
  FrameWorkerOptions,
  FrameWorkerRequest,
} from './frame_protocol.js';
import { newWorker, whenLate } from './blob_worker.js';
import { attempt, epochMs, listen, setTimeout } from './natives.js';

type State = 'starting' | 'alive' | 'failed';

/** What a worker reports later than this is passed on with its next answer. */
const ANSWER_MS = 1000;

const NOTHING: FrameWorkerNotes = { rows: [], late: [] };

export class FrameWorker {
  #worker: Worker | null = null;
  #state: State = 'starting';
  #nextId = 0;
  readonly #waiting = new Map<number, (notes: FrameWorkerNotes) => void>();
  #attached = false;
  #isPaused = false;
  /** Answers that came later than ANSWER_MS. */
  #overdue: FrameWorkerNotes[] = [];

  /**
   * If the worker cannot be created, `usable` is false at once, and `failed` is not called. If the worker is
   * created but does not start, `failed` is called once.
   */
  constructor(
    source: string,
    private readonly failed: () => void,
  ) {
    try {
      const worker = newWorker(source);
      this.#worker = worker;
      listen(worker, 'message', (event) => this.#hear((event as MessageEvent<FrameWorkerAnswer>).data));
      // If a Content-Security-Policy refuses the worker, the constructor may still succeed, and an error
      // event follows.
      listen(worker, 'error', () => this.#fail());
      whenLate(() => this.#fail());
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

  /**
   * Creates a transform for a receiver. To be called only while the worker is usable. Throws the browser's
   * errors.
   */
  transform(options: FrameWorkerOptions): RTCRtpScriptTransform {
    if (this.#worker === null) throw new Error('the frame worker could not be created');
    this.#attached = true;
    return new RTCRtpScriptTransform(this.#worker, options);
  }

  /**
   * Returns the frames and late ticks recorded since the last call of `take` or `pause`. Waits for at most ANSWER_MS.
   * Never rejects.
   */
  async take(): Promise<FrameWorkerNotes> {
    if (!this.#attached) return NOTHING;
    const answer = await this.#ask();
    const all = [...this.#overdue.splice(0), answer];
    return { rows: all.flatMap(({ rows }) => rows), late: all.flatMap(({ late }) => late) };
  }

  /** Tells the worker to pass frames on without recording them. */
  pause(): void {
    this.#isPaused = true;
    this.#overdue = [];
    void this.#ask(false);
  }

  resume(): void {
    // Without a pause, the worker has frames to report, which its answer to this request would contain.
    if (!this.#isPaused) return;
    this.#isPaused = false;
    void this.#ask(true);
  }

  #ask(notes?: boolean): Promise<FrameWorkerNotes> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      attempt(() =>
        this.#worker?.postMessage({
          ...{ id, epochMs: epochMs() },
          ...(notes !== undefined && { notes }),
        } satisfies FrameWorkerRequest),
      );
      setTimeout(() => this.#resolve(id, NOTHING), ANSWER_MS);
    });
  }

  #hear({ id, rows, late }: FrameWorkerAnswer): void {
    if (this.#state === 'starting') this.#state = 'alive';
    if (this.#waiting.has(id)) this.#resolve(id, { rows, late });
    else if (!this.#isPaused) this.#overdue.push({ rows, late });
  }

  #resolve(id: number, notes: FrameWorkerNotes): void {
    this.#waiting.get(id)?.(notes);
    this.#waiting.delete(id);
  }
}
