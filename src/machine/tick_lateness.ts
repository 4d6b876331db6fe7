/**
 * How late a thread's callbacks come, from a regular tick: what the interval since the one before has
 * beyond its length. Told once a second, the latest tick of it: so few ticks have no percentiles.
 */
const TOLD_EACH_MS = 1000;

export class TickLateness {
  #beforeMs: number | null = null;
  #fromMs = NaN;
  #latestMs = 0;

  constructor(private readonly intervalMs: number) {}

  /** To be called by each tick. Gives the milliseconds by which the latest tick was late when a second is over, else null. */
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
