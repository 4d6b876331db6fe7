import { proxy, transfer, wrap, type Endpoint, type Remote } from 'comlink';

import type { TraceBatch, TraceEvent } from '../../core/index.js';
import type { Explanation, ExplanationQuery } from '../../reasons/index.js';
import {
  TraceError,
  type PackedBatches,
  type TraceExtent,
  type TraceHeader,
  type TraceView,
  type ViewQuery,
} from '../../trace/index.js';
import { watchLife } from '../life.js';
import { TraceJournal, type JournalEntry } from './trace_journal.js';
import type { TraceService } from './trace_service.js';

/** A trace in its own worker. The trace survives the workers that write to it. */
export interface TraceStore {
  /**
   * Appends rows. Exported files contain rows in the order of the calls. The columns are transferred, so the
   * caller must not use them again. Errors go to `onError`.
   */
  append(batch: TraceBatch): void;
  /** Appends many batches. Their buffers are transferred. */
  appendPacked(packed: PackedBatches): void;
  appendEvent(event: TraceEvent): void;
  /** Returns rows to draw. Rejects with a RangeError for an unknown table or column. */
  view(query: ViewQuery): Promise<TraceView>;
  extent(): Promise<TraceExtent>;
  events(): Promise<readonly TraceEvent[]>;
  /**
   * Explains why a flow's target rate changed, and lists the changes that a user or a schedule made.
   *
   * @internal
   */
  explain(query: ExplanationQuery): Promise<Explanation>;
  /**
   * Returns the trace as a file in format v1. If a file was opened, fields of `header` replace fields of its
   * header.
   */
  exportNdjson(header?: Partial<TraceHeader>): Promise<Blob>;
  /**
   * Replaces the contents with those of a file. If the file has an error, rejects with TraceError and keeps the
   * old contents.
   */
  open(file: Blob, progress?: (bytes: number, total: number) => void): Promise<TraceHeader>;
  clear(): Promise<void>;
  /** Ends the worker. Contents that were not exported are lost. */
  close(): void;
}

export interface TraceStoreOptions {
  /** Starts the worker. Default: `new Worker` with the script beside this file. */
  createWorker?: () => Worker;
  /** Called for errors of the methods that return nothing, and for errors of the worker itself. */
  onError?: (error: Error) => void;
  /**
   * Keeps a copy of all contents outside the worker. If the worker ends unexpectedly, it is replaced, up to
   * three times, and nothing is lost.
   */
  isKept?: boolean;
  /** Called when a worker that ended unexpectedly has been replaced. */
  onReplaced?: (why: Error) => void;
  /**
   * Called with each part of the copy that `isKept` requests, so that the caller can store it elsewhere, too.
   *
   * @internal
   */
  onKept?: (entry: JournalEntry) => void;
}

/** Starts a trace worker. Rejects if it does not start (for instance because a policy forbids workers). */
export async function createTraceStore(options: TraceStoreOptions = {}): Promise<TraceStore> {
  const store = new LastingTraceStore(options);
  await store.start();
  return store;
}

/**
 * The maximum number of workers that are started. If several workers end one after another, the cause must be
 * their input.
 */
const MAX_WORKERS = 4;

interface Asked {
  send(): void;
  reject(why: Error): void;
}

class LastingTraceStore implements TraceStore {
  readonly #journal: TraceJournal | null;
  #connected: TraceStore | null = null;
  #workers = 0;
  #isClosed = false;
  /**
   * True while the old contents are being passed to a new worker. Meanwhile, new rows are only added to the
   * journal.
   */
  #isReplaying = false;
  /** The unanswered requests. If the worker ends, they are sent again to its replacement. */
  readonly #asked = new Set<Asked>();
  /** The reason why there is no worker any more; null while there is a worker. */
  #ended: Error | null = null;

  constructor(private readonly options: TraceStoreOptions) {
    this.#journal = options.isKept === true ? new TraceJournal(options.onKept) : null;
  }

  /** Rejects if the worker does not start. */
  async start(): Promise<void> {
    const worker = (this.options.createWorker ?? defaultWorker)();
    const store = connectTraceStore(worker, this.options.onError, () => worker.terminate());
    this.#connected = store;
    this.#workers++;
    const failed = new Promise<never>((_, reject) => {
      worker.addEventListener('error', ({ message }) => {
        reject(new Error(`the trace worker failed: ${message || 'its script could not be loaded'}`));
      });
    });
    await Promise.race([store.extent(), failed]);
    failed.catch((error: unknown) => void this.#replace(error as Error));
    const { hold } = wrap<TraceService>(worker);
    void watchLife(worker, (name) => hold(name));
  }

  async #replace(why: Error): Promise<void> {
    // After `close`, the end of the worker is expected.
    if (this.#isClosed) return;
    const { onReplaced } = this.options;
    this.#store.close();
    if (this.#journal === null || this.#workers === MAX_WORKERS) {
      this.#end(why);
      return;
    }
    this.#isReplaying = true;
    try {
      await this.start();
      await this.#journal.replay(this.#store);
      onReplaced?.(why);
    } catch {
      this.#end(why);
      return;
    } finally {
      this.#isReplaying = false;
    }
    for (const { send } of [...this.#asked]) send();
  }

  /** Rejects the unanswered requests and all later requests, because no worker will answer them. */
  #end(why: Error): void {
    this.#ended = why;
    this.#store.close();
    for (const { reject } of this.#asked) reject(why);
    this.#asked.clear();
    (this.options.onError ?? reportError)(why);
  }

  get #store(): TraceStore {
    if (this.#connected === null) throw new Error('the trace store was not started');
    return this.#connected;
  }

  #ask<T>(question: (store: TraceStore) => Promise<T>): Promise<T> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const send = (): void => {
        void question(this.#store)
          .then(resolve, reject)
          .finally(() => this.#asked.delete(asked));
      };
      const asked: Asked = { send, reject };
      this.#asked.add(asked);
      if (!this.#isReplaying) send();
    });
  }

  append(batch: TraceBatch): void {
    this.#journal?.batch(batch);
    if (!this.#isReplaying) this.#store.append(batch);
  }

  appendPacked(packed: PackedBatches): void {
    this.#journal?.packed(packed);
    if (!this.#isReplaying) this.#store.appendPacked(packed);
  }

  appendEvent(event: TraceEvent): void {
    this.#journal?.event(event);
    if (!this.#isReplaying) this.#store.appendEvent(event);
  }

  view(query: ViewQuery): Promise<TraceView> {
    return this.#ask((store) => store.view(query));
  }

  extent(): Promise<TraceExtent> {
    return this.#ask((store) => store.extent());
  }

  events(): Promise<readonly TraceEvent[]> {
    return this.#ask((store) => store.events());
  }

  explain(query: ExplanationQuery): Promise<Explanation> {
    return this.#ask((store) => store.explain(query));
  }

  exportNdjson(header?: Partial<TraceHeader>): Promise<Blob> {
    return this.#ask((store) => store.exportNdjson(header));
  }

  async open(file: Blob, progress?: (bytes: number, total: number) => void): Promise<TraceHeader> {
    const header = await this.#ask((store) => store.open(file, progress));
    this.#journal?.restart(file);
    return header;
  }

  clear(): Promise<void> {
    this.#journal?.restart();
    return this.#ask((store) => store.clear());
  }

  close(): void {
    this.#isClosed = true;
    this.#store.close();
  }
}

function defaultWorker(): Worker {
  return new Worker(new URL('./trace_worker.js', import.meta.url), { type: 'module' });
}

/** Returns a store that uses the TraceService at the other end of this endpoint. */
export function connectTraceStore(
  endpoint: Endpoint,
  onError: (error: Error) => void = reportError,
  close: () => void = () => undefined,
): TraceStore {
  const remote: Remote<TraceService> = wrap<TraceService>(endpoint);
  const views = new Views(remote);
  const report = (error: unknown): void => onError(error instanceof Error ? error : new Error(String(error)));
  return {
    append(batch) {
      const buffers = new Set(batch.columns.map((column) => column.buffer));
      remote.append(transfer(batch, [...buffers])).catch(report);
    },
    appendPacked(packed) {
      remote.appendPacked(transfer(packed, [packed.layout.buffer, packed.values.buffer])).catch(report);
    },
    appendEvent(event) {
      remote.appendEvent(event).catch(report);
    },
    view: (query) => views.ask(query),
    extent: () => remote.extent(),
    events: () => remote.events(),
    explain: (query) => remote.explain(query),
    exportNdjson: (header = {}) => remote.exportNdjson(header),
    async open(file, progress) {
      const opened = await (progress === undefined ? remote.open(file) : remote.open(file, proxy(progress)));
      if (opened.ok) return opened.header;
      const name = file instanceof File ? { file: file.name } : {};
      throw new TraceError({ ...name, ...opened.problem });
    },
    clear: () => remote.clear(),
    close,
  };
}

/**
 * Collects queries that are made in the same task, and sends them to the worker in one message. A page of
 * charts makes dozens at once.
 */
class Views {
  #waiting: { query: ViewQuery; resolve(view: TraceView): void; reject(error: unknown): void }[] = [];

  constructor(private readonly remote: Remote<TraceService>) {}

  ask(query: ViewQuery): Promise<TraceView> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ query, resolve, reject }) === 1) queueMicrotask(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.remote.views(asked.map(({ query }) => query));
      answers.forEach((answer, index) => {
        if (answer.ok) asked[index]?.resolve(answer.view);
        else asked[index]?.reject(new RangeError(answer.message));
      });
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
