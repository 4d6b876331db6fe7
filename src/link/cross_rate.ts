/** What the cross traffic of a link gets, as a flow of the trace table `throughput`. */

/** Its number: those of controllers that watch begin at 1, and there are always fewer of them. */
export const CROSS_FLOW = 1000;

/** Packets are so large that a shorter time would show each of them. */
const WINDOW_US = 500e3;

interface Count {
  timeUs: number;
  bytes: number;
}

/** The rate of a counter over the last half second. */
export class CrossRate {
  #counts: Count[] = [];

  /** The rate, in bit/s, once there was any; null before. The count begins again at 0 with another link. */
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

/** A row of `throughput`: flow, time and rate are known. */
export const crossRow = (timeUs: number, receivedBps: number): number[] => [
  CROSS_FLOW,
  timeUs,
  receivedBps,
  NaN,
  NaN,
];
