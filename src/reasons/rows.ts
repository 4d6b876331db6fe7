/**
 * The rows of a trace table, or of one flow in it. They are stored by column and in time order, for lookups
 * by time.
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

  /** The index of the last row at or before a time; -1 if all rows are later. */
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
   * The rows after `fromUs` and up to `toUs` (inclusive): the index of the first row, and the index after the
   * last row.
   */
  between(fromUs: number, toUs: number): [first: number, end: number] {
    return [this.lastAt(fromUs) + 1, this.lastAt(toUs) + 1];
  }

  /**
   * The rows whose decisions may have changed the target between two rows of `rate`. A decision shows there within a
   * round trip plus `delayUs`.
   */
  decidedIn(rate: Rows, from: number, to: number, delayUs: number): [first: number, end: number] {
    const lagUs = delayUs + Math.min(rate.at('rtt_us', to) || 0, 1e6);
    return this.between((rate.timeUs[from] ?? NaN) - lagUs, rate.timeUs[to] ?? NaN);
  }

  /**
   * The mean of a column over the rows from `first` to `end` (exclusive) that count, without NaNs. NaN if there are no
   * numbers.
   */
  mean(name: string, first: number, end: number, counts = (_row: number): boolean => true): number {
    const column = this.column(name);
    let [sum, count] = [0, 0];
    for (let row = first; row < end; row++) {
      const value = column[row] ?? NaN;
      if (Number.isNaN(value) || !counts(row)) continue;
      sum += value;
      count++;
    }
    return sum / count;
  }

  /** The last row from `first` to `end` (exclusive) in which a column has this value; -1 if there is none. */
  lastWith(name: string, value: number, first: number, end: number): number {
    const column = this.column(name);
    for (let row = end - 1; row >= first; row--) if (column[row] === value) return row;
    return -1;
  }

  /** The fraction of the rows from `first` to `end` (exclusive) in which a column has this value. */
  share(name: string, value: number, first: number, end: number): number {
    const column = this.column(name);
    let count = 0;
    for (let row = first; row < end; row++) if (column[row] === value) count++;
    return count / Math.max(1, end - first);
  }
}

/** A filter for the rows of a flow; null selects all rows. */
export const ofFlow = (flow: number | null): ViewQuery['where'] =>
  flow === null ? undefined : { column: 'flow', value: flow };

/** The number that stands for a name in an enumeration column. */
export function valueOf(table: TableName, column: string, name: string): number {
  const values = tableSpec(table).columns.find((each) => each.name === column)?.values ?? [];
  return values.indexOf(name);
}
