/** Packs many small batches into one buffer, which is cheap to transfer between threads. */
import { TABLE_SPECS, type TraceBatch } from '../core/index.js';

/** Batches in order. To move them to another thread, transfer `values.buffer`. */
export interface PackedBatches {
  /** Two numbers for each batch: the index of its table in TABLE_SPECS, and its number of rows. */
  layout: Uint32Array<ArrayBuffer>;
  /** The values of all batches in order; within a batch, column by column. */
  values: Float64Array<ArrayBuffer>;
}

export function packBatches(batches: readonly TraceBatch[]): PackedBatches {
  const tables = new Map(TABLE_SPECS.map(({ name }, index) => [name, index]));
  const layout = Uint32Array.from(batches.flatMap(({ table, rows }) => [tables.get(table) ?? 0, rows]));
  const length = batches.reduce((sum, { rows, columns }) => sum + rows * columns.length, 0);
  const values = new Float64Array(length);
  let at = 0;
  for (const { rows, columns } of batches) {
    for (const column of columns) {
      values.set(column, at);
      at += rows;
    }
  }
  return { layout, values };
}

/** Unpacks the batches. All columns are views of one buffer, so transfer this buffer, not the columns. */
export function unpackBatches({ layout, values }: PackedBatches): TraceBatch[] {
  const batches: TraceBatch[] = [];
  let at = 0;
  for (let i = 0; i + 1 < layout.length; i += 2) {
    const spec = TABLE_SPECS[layout[i] ?? -1];
    const rows = layout[i + 1] ?? 0;
    if (spec === undefined) throw new RangeError(`layout: expected the index of a table, got ${layout[i]}`);
    const columns = spec.columns.map((_, column) =>
      values.subarray(at + column * rows, at + (column + 1) * rows),
    );
    at += rows * columns.length;
    batches.push({ table: spec.name, rows, columns });
  }
  return batches;
}
