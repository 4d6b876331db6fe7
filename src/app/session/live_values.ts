/**
 * Keeps the newest row of each table and a few counts. Both are updated from each batch of rows before the batch goes
 * to the store.
 */
import type { TraceBatch } from '../../core/index.js';
import { TABLE_SPECS, tableSpec } from '../../core/schema.js';

/** Counts over the whole call. */
export interface Counters {
  groups: number;
  /**
   * The number of times that the overuse detector of flow 0, the main flow, began to signal overuse. Null if the flow's
   * controller has no overuse detector, or has judged no group yet.
   */
  overuseCount: number | null;
  /** The number of rows in each table. */
  rows: Record<string, number>;
}

const OVERUSE =
  tableSpec('group')
    .columns.find(({ name }) => name === 'signal')
    ?.values?.indexOf('overuse') ?? -1;

const GROUP_COLUMNS = tableSpec('group').columns.map(({ name }) => name);
const GROUP_FLOW = GROUP_COLUMNS.indexOf('flow');
const GROUP_SIGNAL = GROUP_COLUMNS.indexOf('signal');

/** For each table, the index of each column by the column's name. */
const COLUMN_INDEX: Record<string, Map<string, number>> = Object.fromEntries(
  TABLE_SPECS.map(({ name: table, columns }) => [
    table,
    new Map(columns.map(({ name }, index) => [name, index])),
  ]),
);

export class LiveValues {
  #latest = new Map<string, Float64Array>();
  #rows = new Map<string, number>();
  #overuseCount = 0;
  #signal = NaN;
  #newestUs = 0;

  /**
   * Updates the values from a batch. Must be called before the batch's columns are transferred to the store's worker.
   */
  observe({ table, rows, columns }: TraceBatch): void {
    if (rows === 0) return;
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows);
    this.#latest.set(
      table,
      Float64Array.from(columns, (column) => column[rows - 1] ?? NaN),
    );
    const timeUs = this.value(table, 'time_us');
    if (timeUs > this.#newestUs) this.#newestUs = timeUs;
    if (table === 'group') this.#countOveruse(columns);
  }

  /** Only rows of flow 0 count. All other flows belong to shadows (controllers that only watch). */
  #countOveruse(columns: readonly Float64Array[]): void {
    const [flows, signals] = [columns[GROUP_FLOW], columns[GROUP_SIGNAL]];
    signals?.forEach((signal, row) => {
      if (flows?.[row] !== 0) return;
      if (signal === OVERUSE && this.#signal !== OVERUSE) this.#overuseCount++;
      this.#signal = signal;
    });
  }

  /** The newest value of a column; NaN before the first row. */
  value(table: string, column: string): number {
    return this.#latest.get(table)?.[COLUMN_INDEX[table]?.get(column) ?? -1] ?? NaN;
  }

  /** Time of the newest row, in microseconds since the call's origin. */
  get newestUs(): number {
    return this.#newestUs;
  }

  get counters(): Counters {
    const rows = Object.fromEntries(this.#rows);
    const overuseCount = Number.isNaN(this.#signal) ? null : this.#overuseCount;
    return { groups: rows['group'] ?? 0, overuseCount, rows };
  }

  clear(): void {
    this.#latest.clear();
    this.#rows.clear();
    this.#overuseCount = 0;
    this.#signal = NaN;
    this.#newestUs = 0;
  }
}
