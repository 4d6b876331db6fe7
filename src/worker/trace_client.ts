import { proxy, transfer, wrap, type Endpoint, type Remote } from 'comlink';

import type { TraceBatch, TraceEvent } from '../core/index.js';
import {
  TraceError,
  type PackedBatches,
  type TraceExtent,
  type TraceHeader,
  type TraceView,
  type ViewQuery,
} from '../trace/index.js';
import type { TraceService } from './trace_service.js';

/** A trace that lives in a worker of its own, so that it outlives the workers that write to it. */
export interface TraceStore {
  /**
   * Appends rows; they stand in files in the order of these calls. The columns are transferred:
   * the caller must not use them again. Failures go to `onError`.
   */
  append(batch: TraceBatch): void;
  /** The same for many batches, whose buffers are transferred. */
  appendPacked(packed: PackedBatches): void;
  appendEvent(event: TraceEvent): void;
  /** Rows to draw. Rejects with RangeError's message for an unknown table or column. */
  view(query: ViewQuery): Promise<TraceView>;
  extent(): Promise<TraceExtent>;
  events(): Promise<readonly TraceEvent[]>;
  /** The trace as a file of format v1; without a header, with that of the file that was opened. */
  exportNdjson(header?: Partial<TraceHeader>): Promise<Blob>;
  /** Replaces the contents by a file's. Rejects with TraceError, and keeps what was there. */
  open(file: Blob, progress?: (bytes: number, total: number) => void): Promise<TraceHeader>;
  clear(): Promise<void>;
  /** Ends the worker; what was not exported is gone. */
  close(): void;
}

export interface TraceStoreOptions {
  /** Starts the worker; by default `new Worker` on the file beside this one. */
  createWorker?: () => Worker;
  /** Told of errors of calls that return nothing, and of the worker's own. */
  onError?: (error: Error) => void;
}

/** Starts a trace worker. Rejects if it does not start (for instance a policy forbids workers). */
export async function createTraceStore(options: TraceStoreOptions = {}): Promise<TraceStore> {
  const start = options.createWorker ?? defaultWorker;
  const worker = start();
  const store = connectTraceStore(worker, options.onError, () => worker.terminate());
  const failed = new Promise<never>((_, reject) => {
    const report = (event: ErrorEvent): void => {
      const error = new Error(
        `the trace worker failed: ${event.message || 'its script could not be loaded'}`,
      );
      options.onError?.(error);
      reject(error);
    };
    worker.addEventListener('error', report);
  });
  await Promise.race([store.extent(), failed]);
  failed.catch(() => undefined);
  return store;
}

function defaultWorker(): Worker {
  return new Worker(new URL('./trace_worker.js', import.meta.url), { type: 'module' });
}

/** The store behind an endpoint at whose other end a TraceService is exposed. */
export function connectTraceStore(
  endpoint: Endpoint,
  onError: (error: Error) => void = reportError,
  close: () => void = () => undefined,
): TraceStore {
  const remote: Remote<TraceService> = wrap<TraceService>(endpoint);
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
    view: (query) => remote.view(query),
    extent: () => remote.extent(),
    events: () => remote.events(),
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
