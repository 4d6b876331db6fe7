/**
 * Removes the drift between a sender's RTP clock and the receiver's clock. Both are quartz clocks, whose rates
 * differ by some tens of millionths, those of bad ones by a few hundred. So the difference of their readings,
 * the one-way delay, rises or falls steadily. Queues and retransmissions only ever add to a delay. The drift is
 * therefore the slope of the lower envelope of the delays, as in S. Moon, P. Skelly, D. Towsley, "Estimation
 * and Removal of Clock Skew from Network Delay Measurements", INFOCOM 1999: of all lines that lie below all
 * points, the one closest to them. It runs along the edge of their lower convex hull at their mean time.
 *
 * A growing queue must not be mistaken for a drift. Nothing is removed before there is a minute of delays, the
 * amount removed is limited, and both halves of the examined time have to agree on it: delays that rise for
 * some tens of seconds, or in a step, do so in one half only. A queue that grew evenly for minutes, by less
 * than half a millisecond per second, could not be told from a drift.
 */

/** The lowest delay of each period of this length is used. */
const BIN_US = 2e6;
/** Nothing is removed before there are this many bins: a minute. */
const LEAST_BINS = 30;
/** The most bins that are examined: five minutes. */
const MOST_BINS = 150;
/** The drift between two clocks is never larger than this. */
const MOST_DRIFT = 500e-6;
/** If the slopes of the two halves and of the whole differ by more than this, it is not a drift. */
const AGREEMENT = 60e-6;
/** The delay that the drift had added before it was known is removed at this rate: 0.1 ms per second. */
const CATCH_UP = 100e-6;
/** Delays that fall this far below all earlier ones belong to another path, or to restarted timestamps. */
const STEP_US = 20_000;

interface Point {
  timeUs: number;
  delayUs: number;
}

/** The slope of the line below all points that is closest to them; points are in the order of time. */
export function lowerSlope(points: readonly Point[]): number {
  const hull: Point[] = [];
  for (const point of points) {
    for (let [a, b] = hull.slice(-2); a !== undefined && b !== undefined; [a, b] = hull.slice(-2)) {
      const isBelow =
        (b.delayUs - a.delayUs) * (point.timeUs - a.timeUs) <
        (point.delayUs - a.delayUs) * (b.timeUs - a.timeUs);
      if (isBelow) break;
      hull.pop();
    }
    hull.push(point);
  }
  const meanUs = points.reduce((sum, { timeUs }) => sum + timeUs, 0) / points.length;
  const next = hull.findIndex(({ timeUs }) => timeUs >= meanUs);
  const [from, to] = [hull[next - 1], hull[next]];
  if (from === undefined || to === undefined) return 0;
  return (to.delayUs - from.delayUs) / (to.timeUs - from.timeUs);
}

/** Takes the delay of each frame, in the order of arrival. The same delays always give the same results. */
export class ClockDrift {
  #bins: Point[] = [];
  #bin: Point | null = null;
  #binEndsUs = 0;
  #drift = 0;
  #firstUs = NaN;
  #latestUs = NaN;
  #removedUs = 0;
  /**
   * How much of the delay that the drift had added before it was known is still to be removed; null while it is
   * not known.
   */
  #backlogUs: number | null = null;

  /** The estimated difference of the clocks, as the rate at which delays grow too fast: 1e-6 is one millionth. */
  get drift(): number {
    return this.#drift;
  }

  /**
   * What the drift has added to this delay, to be subtracted from it; a whole number. `delayUs` is the measured
   * delay.
   */
  of(timeUs: number, delayUs: number): number {
    this.#note(timeUs, delayUs);
    if (Number.isNaN(this.#firstUs)) this.#firstUs = this.#latestUs = timeUs;
    const passedUs = Math.max(0, timeUs - this.#latestUs);
    this.#latestUs = Math.max(this.#latestUs, timeUs);
    this.#removedUs += this.#drift * passedUs + this.#caughtUp(passedUs);
    return Math.round(this.#removedUs);
  }

  #caughtUp(passedUs: number): number {
    const backlogUs = this.#backlogUs ?? 0;
    const mostUs = CATCH_UP * passedUs;
    const stepUs = Math.max(-mostUs, Math.min(mostUs, backlogUs));
    if (this.#backlogUs !== null) this.#backlogUs = backlogUs - stepUs;
    return stepUs;
  }

  #note(timeUs: number, delayUs: number): void {
    if (this.#bin !== null && timeUs >= this.#binEndsUs) {
      this.#take(this.#bin);
      this.#bin = null;
    }
    if (this.#bin === null) {
      this.#bin = { timeUs, delayUs };
      this.#binEndsUs = timeUs + BIN_US;
    } else if (delayUs < this.#bin.delayUs) this.#bin = { timeUs, delayUs };
  }

  #take(bin: Point): void {
    const least = this.#bins.reduce((least, { delayUs }) => Math.min(least, delayUs), Infinity);
    if (bin.delayUs < least - STEP_US) this.#bins = [];
    this.#bins.push(bin);
    if (this.#bins.length > MOST_BINS) this.#bins.shift();
    if (this.#bins.length < LEAST_BINS) return;
    const half = Math.floor(this.#bins.length / 2);
    const [first, second] = [lowerSlope(this.#bins.slice(0, half)), lowerSlope(this.#bins.slice(half))];
    const whole = lowerSlope(this.#bins);
    const slopes = [first, second, whole];
    if (Math.max(...slopes) - Math.min(...slopes) > AGREEMENT || Math.abs(whole) > MOST_DRIFT) return;
    this.#drift = whole;
    this.#backlogUs ??= whole * (bin.timeUs - this.#firstUs);
  }
}
