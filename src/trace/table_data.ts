import type { TableSpec } from '../core/index.js';
import { timeColumn } from './tables.js';

const INITIAL_ROWS = 256;

/**
 * One table of a trace in memory: a Float64Array for each column. Full arrays double their length. NaN is an
 * absent value.
 */
export class TableData {
  readonly spec: TableSpec;
  #columns: Float64Array[];
  /** The position of each row in the order of all rows of the trace. */
  #order = new Float64Array(0);
  #rows = 0;
  #sorted = true;
  readonly #time: number;
  /** By row: the unknown fields as JSON members, in the form `,"x":1`. */
  readonly #extras = new Map<number, string>();

  constructor(spec: TableSpec) {
    this.spec = spec;
    this.#columns = spec.columns.map(() => new Float64Array(0));
    this.#time = timeColumn(spec);
  }

  get rows(): number {
    return this.#rows;
  }

  /** The size of the columns in bytes, including the unused space at their ends. */
  get memoryBytes(): number {
    return this.#order.byteLength * (this.#columns.length + 1);
  }

  /** Whether the times never decrease from one row to the next. */
  get sorted(): boolean {
    return this.#sorted;
  }

  /**
   * Appends `rows` rows, given as columns. Their positions in the whole trace are `order`, `order + 1`, and so
   * on.
   */
  append(columns: readonly ArrayLike<number>[], rows: number, order: number): void {
    this.#reserve(this.#rows + rows);
    this.#columns.forEach((to, index) => {
      const from = columns[index];
      for (let i = 0; i < rows; i++) to[this.#rows + i] = from?.[i] ?? NaN;
    });
    for (let i = 0; i < rows; i++) this.#finishRow(order + i);
  }

  /** Appends one row. `values` are in the order of the columns, and are copied. */
  appendRow(values: Float64Array, order: number, extra?: string): void {
    this.#reserve(this.#rows + 1);
    for (let c = 0; c < this.#columns.length; c++)
      (this.#columns[c] as Float64Array)[this.#rows] = values[c] ?? NaN;
    if (extra !== undefined) this.#extras.set(this.#rows, extra);
    this.#finishRow(order);
  }

  /** The used part of the column with this index. It is a view, which is valid until the next append. */
  column(index: number): Float64Array {
    return (this.#columns[index] as Float64Array).subarray(0, this.#rows);
  }

  /** The table's time column. */
  time(): Float64Array {
    return this.column(this.#time);
  }

  order(): Float64Array {
    return this.#order.subarray(0, this.#rows);
  }

  extra(row: number): string | undefined {
    return this.#extras.get(row);
  }

  #finishRow(order: number): void {
    const time = this.#columns[this.#time] as Float64Array;
    if (this.#rows > 0 && !((time[this.#rows] as number) >= (time[this.#rows - 1] as number)))
      this.#sorted = false;
    this.#order[this.#rows] = order;
    this.#rows += 1;
  }

  #reserve(rows: number): void {
    const capacity = this.#order.length;
    if (rows <= capacity) return;
    const length = Math.max(rows, 2 * capacity, INITIAL_ROWS);
    const grow = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(length);
      grown.set(old);
      return grown;
    };
    this.#columns = this.#columns.map(grow);
    this.#order = grow(this.#order);
  }
}
