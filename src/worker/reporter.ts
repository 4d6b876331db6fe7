import type { TraceBatch } from '../core/index.js';
import type { WorkerEvent, WorkerStats } from './protocol.js';

/** A worker's one way out: keeps the order of events, moves columns instead of copying them. */
export class Reporter {
  readonly stats: WorkerStats = {
    frames: 0,
    busyMs: 0,
    framesWithoutTrailer: 0,
    framesWithoutReceiveTime: 0,
  };

  constructor(private readonly port: MessagePort) {}

  emit(event: WorkerEvent): void {
    this.port.postMessage(event);
  }

  batches(batches: readonly TraceBatch[]): void {
    for (const batch of batches) if (batch.rows > 0) this.#send(packed(batch));
  }

  #send(batch: TraceBatch): void {
    const buffer = batch.columns[0]?.buffer;
    const event: WorkerEvent = { kind: 'batch', batch };
    this.port.postMessage(event, buffer instanceof ArrayBuffer ? [buffer] : []);
  }

  tick(): void {
    this.emit({ kind: 'tick', stats: this.stats });
  }

  /** Runs `work` and counts its time as this worker's cost. */
  measured<T>(work: () => T): T {
    const from = performance.now();
    try {
      return work();
    } finally {
      this.stats.busyMs += performance.now() - from;
    }
  }
}

/** The same rows with all columns in one buffer: moving one is a good deal cheaper than many. */
function packed({ table, rows, columns }: TraceBatch): TraceBatch {
  const all = new Float64Array(rows * columns.length);
  const views = columns.map((column, i) => {
    all.set(column, i * rows);
    return all.subarray(i * rows, (i + 1) * rows);
  });
  return { table, rows, columns: views };
}
