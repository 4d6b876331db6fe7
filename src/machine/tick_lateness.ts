/**
 * The lateness of a thread's callbacks, measured with a regular tick: the time between two ticks minus the intended
 * interval. Only the largest lateness of each second is reported, since a second has too few ticks for percentiles.
 */
const TOLD_EACH_MS = 1000;

export class TickLateness {
  #beforeMs: number | null = null;
  #fromMs = NaN;
  #latestMs = 0;

  constructor(private readonly intervalMs: number) {}

  /** To be called at each tick. Returns the largest lateness in milliseconds when a second is over, otherwise null. */
  tick(nowMs: number): number | null {
    const beforeMs = this.#beforeMs;
    this.#beforeMs = nowMs;
    if (beforeMs === null) {
      this.#fromMs = nowMs;
      return null;
    }
    this.#latestMs = Math.max(this.#latestMs, nowMs - beforeMs - this.intervalMs);
    if (nowMs - this.#fromMs < TOLD_EACH_MS) return null;
    const latestMs = this.#latestMs;
    this.#fromMs = nowMs;
    this.#latestMs = 0;
    return latestMs;
  }
}
