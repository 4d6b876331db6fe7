/**
 * Removes the drift between a sender's RTP clock and the receiver's clock from measured delays. The rates of
 * two quartz clocks usually differ by some tens of ppm, and by a few hundred ppm if a clock is bad. The
 * one-way delay is the difference of two clock readings, so a drift makes the measured delay rise or fall
 * steadily. Queues and retransmissions only ever add to a delay. Therefore the drift is the slope of the
 * lower envelope of the delays. The envelope is found as in S. Moon, P. Skelly, D. Towsley, "Estimation and
 * Removal of Clock Skew from Network Delay Measurements", INFOCOM 1999: of all lines below all points, it is
 * the line closest to the points. This line contains the edge of the points' lower convex hull at their mean
 * time.
 *
 * A growing queue must not be mistaken for a drift. Therefore nothing is removed until delays have been
 * examined for a minute, and a slope above `MOST_DRIFT` is ignored. The slopes of the first half and of the
 * second half of the examined time must also agree. If a queue grows for some tens of seconds, or in a step,
 * these two slopes differ. One case remains undetected: a queue that grows evenly for minutes, by less than
 * half a millisecond per second, looks like a drift.
 */

/** Delays are grouped into bins of this length. Only the lowest delay of each bin is used. */
const BIN_US = 2e6;
/** No drift is removed before there are this many bins, which take a minute. */
const LEAST_BINS = 30;
/** The most bins that are examined: five minutes. */
const MOST_BINS = 150;
/** A larger slope is not treated as a drift, because two clocks do not differ by more. */
const MOST_DRIFT = 500e-6;
/**
 * The slopes of the first half, of the second half and of all bins must agree within this tolerance.
 * Otherwise the slope is not treated as a drift.
 */
const AGREEMENT = 60e-6;
/**
 * By the time a drift is found, it has already changed the delays. This earlier change is removed gradually,
 * by at most 0.1 ms per second.
 */
const CATCH_UP = 100e-6;
/**
 * If a delay is lower than all examined delays by more than this, the packets take another path, or the
 * timestamps have restarted. The earlier delays are then discarded.
 */
const STEP_US = 20_000;

interface Point {
  timeUs: number;
  delayUs: number;
}

/**
 * The slope of the line that lies below all points and is closest to them. The points must be in chronological
 * order.
 */
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

/** Processes the delay of each frame, in the order of arrival. The same delays always give the same results. */
export class ClockDrift {
  #bins: Point[] = [];
  #bin: Point | null = null;
  #binEndsUs = 0;
  #drift = 0;
  #firstUs = NaN;
  #latestUs = NaN;
  #removedUs = 0;
  /** The part of the earlier change (see `CATCH_UP`) that is still to be removed. Null until a drift is found. */
  #backlogUs: number | null = null;

  /** The estimated drift: 1e-6 means that the drift adds one microsecond per second to the measured delays. */
  get drift(): number {
    return this.#drift;
  }

  /** Returns how much of `delayUs`, a measured delay, the drift has added, in whole microseconds. */
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
