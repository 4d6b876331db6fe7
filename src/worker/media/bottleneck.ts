import type { Link, LinkOptions, TraceBatch } from '../../core/index.js';
import { CrossRate, crossRow } from '../../link/cross_rate.js';
import { DelayLine } from '../../link/delay_line.js';
import type { CallClock } from './clock.js';

/** Assumed sizes: the RTP payload of a packet, and the RTP, UDP and IP headers of each packet. */
const PAYLOAD_BYTES = 1200;
const HEADER_BYTES = 40;

/** The bytes of a frame on the wire, including the headers of its packets. */
export function wireBytes(frameBytes: number): number {
  return frameBytes + Math.ceil(frameBytes / PAYLOAD_BYTES) * HEADER_BYTES;
}

const rowOf = (table: TraceBatch['table'], row: readonly number[]): TraceBatch => ({
  table,
  rows: 1,
  columns: row.map((value) => Float64Array.of(value)),
});

/**
 * The in-page bottleneck: the core's simulated link, applied to whole frames. The link's queue holds or drops a
 * frame. After the queue, the link delays the frame by its serialisation time and by the propagation delay. The
 * bottleneck is coarser than a packet shaper: the browser sends each frame as a burst of packets only after the
 * frame has left this bottleneck.
 */
export class Bottleneck {
  readonly #inside = new Map<number, () => void>();
  /**
   * Frames that the link has already returned, each held until its delivery time. The link gives some frames
   * a later delivery time, to reorder them.
   */
  readonly #line = new DelayLine<() => void>();
  readonly #cross = new CrossRate();
  readonly #hop = new MessageChannel();
  #nextId = 0;
  #waitingForUs = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly link: Link,
    private readonly clock: CallClock,
    private readonly on: { dropped(): void; failed(error: unknown): void },
  ) {
    this.#hop.port2.onmessage = () => this.#serve();
  }

  /** Takes a frame; `deliver` is called when the frame comes out at the far end, unless it is dropped. */
  admit(frameBytes: number, deliver: () => void): void {
    const id = this.#nextId++;
    if (this.link.enqueue(id, wireBytes(frameBytes), this.clock.nowUs()) !== null) {
      this.on.dropped();
      return;
    }
    this.#inside.set(id, deliver);
    this.#serve();
  }

  #serve(): void {
    try {
      const nowUs = this.clock.nowUs();
      for (const { packetId, deliverUs } of this.link.poll(nowUs)) {
        const deliver = this.#inside.get(packetId);
        this.#inside.delete(packetId);
        if (deliver) this.#line.push(deliver, deliverUs);
      }
      for (let due = this.#line.next(nowUs); due !== null; due = this.#line.next(nowUs)) due.packet();
      for (const { packetId } of this.link.lateDrops()) {
        this.#inside.delete(packetId);
        this.on.dropped();
      }
      this.#wait();
    } catch (error) {
      this.on.failed(error);
    }
  }

  /**
   * Waits for the link's next event. A timer is nested if another timer's handler sets it, and browsers round
   * nested timers up to 4 ms. A timer that is set while a message is handled is not nested. Therefore each
   * timer only posts a message to this worker itself, and the handler of that message sets the next timer.
   */
  #wait(): void {
    const nextUs = Math.min(this.link.nextEventUs(), this.#line.nextUs());
    if (!Number.isFinite(nextUs) || nextUs === this.#waitingForUs) return;
    clearTimeout(this.#timer);
    this.#waitingForUs = nextUs;
    const delayMs = Math.max(0, (nextUs - this.clock.nowUs()) / 1000);
    this.#timer = setTimeout(() => {
      this.#waitingForUs = Infinity;
      this.#hop.port1.postMessage(null);
    }, delayMs);
  }

  set(options: Partial<LinkOptions>): void {
    this.link.set(options, this.clock.nowUs());
    this.#serve();
  }

  /**
   * Returns a row of the `queue` table and, if there is cross traffic, a row of `throughput` with the cross
   * traffic's rate.
   */
  rows(): TraceBatch[] {
    const nowUs = this.clock.nowUs();
    const s = this.link.stats(nowUs);
    const through = s.departedBytes + s.crossDepartedBytes;
    const queue = [0, nowUs, s.queueDelayUs, s.queueBytes, s.capacityBps, s.drops, through];
    const crossBps = this.#cross.see(nowUs, s.crossDepartedBytes);
    return [
      rowOf('queue', queue),
      ...(crossBps === null ? [] : [rowOf('throughput', crossRow(nowUs, crossBps))]),
    ];
  }

  /** Delivers all held frames immediately, in order. */
  release(): void {
    clearTimeout(this.#timer);
    this.#hop.port2.onmessage = null;
    for (let due = this.#line.next(Infinity); due !== null; due = this.#line.next(Infinity)) due.packet();
    const inside = [...this.#inside.values()];
    this.#inside.clear();
    for (const deliver of inside) deliver();
  }

  destroy(): void {
    this.link.destroy();
  }
}
