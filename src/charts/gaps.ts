/** Gaps: where a stretch of time has no rows, no line is drawn and the cursor shows no value. */
/** A point of a line: seconds, and a value that is NaN if it is missing. */
export interface TimedPoint {
  x: number;
  y: number;
}

/**
 * A pause shorter than this is not a gap. Rows come several times a second, but only once a second from a page in the
 * background.
 */
const LEAST_GAP_S = 2.5;
/**
 * A pause that is narrower than this many pixels is not a gap: rows decimated to the chart's width are up to two
 * pixels apart.
 */
const COLUMNS = 4;

/**
 * A gap begins this long after the last row before it, so that the row's value can still be read at the row's time.
 */
const JUST_AFTER_S = 1e-6;

/**
 * The longest time, in seconds, between two rows that a line still connects; `width` is the chart's width in
 * pixels.
 */
export const gapS = (windowS: number, width: number): number =>
  Math.max(LEAST_GAP_S, (COLUMNS * windowS) / width);

/** Adds a point to a line. The line breaks if more than `longestS` has passed since the previous point. */
export function addPoint(points: TimedPoint[], point: TimedPoint, longestS: number): void {
  const last = points.at(-1);
  if (last !== undefined && point.x - last.x > longestS) points.push({ x: last.x + JUST_AFTER_S, y: NaN });
  points.push(point);
}
