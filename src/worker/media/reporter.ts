import { CoreError, type TraceBatch } from '../../core/index.js';
import { TickLateness } from '../../machine/tick_lateness.js';
import { TICK_MS, type WorkerEvent, type WorkerStats } from './protocol.js';

/** Sends all reports of a worker. Keeps them in order, and transfers columns instead of copying them. */
export class Reporter {
  readonly stats: WorkerStats = {
    frames: 0,
    busyMs: 0,
    framesWithoutTrailer: 0,
    framesWithoutReceiveTime: 0,
    rowsRefused: 0,
    tickLateMs: NaN,
  };

  readonly #lateness = new TickLateness(TICK_MS);

  constructor(private readonly port: MessagePort) {}

  emit(event: WorkerEvent): void {
    this.port.postMessage(event);
  }

  /**
   * Sends all batches in one message. If inputs and outputs were sent in two messages, a reader that stopped
   * between the messages would have inputs without outputs.
   */
  batches(batches: readonly TraceBatch[]): void {
    const full = batches.filter((batch) => batch.rows > 0).map(packed);
    if (full.length === 0) return;
    const buffers = full
      .map((batch) => batch.columns[0]?.buffer)
      .filter((buffer) => buffer instanceof ArrayBuffer);
    this.port.postMessage({ kind: 'batches', batches: full } satisfies WorkerEvent, buffers);
  }

  tick(): void {
    this.stats.tickLateMs = this.#lateness.tick(performance.now()) ?? this.stats.tickLateMs;
    this.emit({ kind: 'tick', stats: this.stats });
  }

  /**
   * Runs `work`, which gives the core a row of data from outside. Returns whether the core accepted the row. A
   * refused row is dropped and counted, and the first refused row is reported. Throws every other error.
   */
  row(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      // The error of a refused row names the field with the invalid value. An error without a field means that
      // the core itself cannot continue.
      if (!(error instanceof CoreError) || error.field === undefined) throw error;
      this.stats.rowsRefused += 1;
      if (this.stats.rowsRefused === 1) this.emit({ kind: 'row-refused', message: error.message });
      return false;
    }
  }

  /** Runs `work`, and adds its duration to this worker's busy time. */
  measured<T>(work: () => T): T {
    const from = performance.now();
    try {
      return work();
    } finally {
      this.stats.busyMs += performance.now() - from;
    }
  }
}

/**
 * Returns the same rows with all columns in one buffer, because transferring one buffer is much cheaper than
 * transferring many.
 */
function packed({ table, rows, columns }: TraceBatch): TraceBatch {
  const all = new Float64Array(rows * columns.length);
  const views = columns.map((column, i) => {
    all.set(column, i * rows);
    return all.subarray(i * rows, (i + 1) * rows);
  });
  return { table, rows, columns: views };
}
