/** What became of each packet at a link, kept in columns that double when they are full. */
import { DROP_REASONS, type DropReason, type LinkDelivery, type LinkDrop } from '../core/link.js';

const COLUMNS = 5;

/** One packet. Times in microseconds on the shaper's clock. */
export interface PacketRecord {
  /** When it came in. */
  offeredUs: number;
  sizeBytes: number;
  /** NaN if it was dropped. */
  queueDelayUs: number;
  /** When its last bit left the bottleneck, or when it was dropped. */
  departUs: number;
  dropped: DropReason | null;
}

export class PacketLog {
  #rows = 0;
  #columns = Array.from({ length: COLUMNS }, () => new Float64Array(1024));

  get length(): number {
    return this.#rows;
  }

  delivered({ offeredUs, sizeBytes, queueDelayUs, departUs }: LinkDelivery): void {
    this.#append([offeredUs, sizeBytes, queueDelayUs, departUs, 0]);
  }

  dropped({ offeredUs, sizeBytes, timeUs, reason }: Omit<LinkDrop, 'packetId'>): void {
    this.#append([offeredUs, sizeBytes, Number.NaN, timeUs, DROP_REASONS.indexOf(reason)]);
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

  #append(values: readonly number[]): void {
    if (this.#rows === this.#columns[0]?.length) {
      this.#columns = this.#columns.map((column) => {
        const larger = new Float64Array(column.length * 2);
        larger.set(column);
        return larger;
      });
    }
    this.#columns.forEach((column, i) => (column[this.#rows] = values[i] ?? Number.NaN));
    this.#rows++;
  }
}
