/** The rate of a link's cross traffic, as a flow of the trace table `throughput`. */

/** The number of that flow. Flows with shadow controllers have numbers from 1 on, which never get this high. */
export const CROSS_FLOW = 1000;

/** The rate is averaged over this time: over a shorter one, it would show single packets. */
const WINDOW_US = 500e3;

interface Count {
  timeUs: number;
  bytes: number;
}

/** The rate of a counter over the last half second. */
export class CrossRate {
  #counts: Count[] = [];

  /**
   * The rate in bit/s; null before there is any traffic. When the link is replaced, the count begins again at 0.
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

/** A row of `throughput`, of which only flow, time and rate are known. */
export const crossRow = (timeUs: number, receivedBps: number): number[] => [
  CROSS_FLOW,
  timeUs,
  receivedBps,
  NaN,
  NaN,
];
