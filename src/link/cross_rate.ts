/** The rate of a link's cross traffic, as a flow of the trace table `throughput`. */

/**
 * The flow number of the cross traffic. Shadows (controllers that only watch) are numbered from 1 by default, so
 * their flow numbers stay below 1000.
 */
export const CROSS_FLOW = 1000;

/** The rate is averaged over this time. A shorter average would show individual packets. */
const WINDOW_US = 500e3;

interface Count {
  timeUs: number;
  bytes: number;
}

/** Computes the rate of a byte counter over the last half second. */
export class CrossRate {
  #counts: Count[] = [];

  /**
   * Adds a value of the counter, and returns the rate in bit/s. Returns null before any traffic, and for the first
   * value. If the counter falls because the link was replaced, counting starts again.
   */
  see(timeUs: number, bytes: number): number | null {
    const last = this.#counts.at(-1);
    if (last !== undefined && (bytes < last.bytes || timeUs <= last.timeUs)) this.#counts = [];
    this.#counts.push({ timeUs, bytes });
    while (this.#counts.length > 2 && (this.#counts[1]?.timeUs ?? timeUs) <= timeUs - WINDOW_US)
      this.#counts.shift();
    const [first] = this.#counts;
    if (bytes === 0 || first === undefined || first.timeUs === timeUs) return null;
    return ((bytes - first.bytes) * 8e6) / (timeUs - first.timeUs);
  }
}

/** A row of `throughput`; only its flow, time and rate are known. */
export const crossRow = (timeUs: number, receivedBps: number): number[] => [
  CROSS_FLOW,
  timeUs,
  receivedBps,
  NaN,
  NaN,
];
