/** How late a shaper sends: the actual minus the due time of each packet, in milliseconds. */
import type { LatenessMs } from '../../scenario/server_protocol.js';
import { percentiles } from '../percentile.js';

/** The last packets that the percentiles are taken over. */
const KEPT = 1 << 16;

export class Lateness {
  readonly #ring: Float64Array;
  #count = 0;

  constructor(kept = KEPT) {
    this.#ring = new Float64Array(kept);
  }

  add(ms: number): void {
    this.#ring[this.#count++ % this.#ring.length] = ms;
  }

  /** Percentiles over the last packets; NaN where there were none. */
  summary(): LatenessMs {
    const packets = this.#count;
    const [p50_ms, p95_ms, p99_ms] = percentiles(
      this.#ring.slice(0, Math.min(packets, this.#ring.length)),
      [50, 95, 99],
    );
    return { p50_ms: p50_ms ?? NaN, p95_ms: p95_ms ?? NaN, p99_ms: p99_ms ?? NaN, packets };
  }
}
