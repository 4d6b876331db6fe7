/** The code that runs in the trace worker: it holds a trace in memory, and reads and writes files. */
import { transfer } from 'comlink';

import type { TraceBatch, TraceEvent } from '../../core/index.js';
import {
  collector,
  formatTrace,
  readTrace,
  TraceData,
  TraceError,
  unpackBatches,
  type PackedBatches,
  type TraceExtent,
  type TraceHeader,
  type TraceProblem,
  type TraceView,
  type ViewQuery,
} from '../../trace/index.js';

import { chunksOf } from '../../trace/blob_chunks.js';
import { explained, type Explanation, type ExplanationQuery } from '../../reasons/index.js';
import { holdLife } from '../life.js';

/** Errors cross the worker boundary as data: structured clones of errors lose their fields. */
export type Opened = { ok: true; header: TraceHeader } | { ok: false; problem: TraceProblem };

export type ViewAnswer = { ok: true; view: TraceView } | { ok: false; message: string };

export class TraceService {
  #trace = new TraceData();
  #header: TraceHeader = { ccscope_trace: 1 };

  /** Holds a lock of this name from now on; see life.ts. */
  hold(name: string): Promise<void> {
    return holdLife(name);
  }

  append(batch: TraceBatch): void {
    this.#trace.append(batch);
  }

  /** Appends many batches, in order. */
  appendPacked(packed: PackedBatches): void {
    for (const batch of unpackBatches(packed)) this.#trace.append(batch);
  }

  appendEvent(event: TraceEvent): void {
    this.#trace.appendEvent(event);
  }

  /** Returns one answer for each query, in the order of the queries. */
  views(queries: readonly ViewQuery[]): ViewAnswer[] {
    const answers = queries.map((query): ViewAnswer => {
      try {
        return { ok: true, view: this.#trace.view(query) };
      } catch (error) {
        return { ok: false, message: error instanceof Error ? error.message : String(error) };
      }
    });
    const views = answers.flatMap((answer) => (answer.ok ? [answer.view] : []));
    return transfer(
      answers,
      views.flatMap(({ columns }) => Object.values(columns).map(({ buffer }) => buffer)),
    );
  }

  extent(): TraceExtent {
    return this.#trace.extent();
  }

  events(): readonly TraceEvent[] {
    return this.#trace.events;
  }

  /** Explains why a flow's target rate changed, and lists the changes that a user or a schedule made. */
  explain(query: ExplanationQuery): Explanation {
    return explained(this.#trace, query);
  }

  /** Returns the trace as a file. If a file was opened, fields of `header` replace fields of its header. */
  exportNdjson(header: Partial<TraceHeader>): Blob {
    const chunks = [...formatTrace(this.#trace, { ...this.#header, ...header })];
    return new Blob(chunks, { type: 'application/x-ndjson' });
  }

  /** Replaces the contents with those of a file. If the file has an error, the contents stay unchanged. */
  async open(file: Blob, progress?: (bytes: number, total: number) => void): Promise<Opened> {
    const { sink, trace, header } = collector();
    try {
      const afterChunk = (bytes: number): void => progress?.(bytes, file.size);
      await readTrace(chunksOf(file), sink, { afterChunk });
    } catch (error) {
      if (error instanceof TraceError) return { ok: false, problem: error.problem() };
      throw error;
    }
    this.#trace = trace;
    this.#header = header();
    return { ok: true, header: this.#header };
  }

  clear(): void {
    this.#trace = new TraceData();
    this.#header = { ccscope_trace: 1 };
  }
}
