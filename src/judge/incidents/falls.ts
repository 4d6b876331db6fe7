/**
 * Finds falls of a stream's rate and rises of its delay, look by look. Rates of encoders scatter, so a fall is
 * measured between means: over a second and a half, against the median of the five seconds before.
 */
import { median } from '../../calls/percentile.js';
import type { Look } from './stream_looks.js';

/** A change that lasts: from its first look until what is new is the usual. */
export interface Change {
  fromUs: number;
  toUs: number | null;
  before: number;
  after: number;
}

/** A rate has fallen when it is less than this share of what it was before. */
export const FALLEN = 0.85;
const RECOVERED = 0.92;
/** Smaller falls are those of a slide or of a face that stands still. */
const LEAST_FALL_BPS = 30_000;
/** What the mean of now is taken over, and the median of before. */
const NOW_US = 1.5e6;
const BEFORE_US = 5e6;
/** Before this much is known of a stream, nothing is compared. */
const LEAST_KNOWN_US = 3e6;
/** A lower rate that has lasted this long is the usual one. */
const SETTLED_US = 6e6;

/** A delay has risen when it is this much above its least. */
export const RISEN_MS = 60;
/** The least is of this much of the past: routes change, and clocks drift. */
const BASE_US = 30e6;

export interface Point {
  timeUs: number;
  value: number;
}

const mean = (points: readonly Point[]): number =>
  points.reduce((total, { value }) => total + value, 0) / points.length;

const within = (points: readonly Point[], fromUs: number, toUs: number): Point[] =>
  points.filter(({ timeUs }) => timeUs > fromUs && timeUs <= toUs);

/** Falls of a rate: feed it each look. */
export class FallFinder {
  #points: Point[] = [];
  #open: Change | null = null;
  #startUs: number | null = null;

  /** The change that began, goes on or ended with this look; null if there is none. */
  see({ timeUs, rateBps }: Pick<Look, 'timeUs' | 'rateBps'>): Change | null {
    this.#startUs ??= rateBps > 0 ? timeUs : null;
    if (this.#startUs === null || !Number.isFinite(rateBps)) return null;
    this.#points.push({ timeUs, value: rateBps });
    this.#points = within(this.#points, timeUs - NOW_US - BEFORE_US, timeUs);
    const now = mean(within(this.#points, timeUs - NOW_US, timeUs));
    return this.#open === null ? this.#begin(timeUs, now) : this.#goOn(this.#open, timeUs, now);
  }

  #begin(timeUs: number, now: number): Change | null {
    if (timeUs - (this.#startUs ?? timeUs) < LEAST_KNOWN_US) return null;
    const past = within(this.#points, -Infinity, timeUs - NOW_US);
    const before = median(past.map(({ value }) => value));
    if (!(now < FALLEN * before) || before - now < LEAST_FALL_BPS) return null;
    // It began with the first look that is below all that was usual.
    const first = within(this.#points, timeUs - NOW_US, timeUs).find(
      ({ value }) => value < RECOVERED * before,
    );
    this.#open = { fromUs: first?.timeUs ?? timeUs, toUs: null, before, after: now };
    return this.#open;
  }

  #goOn(open: Change, timeUs: number, now: number): Change {
    open.after = Math.min(open.after, now);
    const isOver = now >= RECOVERED * open.before || timeUs - open.fromUs >= SETTLED_US;
    if (!isOver) return open;
    open.toUs = timeUs;
    this.#open = null;
    // What is compared from now on begins here: the fall is not to be found a second time.
    this.#points = within(this.#points, timeUs - NOW_US, timeUs);
    this.#startUs = timeUs - NOW_US;
    return open;
  }
}

/** Rises of a delay above its least: feed it points in time order. */
export class RiseFinder {
  #points: Point[] = [];
  #open: Change | null = null;

  /** Two points above, one after the other, begin a rise; one is an accident. */
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
