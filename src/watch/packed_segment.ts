/**
 * A segment of a recording, packed without loss. Nothing is appended to a packed segment. Packing saves a lot
 * of memory: most columns contain whole numbers close to each other, many columns never change, and most other
 * lines resemble earlier lines.
 */
import { TABLE_SPECS, tableSpec, type TableName, type TraceEvent } from '../core/index.js';
import { TraceData } from '../trace/index.js';
import { PackedColumns } from './packed_column.js';
import { PackedTexts } from './packed_texts.js';

interface PackedTable {
  rows: number;
  /** The index of the first packed column of the table. Its other columns follow. */
  first: number;
}

/**
 * A source is a number that says where a row comes from. For rows of a table, it is the table's index in the
 * schema. For events, it is EVENT_SOURCE; for all other lines, TEXT_SOURCE.
 */
export const EVENT_SOURCE = 254;
export const TEXT_SOURCE = 255;

/** Consecutive rows from one source. */
export interface Run {
  source: number;
  rows: number;
}

/** The events and other lines of a segment, and the order of its rows. */
export interface SegmentLog {
  runs: Run[];
  events: TraceEvent[];
  texts: string[];
}

export class PackedSegment {
  readonly #columns = new PackedColumns();
  readonly #tables = new Map<TableName, PackedTable>();
  readonly #sources: Uint8Array<ArrayBuffer>;
  readonly #counts: Uint32Array<ArrayBuffer>;
  readonly #events: readonly TraceEvent[];
  readonly #texts: PackedTexts;
  readonly memoryBytes: number;

  constructor(data: TraceData, { runs, events, texts }: SegmentLog) {
    this.#sources = Uint8Array.from(runs, ({ source }) => source);
    this.#counts = Uint32Array.from(runs, ({ rows }) => rows);
    this.#events = events;
    for (const { name, columns } of TABLE_SPECS) {
      const table = data.table(name);
      if (table.rows === 0) continue;
      const [first = 0] = columns.map((_, index) => this.#columns.add(table.column(index)));
      this.#tables.set(name, { rows: table.rows, first });
    }
    this.#texts = new PackedTexts(texts, this.#columns);
    this.#columns.finish();
    const runBytes = this.#sources.byteLength + this.#counts.byteLength;
    this.memoryBytes = runBytes + this.#columns.memoryBytes + this.#texts.memoryBytes;
  }

  /** Returns one table of the segment, as a trace that can be queried. */
  table(name: TableName): TraceData {
    const data = new TraceData();
    const table = this.#tables.get(name);
    if (table !== undefined)
      data.append({ table: name, rows: table.rows, columns: this.#unpacked(name, table) });
    return data;
  }

  #unpacked(name: TableName, { first }: PackedTable): Float64Array<ArrayBuffer>[] {
    return tableSpec(name).columns.map((_, index) => this.#columns.column(first + index));
  }

  /** Returns the whole segment. Its rows are in the order in which they were appended. */
  unpack(): TraceData {
    const data = new TraceData();
    const columns = new Map([...this.#tables].map(([name, table]) => [name, this.#unpacked(name, table)]));
    const texts = this.#texts.unpack();
    const taken = new Map<number, number>();
    this.#sources.forEach((source, i) => {
      const rows = this.#counts[i] ?? 0;
      const from = taken.get(source) ?? 0;
      taken.set(source, from + rows);
      if (source === EVENT_SOURCE)
        for (const event of this.#events.slice(from, from + rows)) data.appendEvent(event);
      else if (source === TEXT_SOURCE)
        for (const text of texts.slice(from, from + rows)) data.appendUnknown(text);
      else {
        const table = TABLE_SPECS[source]?.name;
        const own = table === undefined ? undefined : columns.get(table);
        if (table === undefined || own === undefined) return;
        data.append({ table, rows, columns: own.map((values) => values.subarray(from, from + rows)) });
      }
    });
    return data;
  }
}

/**
 * The approximate memory that strings occupy, in bytes. JavaScript engines store an ASCII character in one
 * byte. Lines are ASCII, except for text that people wrote.
 */
export const textBytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length, 0);
