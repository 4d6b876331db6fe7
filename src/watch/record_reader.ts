/**
 * Restores the record of a call from a recording. During the call, a Watch (watch.ts) built the same record, so
 * judgements give the same results. The controllers are not run again: their rows are taken from the file.
 */
import * as v from 'valibot';

import { Endpoints } from '../calls/record/endpoints.js';
import { Keeper } from '../calls/record/keep.js';
import type { CallRecord, EndpointRecord, ShadowRecord } from '../calls/record/record.js';
import type { ShadowFlow } from '../calls/record/shadow_flow.js';
import { tableSpec, type TableName, type TraceBatch, type TraceEvent } from '../core/index.js';
import type { PageMessage, RecordNotice } from '../inject/protocol.js';
import { readTrace, TraceReader, type TraceHeader, type TraceSink } from '../trace/index.js';
import { checkLine } from '../trace/line_check.js';
import { Originals } from './aliases.js';
import { heardForm, LINE_FORMS, placeForm } from './line_forms.js';
import { LooseBatches } from './loose_batches.js';
import { MESSAGE_LINES, messageOf, type MessageRow } from './message_lines.js';

export interface RecordReaderOptions {
  /** Data older than this are dropped, as during the call. Default: nothing is dropped. */
  keepUs?: number;
  /**
   * Called after each restored batch of a page. The record is then the same as it was at this time during the
   * call.
   */
  onHeard?: (record: CallRecord, nowUs: number) => void;
  /** The name of the file, for error messages. */
  file?: string;
}

const headerSchema = v.object({
  origin_epoch_ms: v.number(),
  identifiers: v.optional(v.record(v.string(), v.array(v.union([v.string(), v.number()]))), {}),
  flows: v.array(
    v.looseObject({
      flow: v.number(),
      kind: v.optional(v.string()),
      endpoint: v.number(),
      ssrc: v.number(),
      controller: v.optional(v.string()),
      preset: v.optional(v.string()),
      of: v.optional(v.number()),
    }),
  ),
});

/** The tables with the inputs and outputs of shadows (controllers that only watch received streams). */
const OF_SHADOWS: ReadonlySet<string> = new Set<TableName>([
  ...(['arrival', 'inbound', 'group', 'feedback', 'rate', 'nada', 'lcc'] as const),
]);

/**
 * The window name of all endpoints of a recording. One name is enough, because the numbers of endpoints are
 * unique within the file.
 */
const WINDOW = 'trace';

/** Replaces the shadows, which are not run again. Does nothing. */
const NO_SHADOWS = {
  frames: () => undefined,
  sample: () => undefined,
  advance: () => undefined,
  end: () => undefined,
};

interface Open {
  table: TableName;
  shadow: ShadowRecord;
  rows: Float64Array[];
}

/** Thrown for a trace whose source is not supported, such as a simulation, or whose header is damaged. */
export class NoRecordingError extends Error {
  override readonly name = 'NoRecordingError';
}

/** Builds the record from the rows of a recording, which must come in order. */
export class RecordReader implements TraceSink {
  readonly record: CallRecord = {
    ...{ originEpochMs: 0, pages: [], endpoints: [], connections: [] },
    ...{ link: null, shadows: [], late: [], notices: [] },
  };
  /** The events of the recording, such as bookmarks, actions, late frames and incidents. */
  readonly events: TraceEvent[] = [];
  readonly #endpoints = new Endpoints(this.record, undefined, NO_SHADOWS);
  readonly #keeper: Keeper | null;
  readonly #loose = new LooseBatches(this.record);
  readonly #options: RecordReaderOptions;
  #originals = new Originals(null);
  #flows = new Map<number, v.InferOutput<typeof headerSchema>['flows'][number]>();
  readonly #ids = new Map<number, EndpointRecord>();
  readonly #shadows = new Map<number, ShadowRecord>();
  #messages: PageMessage[] = [];
  #open: Open[] = [];
  #nowUs = 0;

  constructor(options: RecordReaderOptions = {}) {
    this.#options = options;
    const { keepUs } = options;
    this.#keeper = keepUs === undefined ? null : new Keeper(this.record, keepUs, NO_SHADOWS, false);
  }

  header(header: TraceHeader): void {
    const file = this.#options.file === undefined ? '' : `${this.#options.file}: `;
    if (header.source !== 'inject') {
      throw new NoRecordingError(
        `${file}source: expected "inject" (a recording of the overlay, the extension or \`ccscope attach\`), got ${JSON.stringify(header.source ?? null)}. Open other traces in the app or with \`ccscope replay\`.`,
      );
    }
    const read = v.safeParse(headerSchema, header);
    if (!read.success) {
      const [issue] = read.issues;
      throw new NoRecordingError(
        `${file}${v.getDotPath(issue) ?? 'header'}: expected ${issue.expected}, got ${issue.received}. The first line of the recording is damaged; save the recording again.`,
      );
    }
    const { origin_epoch_ms, identifiers, flows } = read.output;
    this.record.originEpochMs = origin_epoch_ms;
    this.#originals = new Originals(identifiers);
    this.#flows = new Map(flows.map((flow) => [flow.flow, flow]));
  }

  row(table: TableName, values: Float64Array): void {
    if (!OF_SHADOWS.has(table)) return;
    const index = tableSpec(table).columns.findIndex(({ name }) => name === 'flow');
    const shadow = this.#shadowOf(values[index] ?? NaN);
    if (shadow === null) return;
    const open = this.#open.findLast((each) => each.shadow === shadow);
    if (open?.table === table) open.rows.push(values.slice());
    else this.#open.push({ table, shadow, rows: [values.slice()] });
  }

  event(event: TraceEvent): void {
    this.events.push(event);
  }

  /** Throws TraceError if the line is not in the form of its type. */
  unknown(text: string, line: number): void {
    const row = JSON.parse(text) as MessageRow;
    const form = LINE_FORMS.get(row.type);
    if (form !== undefined) checkLine(row, form, line, this.#options.file);
    if (row.type === 'heard') this.#heard(v.parse(heardForm, row));
    else if (row.type === 'notice' && row['endpoint'] === undefined)
      this.record.notices.push(this.#notice(row));
    else if (row.type === 'endpoint') this.#begin(row);
    else if (MESSAGE_LINES.has(row.type)) this.#messages.push(messageOf(row, this.#originals));
  }

  #notice(row: MessageRow): RecordNotice {
    return (messageOf(row, this.#originals) as unknown as { notice: RecordNotice }).notice;
  }

  #begin(row: MessageRow): void {
    this.#tell();
    const { endpoint, page, place, url } = v.parse(placeForm, row);
    const message = messageOf(row, this.#originals);
    const batch = {
      window: WINDOW,
      url: this.#originals.name(url),
      timeUs: this.#nowUs,
      messages: [message],
    };
    this.#endpoints.hear(batch, { page, place });
    const begun = this.record.endpoints.at(-1);
    if (begun !== undefined) this.#ids.set(endpoint, begun);
  }

  /** Passes the messages read so far to the endpoints. */
  #tell(): void {
    const messages = this.#messages;
    this.#messages = [];
    if (messages.length === 0) return;
    this.#endpoints.hear(
      { window: WINDOW, url: '', timeUs: this.#nowUs, messages },
      { page: 0, place: 'page' },
    );
  }

  #heard({ time_us, page, url }: v.InferOutput<typeof heardForm>): void {
    this.#nowUs = Math.max(this.#nowUs, time_us);
    const original = this.#originals.name(url);
    const known = this.record.pages.find(({ id }) => id === page);
    if (known === undefined) this.record.pages.push({ id: page, context: 0, url: original, ended: null });
    else known.url = original;
    this.#tell();
    this.#close();
    this.#loose.advance(this.#nowUs);
    this.#keeper?.advance(this.#nowUs);
    this.#options.onHeard?.(this.record, this.#nowUs);
  }

  /** Returns the ShadowRecord of a flow; null if the flow belongs to no shadow. */
  #shadowOf(flow: number): ShadowRecord | null {
    const header = this.#flows.get(flow);
    const main = this.#flows.get(header?.of ?? flow);
    if (header?.controller === undefined || main === undefined) return null;
    const known = this.#shadows.get(main.flow);
    if (known !== undefined) return known;
    const flows = [...this.#flows.values()].filter(
      ({ flow: each, of }) => each === main.flow || of === main.flow,
    );
    const shadow: ShadowRecord = {
      flow: main.flow,
      endpoint: this.#ids.get(main.endpoint)?.id ?? main.endpoint,
      ssrc: this.#originals.ssrc(main.ssrc),
      flows: flows.map(
        ({ flow: each, controller, preset }) => ({ flow: each, controller, preset }) as ShadowFlow,
      ),
      batches: [],
    };
    this.#shadows.set(main.flow, shadow);
    this.record.shadows.push(shadow);
    return shadow;
  }

  #close(): void {
    for (const { table, shadow, rows } of this.#open) shadow.batches.push(batchOf(table, rows));
    this.#open = [];
  }

  /** To be called at the end of the file. */
  end(): void {
    this.#tell();
    this.#close();
  }
}

function batchOf(table: TableName, rows: readonly Float64Array[]): TraceBatch {
  const columns = tableSpec(table).columns.map((_, index) =>
    Float64Array.from(rows, (row) => row[index] ?? NaN),
  );
  return { table, rows: rows.length, columns };
}

/**
 * Reads a whole recording. Rejects with TraceError, or with NoRecordingError if the trace was not recorded by a
 * Watch or its header is damaged.
 */
export async function recordOfTrace(
  source: AsyncIterable<Uint8Array> | string,
  options: RecordReaderOptions = {},
): Promise<RecordReader> {
  const reader = new RecordReader(options);
  if (typeof source === 'string') {
    const lines = new TraceReader(reader, options.file);
    lines.push(new TextEncoder().encode(source));
    lines.end();
  } else await readTrace(source, reader, { file: options.file });
  reader.end();
  return reader;
}
