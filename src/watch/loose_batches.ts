/**
 * Merges small batches to save memory. Shadow controllers produce many batches of few rows. Each column of a
 * batch has its own buffer, which takes several times the memory of its numbers. Therefore, every ten seconds,
 * the new batches of each stream are merged into one batch per table. The rows of a table stay in order. The
 * order between tables is lost here; the recording keeps it.
 */
import type { TraceBatch } from '../core/index.js';
import type { CallRecord, ShadowRecord } from '../calls/record/record.js';

const EVERY_US = 10e6;

export class LooseBatches {
  readonly #joined = new WeakSet<TraceBatch>();
  #nextUs = -Infinity;

  constructor(private readonly record: CallRecord) {}

  advance(nowUs: number): void {
    if (nowUs < this.#nextUs) return;
    this.#nextUs = nowUs + EVERY_US;
    for (const shadow of this.record.shadows) this.#join(shadow);
  }

  #join(shadow: ShadowRecord): void {
    const loose = new Map<TraceBatch['table'], TraceBatch[]>();
    for (const batch of shadow.batches) {
      if (this.#joined.has(batch)) continue;
      loose.set(batch.table, [...(loose.get(batch.table) ?? []), batch]);
    }
    const kept = shadow.batches.filter((batch) => this.#joined.has(batch));
    const joined = [...loose].map(([table, batches]) => joinedBatch(table, batches));
    for (const batch of joined) this.#joined.add(batch);
    shadow.batches = [...kept, ...joined];
  }
}

function joinedBatch(table: TraceBatch['table'], batches: readonly TraceBatch[]): TraceBatch {
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  const columns = (batches[0]?.columns ?? []).map((_, index) => {
    const column = new Float64Array(rows);
    let at = 0;
    for (const batch of batches) {
      column.set((batch.columns[index] ?? new Float64Array()).subarray(0, batch.rows), at);
      at += batch.rows;
    }
    return column;
  });
  return { table, rows, columns };
}
