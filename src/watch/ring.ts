/**
 * The part of a recording that is in memory: the latest minutes, divided into segments. A segment that gets too
 * old is converted to lines of the trace format, passed on for storage elsewhere, and dropped.
 */
import { TABLE_SPECS, type TraceBatch, type TraceEvent } from '../core/index.js';
import { TraceData, type TraceExtent, type TraceView, type ViewQuery } from '../trace/index.js';
import { EVENT_SOURCE, PackedSegment, TEXT_SOURCE, textBytes, type SegmentLog } from './packed_segment.js';

const SEGMENT_US = 15e6;
/**
 * The newest segment, and this many segments before it, are not packed. A view of the last half minute then
 * needs no unpacking.
 */
const LOOSE_SEGMENTS = 2;
/** At most this many rows of each table are converted to lines to estimate the size of all its lines. */
const SIZED_LINES = 16;

const SOURCES = new Map(TABLE_SPECS.map(({ name }, index) => [name, index]));

interface Segment {
  /** Segments are numbered from 0. */
  number: number;
  fromUs: number;
  /** Null once the segment is packed. */
  loose: { data: TraceData; log: SegmentLog } | null;
  packed: PackedSegment | null;
  extent: TraceExtent | null;
  /** The approximate length of the lines of the segment, in bytes; 0 while it is the newest segment. */
  lineBytes: number;
}

/** A segment that is being removed from memory, as lines of the trace format. */
export interface Spilled {
  number: number;
  fromUs: number;
  lines: readonly string[];
}

/** Receives a segment that is being removed from memory, for storage elsewhere. */
export type Spill = (segment: Spilled) => void;

function begun(number: number, fromUs: number): Segment {
  const log = { runs: [], events: [], texts: [] };
  return {
    ...{ number, fromUs, packed: null, extent: null, lineBytes: 0 },
    loose: { data: new TraceData(), log },
  };
}

const dataOf = ({ loose, packed }: Segment): TraceData => loose?.data ?? packed?.unpack() ?? new TraceData();

/** Estimates the length of the lines of a segment in bytes, from some rows of each table. */
function lineBytesOf(data: TraceData, { texts, events }: SegmentLog): number {
  let bytes = textBytes(texts) + texts.length + events.length * 100;
  for (const { name } of TABLE_SPECS) {
    const table = data.table(name);
    const some = Math.min(table.rows, SIZED_LINES);
    if (some === 0) continue;
    const sized = new TraceData();
    const columns = table.spec.columns.map((_, index) => table.column(index).subarray(0, some));
    sized.append({ table: name, rows: some, columns });
    bytes += (([...sized.lines()].join('\n').length + 1) / some) * table.rows;
  }
  return bytes;
}

export class TraceRing {
  #segments: Segment[] = [];
  #next = 0;
  /** Called with each segment that is dropped. If it is null, the rows are lost. */
  spill: Spill | null = null;

  constructor(readonly keepUs: number) {}

  /** The number of the oldest segment in memory. */
  get first(): number {
    return this.#segments[0]?.number ?? 0;
  }

  /** The number of the segment to which rows are appended. */
  get newest(): number {
    return this.#newest.number;
  }

  /** The start of the oldest segment in memory; null if there is no segment. */
  get fromUs(): number | null {
    return this.#segments[0]?.fromUs ?? null;
  }

  /** The memory that rows and other lines occupy, in bytes. */
  get memoryBytes(): number {
    return this.#segments.reduce((sum, { loose, packed }) => {
      if (loose === null) return sum + (packed?.memoryBytes ?? 0);
      const tables = TABLE_SPECS.map(({ name }) => loose.data.table(name).memoryBytes);
      return sum + tables.reduce((all, each) => all + each, 0) + textBytes(loose.log.texts);
    }, 0);
  }

  /** The approximate length of the lines of all segments in memory, in bytes. */
  get lineBytes(): number {
    return this.#segments.reduce((sum, { loose, lineBytes }) => {
      if (lineBytes > 0 || loose === null) return sum + lineBytes;
      return sum + lineBytesOf(loose.data, loose.log);
    }, 0);
  }

  /**
   * Sets the time for the rows that are appended next. Starts a new segment if the newest one is long enough,
   * and drops segments that are too old.
   */
  advance(nowUs: number): void {
    const newest = this.#segments.at(-1);
    if (newest === undefined || nowUs - newest.fromUs >= SEGMENT_US) {
      if (newest?.loose) newest.lineBytes = lineBytesOf(newest.loose.data, newest.loose.log);
      this.#segments.push(begun(this.#next++, nowUs));
      for (const segment of this.#segments.slice(0, -LOOSE_SEGMENTS - 1)) pack(segment);
    }
    for (let second = this.#segments[1]; second !== undefined; second = this.#segments[1]) {
      if (second.fromUs > nowUs - this.keepUs) break;
      const oldest = this.#segments.shift();
      if (oldest === undefined) break;
      const { number, fromUs } = oldest;
      this.spill?.({ number, fromUs, lines: [...dataOf(oldest).lines()] });
    }
  }

  get #newest(): Segment {
    const newest = this.#segments.at(-1);
    if (newest !== undefined) return newest;
    const segment = begun(this.#next++, 0);
    this.#segments.push(segment);
    return segment;
  }

  get #open(): { data: TraceData; log: SegmentLog } {
    const newest = this.#newest;
    newest.loose ??= { data: new TraceData(), log: { runs: [], events: [], texts: [] } };
    return newest.loose;
  }

  append(batch: TraceBatch): void {
    const { data, log } = this.#open;
    data.append(batch);
    log.runs.push({ source: SOURCES.get(batch.table) ?? TEXT_SOURCE, rows: batch.rows });
  }

  event(event: TraceEvent): void {
    const { data, log } = this.#open;
    data.appendEvent(event);
    log.events.push(event);
    log.runs.push({ source: EVENT_SOURCE, rows: 1 });
  }

  /** Appends a line that is neither a table row nor an event. */
  line(text: string): void {
    const { data, log } = this.#open;
    data.appendUnknown(text);
    log.texts.push(text);
    log.runs.push({ source: TEXT_SOURCE, rows: 1 });
  }

  /** Returns rows to draw. Throws RangeError if the table or column does not exist. */
  view(query: ViewQuery): TraceView {
    const { maxPoints } = query;
    const within = this.#within(query);
    const share =
      maxPoints === undefined ? {} : { maxPoints: Math.ceil(maxPoints / Math.max(1, within.length)) };
    const views = within.map(({ loose, packed }) =>
      (loose?.data ?? packed?.table(query.table) ?? new TraceData()).view({ ...query, ...share }),
    );
    const [first] = views;
    if (first === undefined) return new TraceData().view(query);
    const names = Object.keys(first.columns);
    const columns = names.map((name) => {
      const parts = views.map((each) => each.columns[name] ?? new Float64Array());
      const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      return [name, query.last === undefined ? whole : whole.slice(-query.last)] as const;
    });
    return { columns: Object.fromEntries(columns) };
  }

  /**
   * Returns the segments that may contain rows of the queried period. Segments that begin up to SEGMENT_US
   * after the period are included, because a row may be appended some seconds after its time.
   */
  #within({ fromUs = -Infinity, toUs = Infinity }: ViewQuery): Segment[] {
    return this.#segments.filter(({ fromUs: begin }, i) => {
      const end = this.#segments[i + 1]?.fromUs ?? Infinity;
      return end >= fromUs && begin - SEGMENT_US <= toUs;
    });
  }

  extent(): TraceExtent {
    const extents = this.#segments.map(
      ({ extent, loose }) => extent ?? (loose?.data ?? new TraceData()).extent(),
    );
    const known = (values: (number | null)[]): number[] => values.filter((value) => value !== null);
    const from = known(extents.map(({ fromUs }) => fromUs));
    const to = known(extents.map(({ toUs }) => toUs));
    const rows: Record<string, number> = {};
    for (const extent of extents)
      for (const [name, count] of Object.entries(extent.rows)) rows[name] = (rows[name] ?? 0) + count;
    const distinct = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
    return {
      fromUs: from.length === 0 ? null : Math.min(...from),
      toUs: to.length === 0 ? null : Math.max(...to),
      rows,
      events: extents.reduce((sum, { events }) => sum + events, 0),
      flows: distinct(extents.flatMap(({ flows }) => flows)),
      links: distinct(extents.flatMap(({ links }) => links)),
    };
  }

  /**
   * Returns the number and the start of a segment: the segment that was the newest at the time `fromUs` or, if
   * that segment has left memory, the oldest segment in memory.
   */
  from(fromUs: number): { number: number; fromUs: number } {
    const at = this.#segments.findLastIndex((segment) => segment.fromUs <= fromUs);
    const { number, fromUs: begin } = this.#segments[Math.max(0, at)] ?? this.#newest;
    return { number, fromUs: begin };
  }

  /**
   * Yields all lines of the segment with the number `first`, and of later segments, in the order in which they
   * were appended.
   */
  *lines(first = 0): Generator<string, void> {
    for (const segment of this.#segments) if (segment.number >= first) yield* dataOf(segment).lines();
  }
}

function pack(segment: Segment): void {
  const { loose } = segment;
  if (loose === null) return;
  segment.extent = loose.data.extent();
  segment.packed = new PackedSegment(loose.data, loose.log);
  segment.loose = null;
}
