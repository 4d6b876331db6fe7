/** The packets around a moment, read from the trace in advance. */
import type { Columns } from '../../../charts/index.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';

export interface StageRows {
  fromUs: number;
  toUs: number;
  /** The rows up to this time were read. */
  readUntilUs: number;
  packets: Columns;
  queue: Columns;
  arrivals: Columns;
  feedback: Columns;
}

const PACKET_COLUMNS = ['flow', 'offered_us', 'size_bytes', 'dropped'];
const ARRIVAL_COLUMNS = ['flow', 'send_time_us', 'rtp_timestamp', 'size_bytes'];
/** The rows of one read suffice for moments from BEFORE_US before the requested time to AFTER_US after it. */
const [BEFORE_US, AFTER_US] = [2e6, 6e6];
/**
 * A packet's row has the time at which the packet left or arrived. For a packet that is waiting at the shown moment,
 * that time may be up to LATEST_US later.
 */
const LATEST_US = 3e6;

export class StageReader {
  #rows: StageRows | null = null;
  #reading: Promise<void> | null = null;
  /** Counts changes of the run, to recognise rows of an earlier run. */
  #turn = 0;

  constructor(private readonly store: Pick<TraceStore, 'view'>) {}

  /** Drops the rows that were read: they belong to the previous run. */
  forget(): void {
    this.#turn += 1;
    this.#rows = null;
  }

  /**
   * The rows for a moment; null until they have been read. Reads further rows before playback reaches the end of the
   * rows that were read.
   */
  at(timeUs: number): StageRows | null {
    const rows = this.#rows;
    const isThere = rows !== null && timeUs >= rows.fromUs && timeUs <= rows.toUs;
    const isEnough = isThere && timeUs <= rows.toUs - AFTER_US / 3;
    if (!isEnough && this.#reading === null)
      this.#reading = this.#read(timeUs).finally(() => (this.#reading = null));
    return isThere ? rows : null;
  }

  async #read(timeUs: number): Promise<void> {
    const turn = this.#turn;
    const [fromUs, toUs] = [timeUs - BEFORE_US, timeUs + AFTER_US];
    const range = { fromUs: fromUs - BEFORE_US, toUs: toUs + LATEST_US };
    const where = { column: 'link', value: 0 };
    const [packets, queue, arrivals, feedback] = await Promise.all([
      this.store.view({ table: 'packet', where, columns: PACKET_COLUMNS, ...range }),
      this.store.view({ table: 'queue', where, columns: ['queue_bytes'], ...range }),
      this.store.view({ table: 'arrival', columns: ARRIVAL_COLUMNS, ...range }),
      this.store.view({ table: 'feedback', columns: ['flow'], ...range }),
    ]);
    if (turn === this.#turn)
      this.#rows = {
        fromUs,
        toUs,
        readUntilUs: range.toUs,
        packets: packets.columns,
        queue: queue.columns,
        arrivals: arrivals.columns,
        feedback: feedback.columns,
      };
  }
}

/** The greatest length of the bottleneck's queue in the run. */
export async function longestQueueBytes(store: Pick<TraceStore, 'view'>): Promise<number> {
  const where = { column: 'link', value: 0 };
  const { columns } = await store.view({ table: 'queue', where, columns: ['queue_bytes'] });
  return (columns['queue_bytes'] ?? new Float64Array()).reduce((most, bytes) => Math.max(most, bytes), 0);
}
