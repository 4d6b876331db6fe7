/**
 * A log of what happened to each packet on a link, kept in columns. When the columns are full, their length is
 * doubled, up to 63 MB in total. After that, the oldest eighth of the packets is discarded.
 */
import { DROP_REASONS, type DropReason, type LinkDelivery, type LinkDrop } from '../core/link.js';

/** The number of columns: offered, size, queue delay, departure, drop reason, flow. */
export const LOG_COLUMNS = 6;
const FIRST_ROWS = 1024;
/** A packet takes 48 B, so this is 63 MB: 84 minutes at 2.5 Mbps in packets of 1200 B. */
export const MAX_PACKETS = 1.25 * 2 ** 20;
const PIECES = 8;

/** One packet. Times are in microseconds on the shaper's clock. */
export interface PacketRecord {
  /** When the packet reached the link. */
  offeredUs: number;
  sizeBytes: number;
  /** NaN if the packet was dropped. */
  queueDelayUs: number;
  /** When the packet's last bit left the bottleneck, or when the packet was dropped. */
  departUs: number;
  dropped: DropReason | null;
}

/** A packet that the link dropped, and its flow. */
export type LoggedDrop = Omit<LinkDrop, 'packetId'> & { flow?: number };

export class PacketLog {
  #rows = 0;
  #columns = emptyColumns();
  #keptFromUs: number | null = null;

  constructor(private readonly maxPackets = MAX_PACKETS) {}

  /**
   * The log contains all packets that departed after this time, but not all earlier packets. Null if the log has
   * never discarded packets.
   */
  get keptFromUs(): number | null {
    return this.#keptFromUs;
  }

  get length(): number {
    return this.#rows;
  }

  delivered({ offeredUs, sizeBytes, queueDelayUs, departUs }: LinkDelivery, flow = 0): void {
    this.#append([offeredUs, sizeBytes, queueDelayUs, departUs, 0, flow]);
  }

  dropped({ offeredUs, sizeBytes, timeUs, reason, flow = 0 }: LoggedDrop): void {
    this.#append([offeredUs, sizeBytes, Number.NaN, timeUs, DROP_REASONS.indexOf(reason), flow]);
  }

  /** The packets in the order in which they departed or were dropped. */
  records(): PacketRecord[] {
    const [offered, size, delay, depart, reason] = this.#columns;
    return Array.from({ length: this.#rows }, (_, i) => ({
      offeredUs: offered?.[i] ?? Number.NaN,
      sizeBytes: size?.[i] ?? Number.NaN,
      queueDelayUs: delay?.[i] ?? Number.NaN,
      departUs: depart?.[i] ?? Number.NaN,
      dropped: DROP_REASONS[reason?.[i] ?? 0] ?? null,
    })).sort((x, y) => x.departUs - y.departUs);
  }

  /** Returns the LOG_COLUMNS columns, all of the same length, one after the other. The log is empty afterwards. */
  take(): Float64Array<ArrayBuffer> {
    const taken = new Float64Array(LOG_COLUMNS * this.#rows);
    this.#columns.forEach((column, i) => taken.set(column.subarray(0, this.#rows), i * this.#rows));
    this.#rows = 0;
    return taken;
  }

  #append(values: readonly number[]): void {
    if (this.#rows === this.maxPackets) this.#drop();
    if (this.#rows === this.#columns[0]?.length) {
      this.#columns = this.#columns.map((column) => {
        const larger = new Float64Array(Math.min(this.maxPackets, column.length * 2));
        larger.set(column);
        return larger;
      });
    }
    this.#columns.forEach((column, i) => (column[this.#rows] = values[i] ?? Number.NaN));
    this.#rows++;
  }

  #drop(): void {
    const dropped = this.maxPackets / PIECES;
    const [, , , departUs] = this.#columns;
    this.#keptFromUs = departUs?.[dropped - 1] ?? null;
    for (const column of this.#columns) column.copyWithin(0, dropped);
    this.#rows -= dropped;
  }
}

function emptyColumns(): Float64Array[] {
  return Array.from({ length: LOG_COLUMNS }, () => new Float64Array(FIRST_ROWS));
}
