/**
 * The clocks of pages, workers and listeners are `performance.timeOrigin + performance.now()`, and may disagree by hours:
 * on most systems `performance.now()` stands still while the machine sleeps, and `timeOrigin` is computed when a page or
 * a worker is created.
 */

/** Clocks that differ by at most this count as one clock, because a message may take this long on its way. */
const MOST_DELAY_MS = 5000;

/** By how much two clocks disagree if their readings differ by `differenceMs`. */
export const disagreementMs = (differenceMs: number): number =>
  Math.abs(differenceMs) > MOST_DELAY_MS ? differenceMs : 0;

/** What a listener adds to the times of one window, so that they are on the listener's clock. */
export class ClockShift {
  #laterUs: number | null = null;

  /**
   * `timeUs`: the time of a batch from the window. `nowUs`: the time when it arrived, on the listener's clock. Only the
   * first batch is measured, so that the times of the window do not jump.
   */
  laterUs(timeUs: number, nowUs: number): number {
    this.#laterUs ??= Math.round(disagreementMs((nowUs - timeUs) / 1000) * 1000);
    return this.#laterUs;
  }
}
