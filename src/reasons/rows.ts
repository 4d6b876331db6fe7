/**
 * The rows of a trace table, or only the rows of one flow, stored by column. They are in time order and can be
 * looked up by time.
 */
import { tableSpec, type TableName } from '../core/schema.js';
import type { TraceData, ViewQuery } from '../trace/index.js';

const NONE = new Float64Array(0);

/** Rows of one table. */
export class Rows {
  readonly timeUs: Float64Array;
  readonly #columns: Readonly<Record<string, Float64Array>>;

  constructor(trace: TraceData, table: TableName, columns: readonly string[], where: ViewQuery['where']) {
    this.#columns = trace.view({ table, columns, where }).columns;
    this.timeUs = this.column('time_us');
  }

  get length(): number {
    return this.timeUs.length;
  }

  column(name: string): Float64Array {
    return this.#columns[name] ?? NONE;
  }

  /** The value in a column and row; NaN if there is no such row. */
  at(name: string, row: number): number {
    return this.#columns[name]?.[row] ?? NaN;
  }

  /** The last row that is not later than a time; -1 if all rows are later. */
  lastAt(timeUs: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.timeUs[middle] ?? NaN) <= timeUs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /**
   * The rows later than `fromUs` and not later than `toUs`: the index of the first row, and the index after the
   * last row.
   */
  between(fromUs: number, toUs: number): [first: number, end: number] {
    return [this.lastAt(fromUs) + 1, this.lastAt(toUs) + 1];
  }

  /** The mean of the numbers in a column over some rows; NaN if there are no numbers. */
  mean(name: string, first: number, end: number): number {
    const column = this.column(name);
    let [sum, count] = [0, 0];
    for (let row = first; row < end; row++) {
      const value = column[row] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
    return sum / count;
  }

  /** The share of the rows from `first` to `end` (exclusive) in which a column has this value. */
  share(name: string, value: number, first: number, end: number): number {
    const column = this.column(name);
    let count = 0;
    for (let row = first; row < end; row++) if (column[row] === value) count++;
    return count / Math.max(1, end - first);
  }
}

/** Selects the rows of a flow; null selects all rows. */
export const ofFlow = (flow: number | null): ViewQuery['where'] =>
  flow === null ? undefined : { column: 'flow', value: flow };

/** The number that stands for a name in a column of an enumeration type. */
export function valueOf(table: TableName, column: string, name: string): number {
  const values = tableSpec(table).columns.find((each) => each.name === column)?.values ?? [];
  return values.indexOf(name);
}
