/**
 * Finds falls of a stream's rate and rises of its delay, sample by sample. Encoder rates vary, so averages are
 * compared: the mean of the last 1.5 s with the median of the 5 s before. A slow fall changes little within this
 * time. So the mean is also compared with the highest 5 s median of the last 30 s.
 */
import { median } from '../../calls/percentile.js';
import type { Look } from './stream_looks.js';

/**
 * A lasting change. It begins with the first sample that shows it. It ends when the earlier state returns, when the new
 * state has become usual, or when another fall begins.
 */
export interface Change {
  /** When the change began. A slow fall has no clear beginning, so this is the time when the fall was found. */
  fromUs: number;
  toUs: number | null;
  /**
   * For a slow fall, the time until which the earlier rate was usual. Absent for a fast fall, since the earlier
   * rate was then usual until `fromUs`.
   */
  usualUntilUs?: number;
  before: number;
  after: number;
}

/** A rate has fallen when it is less than this fraction of the earlier rate. */
export const FALLEN = 0.85;
const RECOVERED = 0.92;
/**
 * A slow fall has to be larger: a rate that swings by a tenth about its mean goes down to 0.9 / 1.1 = 0.82 of its
 * maximum.
 */
const SLOWLY_FALLEN = 0.75;
/** Smaller falls come from the content of the picture, such as a slide or a face that keeps still. */
const LEAST_FALL_BPS = 30_000;
/**
 * NOW_US: the length of the window for the current mean. BEFORE_US: the length of the window for the earlier median.
 */
const NOW_US = 1.5e6;
export const BEFORE_US = 5e6;
/** A slow fall is measured from the highest median within this time. */
export const HIGHEST_US = 30e6;
/** No fall is detected before a stream is this old. */
const LEAST_KNOWN_US = 3e6;
/**
 * If a fall has lasted this long without another clear drop, the lower rate has become the usual rate, and the fall
 * ends.
 */
const SETTLED_US = 6e6;
/**
 * If the rate during a fall suddenly drops below this fraction of its median of the last few seconds, this is another
 * fall with another cause.
 */
const ABRUPT = 0.6;
/**
 * If the rate falls below this fraction of its lowest value so far, it has not settled: encoder rates vary by less.
 */
const LOWER = 0.93;
/** A stream whose rate drops below this fraction of its previous rate was stopped. */
const STOPPED = 0.1;

/** A delay has risen when it is this much above its minimum. */
export const RISEN_MS = 60;
/** The minimum is taken only over this much of the past, since routes change and clocks drift. */
const BASE_US = 30e6;

export interface Point {
  timeUs: number;
  value: number;
}

const mean = (points: readonly Point[]): number =>
  points.reduce((total, { value }) => total + value, 0) / points.length;

const within = (points: readonly Point[], fromUs: number, toUs: number): Point[] =>
  points.filter(({ timeUs }) => timeUs > fromUs && timeUs <= toUs);

/** Finds falls of a rate. Each sample has to be passed to `see`. */
export class FallFinder {
  #points: Point[] = [];
  /** The median of the last five seconds, sample by sample. */
  #medians: Point[] = [];
  #open: Change | null = null;
  /**
   * A fall that only one sample has shown. If the next sample does not confirm this fall, the rate was only varying.
   */
  #seen: Change | null = null;
  /** The rate after the latest clear drop of the open fall (see LOWER), and the time of this drop. */
  #lowest: Point = { timeUs: 0, value: 0 };
  #startUs: number | null = null;

  /** The change that began, continues or ended with this sample; null if there is none. */
  see({ timeUs, rateBps }: Pick<Look, 'timeUs' | 'rateBps'>): Change | null {
    this.#startUs ??= rateBps > 0 ? timeUs : null;
    if (this.#startUs === null || !Number.isFinite(rateBps)) return null;
    this.#points.push({ timeUs, value: rateBps });
    this.#points = within(this.#points, timeUs - NOW_US - BEFORE_US, timeUs);
    if (timeUs - this.#startUs >= BEFORE_US) this.#settle(timeUs);
    const now = { timeUs, value: mean(within(this.#points, timeUs - NOW_US, timeUs)) };
    return this.#open === null ? this.#begin(now) : this.#goOn(this.#open, now);
  }

  #begin(now: Point): Change | null {
    const found = this.#fast(now) ?? this.#slow(now);
    const first = this.#seen;
    this.#seen = found === null ? null : (first ?? found);
    if (found === null || first === null) return null;
    this.#open = { ...first, after: Math.min(first.after, now.value) };
    this.#seen = null;
    this.#lowest = now;
    return this.#open;
  }

  #settle(timeUs: number): void {
    const last = within(this.#points, timeUs - BEFORE_US, timeUs);
    this.#medians.push({ timeUs, value: median(last.map(({ value }) => value)) });
    this.#medians = within(this.#medians, timeUs - HIGHEST_US, timeUs);
  }

  #fast({ timeUs, value: now }: Point): Change | null {
    if (timeUs - (this.#startUs ?? timeUs) < LEAST_KNOWN_US) return null;
    const past = within(this.#points, -Infinity, timeUs - NOW_US);
    const before = median(past.map(({ value }) => value));
    if (!(now < FALLEN * before) || before - now < LEAST_FALL_BPS) return null;
    // The fall began right after the last sample at the usual rate. Low samples before that sample are not part of
    // the fall, since a single sample may be low by chance.
    const latest = within(this.#points, timeUs - NOW_US, timeUs);
    const lastUsual = latest.findLastIndex(({ value }) => value >= RECOVERED * before);
    const first = latest[lastUsual + 1];
    return { fromUs: first?.timeUs ?? timeUs, toUs: null, before, after: now };
  }

  #slow({ timeUs, value: now }: Point): Change | null {
    const [first, ...more] = this.#medians;
    if (first === undefined) return null;
    const highest = more.reduce((best, point) => (point.value > best.value ? point : best), first);
    const before = highest.value;
    if (!(now < SLOWLY_FALLEN * before) || before - now < LEAST_FALL_BPS) return null;
    return { fromUs: timeUs, toUs: null, usualUntilUs: highest.timeUs, before, after: now };
  }

  /** Whether another fall began during a fall: the rate is suddenly far below the rate of the last few seconds. */
  #isAnother(open: Change, now: Point): boolean {
    const sinceUs = now.timeUs - open.fromUs;
    if (sinceUs >= 2 * NOW_US && this.#hasStopped(now)) return true;
    if (sinceUs < NOW_US + BEFORE_US) return false;
    const found = this.#fast(now);
    return found !== null && now.value < ABRUPT * found.before;
  }

  /** Whether a rate that had not been low has dropped to nearly nothing. */
  #hasStopped({ timeUs, value: now }: Point): boolean {
    const stood = within(this.#points, timeUs - 2 * NOW_US, timeUs - NOW_US);
    const least = Math.min(...stood.map(({ value }) => value));
    return stood.length > 1 && least >= LEAST_FALL_BPS && now < STOPPED * least;
  }

  #goOn(open: Change, point: Point): Change {
    const { timeUs, value: now } = point;
    if (this.#isAnother(open, point)) {
      open.toUs = timeUs;
      this.#open = null;
      // A second fall has begun during the open fall. The samples from before the open fall are dropped. The
      // next samples are then compared with the rate during the open fall, which reveals the second fall.
      this.#points = within(this.#points, open.fromUs, timeUs);
      this.#medians = [];
      return open;
    }
    open.after = Math.min(open.after, now);
    if (now < LOWER * this.#lowest.value) this.#lowest = { timeUs, value: now };
    const isSettled = timeUs - Math.max(open.fromUs, this.#lowest.timeUs) >= SETTLED_US;
    if (now < RECOVERED * open.before && !isSettled) return open;
    open.toUs = timeUs;
    this.#open = null;
    // Drops older samples, so that the fall is not found a second time.
    this.#points = within(this.#points, timeUs - NOW_US, timeUs);
    this.#medians = [];
    this.#startUs = timeUs - NOW_US;
    return open;
  }
}

/** Finds rises of a delay above its minimum. Points have to be passed to `see` in time order. */
export class RiseFinder {
  #points: Point[] = [];
  #open: Change | null = null;

  /**
   * The number of latest consecutive points above the limit. A rise needs two such points, since one point may be
   * high by chance.
   */
  #above = 0;

  see(point: Point): Change | null {
    if (!Number.isFinite(point.value)) return this.#open;
    this.#points.push(point);
    this.#points = within(this.#points, point.timeUs - BASE_US, point.timeUs);
    const base = this.#points.reduce((least, { value }) => Math.min(least, value), Infinity);
    const isAbove = point.value > base + RISEN_MS;
    this.#above = isAbove ? this.#above + 1 : 0;
    if (this.#open === null) {
      if (this.#above < 2) return null;
      const fromUs = this.#points.at(-2)?.timeUs ?? point.timeUs;
      this.#open = { fromUs, toUs: null, before: base, after: point.value };
      return this.#open;
    }
    const open = this.#open;
    open.after = Math.max(open.after, point.value);
    if (isAbove) return open;
    open.toUs = point.timeUs;
    this.#open = null;
    return open;
  }
}
