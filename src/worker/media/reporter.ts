import { CoreError, type TraceBatch } from '../../core/index.js';
import { TickLateness } from '../../machine/tick_lateness.js';
import { TICK_MS, type WorkerEvent, type WorkerStats } from './protocol.js';

/**
 * The only way in which a worker sends its reports: keeps them in order, and transfers columns instead of
 * copying them.
 */
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
   * Sends all batches in one message: a reader that stopped between two messages would have inputs without
   * their outputs.
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
   * Runs `work`, which gives the core a row of data from outside. A row that the core refuses is dropped
   * individually: it is counted, and the first one is reported. Returns whether the row was accepted; throws
   * everything else that goes wrong.
   */
  row(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      // A refusal names the field; an error without one means that the core itself cannot continue.
      if (!(error instanceof CoreError) || error.field === undefined) throw error;
      this.stats.rowsRefused += 1;
      if (this.stats.rowsRefused === 1) this.emit({ kind: 'row-refused', message: error.message });
      return false;
    }
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

/**
 * The same rows with all columns in one buffer: transferring one buffer is much cheaper than transferring many.
 */
function packed({ table, rows, columns }: TraceBatch): TraceBatch {
  const all = new Float64Array(rows * columns.length);
  const views = columns.map((column, i) => {
    all.set(column, i * rows);
    return all.subarray(i * rows, (i + 1) * rows);
  });
  return { table, rows, columns: views };
}
