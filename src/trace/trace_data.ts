import { TABLE_SPECS, type TableName, type TraceBatch, type TraceEvent } from '../core/index.js';
import { decimate } from './decimate.js';
import { eventLine, RowFormatter } from './ndjson_lines.js';
import { TableData } from './table_data.js';

/**
 * A query for data to draw: some columns of one table over a period, reduced to the number of points that can be
 * shown.
 */
export interface ViewQuery {
  table: TableName;
  /**
   * Names of columns. The time column need not be named: it is always returned, as `time_us`. `arrival` also has the
   * columns `overtaken` and `upper_layer`, which are 1 for some frames and 0 for the others. They compare a frame with
   * the frame before it among all selected rows: an overtaken frame was sent earlier, and a frame of an upper spatial
   * layer has the same RTP timestamp.
   */
  columns: readonly string[];
  /** The start and end of the period, both inclusive. Default: the whole trace. */
  fromUs?: number | undefined;
  toUs?: number | undefined;
  /** The largest number of rows to return. Default: all. The reduction keeps minima and maxima (see decimate()). */
  maxPoints?: number | undefined;
  /** If given, only this many rows are returned: the last ones of the period, without reduction. */
  last?: number;
  /** Selects the rows with this value in a column, for instance `{column: 'flow', value: 1}`. */
  where?: { column: string; value: number } | undefined;
}

/**
 * Rows in ascending order of time. `time_us` is always present, and contains the time column. NaN is a gap.
 */
export interface TraceView {
  columns: Record<string, Float64Array<ArrayBuffer>>;
}

/** The contents of a trace. The times are null if the trace has no rows. */
export interface TraceExtent {
  fromUs: number | null;
  toUs: number | null;
  rows: Record<string, number>;
  events: number;
  /**
   * The numbers of the flows with a controller, ascending: those in `group` rows or, without `group` rows, in
   * `rate` rows.
   */
  flows: number[];
  /** The numbers of the bottlenecks in `queue` rows, ascending. */
  links: number[];
}

interface Line {
  order: number;
  text(): string;
}

/**
 * A trace in memory: the columns of each table, the events, and the rows of unknown types. Remembers the order in
 * which all of them were appended.
 */
export class TraceData {
  readonly #tables = new Map<TableName, TableData>();
  readonly #events: { event: TraceEvent; order: number; extra: string }[] = [];
  readonly #unknown: Line[] = [];
  #order = 0;

  constructor() {
    for (const spec of TABLE_SPECS) this.#tables.set(spec.name, new TableData(spec));
  }

  /** Throws RangeError for a table that does not exist. */
  table(name: TableName): TableData {
    const table = this.#tables.get(name);
    if (table === undefined) {
      throw new RangeError(`table: expected one of ${[...this.#tables.keys()].join(', ')}, got ${name}`);
    }
    return table;
  }

  get events(): readonly TraceEvent[] {
    return this.#events.map((item) => item.event);
  }

  append(batch: TraceBatch): void {
    this.table(batch.table).append(batch.columns, batch.rows, this.#order);
    this.#order += batch.rows;
  }

  /** Appends one row. `extra` contains members that the table does not define, in the form `,"name":value…`. */
  appendRow(name: TableName, values: Float64Array, extra?: string): void {
    this.table(name).appendRow(values, this.#order++, extra);
  }

  appendEvent(event: TraceEvent, extra = ''): void {
    this.#events.push({ event, order: this.#order++, extra });
  }

  /** Stores the text of a row whose type is unknown. */
  appendUnknown(text: string): void {
    this.#unknown.push({ text: () => text, order: this.#order++ });
  }

  /** Returns the requested rows. Throws RangeError for a table or column that does not exist. */
  view(query: ViewQuery): TraceView {
    const table = this.table(query.table);
    const column = (name: string): Float64Array => {
      const index = table.spec.columns.findIndex((item) => item.name === name);
      if (index < 0) throw new RangeError(`columns: expected a column of ${table.spec.name}, got ${name}`);
      return table.column(index);
    };
    const time = table.time();
    const rows = selectRows(table, query, query.where && column(query.where.column));
    const names = query.columns.filter((name) => name !== 'time_us');
    const columns = names.map((name) => {
      const isOvertaken = name === 'overtaken';
      if (!isOvertaken && name !== 'upper_layer') return column(name);
      const values = column(isOvertaken ? 'send_time_us' : 'rtp_timestamp');
      const flags = new Float64Array(values.length);
      let before = NaN;
      for (const row of rows) {
        const now = values[row] as number;
        flags[row] = Number(isOvertaken ? now < before : now === before);
        before = now;
      }
      return flags;
    });
    const picked =
      query.last === undefined
        ? decimate(time, columns, rows, query.maxPoints ?? Infinity, spanOf(time, rows, query))
        : rows;
    const pick = (values: Float64Array): Float64Array<ArrayBuffer> => {
      const result = new Float64Array(picked.length);
      picked.forEach((row, i) => (result[i] = values[row] as number));
      return result;
    };
    const result: TraceView['columns'] = { time_us: pick(time) };
    names.forEach((name, index) => (result[name] = pick(columns[index] as Float64Array)));
    return { columns: result };
  }

  extent(): TraceExtent {
    let fromUs = Infinity;
    let toUs = -Infinity;
    const rows: Record<string, number> = {};
    for (const [name, table] of this.#tables) {
      rows[name] = table.rows;
      const time = table.time();
      const ends = table.sorted ? [time[0] ?? NaN, time.at(-1) ?? NaN] : time;
      for (const t of ends) {
        if (t < fromUs) fromUs = t;
        if (t > toUs) toUs = t;
      }
    }
    const empty = fromUs > toUs;
    const flows = this.#distinct('group', 'flow');
    return {
      fromUs: empty ? null : fromUs,
      toUs: empty ? null : toUs,
      rows,
      events: this.#events.length,
      flows: flows.length > 0 ? flows : this.#distinct('rate', 'flow'),
      links: this.#distinct('queue', 'link'),
    };
  }

  /** The different values of a column, ascending. */
  #distinct(name: TableName, column: string): number[] {
    const table = this.table(name);
    const values = table.column(table.spec.columns.findIndex((each) => each.name === column));
    return [...new Set(values)].filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  }

  /** All rows and events as lines of the trace format, in the order in which they were appended. */
  *lines(): Generator<string, void> {
    const events = this.#events.map(({ event, order, extra }): Line => {
      return { order, text: () => eventLine(event, extra) };
    });
    const sources: Iterator<Line, undefined>[] = [events.values(), [...this.#unknown].values()];
    for (const table of this.#tables.values()) sources.push(tableLines(table));
    const heads = sources.map((source) => source.next().value);
    // The orders are consecutive numbers, so each of them is at the head of a source when its turn comes.
    for (let order = 0, end = this.#order; order < end; order++) {
      const turn = heads.findIndex((head) => head?.order === order);
      yield (heads[turn] as Line).text();
      heads[turn] = sources[turn]?.next().value;
    }
  }
}

function* tableLines(table: TableData): Generator<Line, undefined> {
  const formatter = new RowFormatter(table.spec);
  const columns = table.spec.columns.map((_, index) => table.column(index));
  const order = table.order();
  const line = { order: 0, row: 0, text: () => formatter.line(columns, line.row, table.extra(line.row)) };
  for (let row = 0; row < order.length; row++) {
    line.order = order[row] as number;
    line.row = row;
    yield line;
  }
}

/** The rows that a query selects, in ascending order of time. */
function selectRows(table: TableData, query: ViewQuery, filter: Float64Array | undefined): Uint32Array {
  const time = table.time();
  const { fromUs = -Infinity, toUs = Infinity, last } = query;
  if (last !== undefined && table.sorted) return lastRows(time, query, last, filter);
  const begin = table.sorted ? firstNotBefore(time, fromUs) : 0;
  const rows = new Uint32Array(time.length - begin);
  let count = 0;
  for (let row = begin; row < time.length; row++) {
    const t = time[row] as number;
    if (t > toUs && table.sorted) break;
    if (t >= fromUs && t <= toUs && (filter === undefined || filter[row] === query.where?.value))
      rows[count++] = row;
  }
  const found = rows.subarray(0, count);
  if (table.sorted) return found;
  found.sort((a, b) => (time[a] as number) - (time[b] as number) || a - b);
  return last === undefined ? found : found.slice(-last);
}

/** The last rows that a query of a sorted table selects. Searches from the end, without reading all earlier rows. */
function lastRows(
  time: Float64Array,
  { fromUs = -Infinity, toUs = Infinity, where }: ViewQuery,
  count: number,
  filter: Float64Array | undefined,
): Uint32Array {
  const found: number[] = [];
  let end = firstNotBefore(time, toUs);
  while (time[end] === toUs) end++;
  for (let row = end - 1; row >= 0 && found.length < count; row--) {
    if ((time[row] as number) < fromUs) break;
    if (filter === undefined || filter[row] === where?.value) found.unshift(row);
  }
  return Uint32Array.from(found);
}

function firstNotBefore(time: Float64Array, us: number): number {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time[middle] as number) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

function spanOf(time: Float64Array, rows: Uint32Array, query: ViewQuery): number {
  const first = time[rows[0] ?? 0] ?? 0;
  const last = time[rows[rows.length - 1] ?? 0] ?? 0;
  const span = (query.toUs ?? last) - (query.fromUs ?? first);
  return Number.isFinite(span) && span > 0 ? span : Math.max(last - first, 1);
}
