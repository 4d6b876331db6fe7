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
 * Rows that were decimated to a number of points are at most about four points apart for each column that was read
 * together with them (two buckets of trace/decimate.ts). A pause that is shorter than this is not a gap.
 */
const POINTS_APART = 5;

/**
 * A gap begins this long after the last row before it, so that the row's value can still be read at the row's time.
 */
const JUST_AFTER_S = 1e-6;

/**
 * The longest time, in seconds, between two rows that a line still connects. The rows cover `windowS` seconds, have
 * `columns` columns besides the time, and were decimated to at most `points` points.
 */
export const gapS = (windowS: number, points: number, columns: number): number =>
  Math.max(LEAST_GAP_S, (POINTS_APART * Math.max(1, columns) * windowS) / points);

/** Adds a point to a line. The line breaks if more than `longestS` has passed since the previous point. */
export function addPoint(points: TimedPoint[], point: TimedPoint, longestS: number): void {
  const last = points.at(-1);
  if (last !== undefined && point.x - last.x > longestS) points.push({ x: last.x + JUST_AFTER_S, y: NaN });
  points.push(point);
}
