/** Gaps: where a stretch of time has no rows, nothing is drawn and the cursor reads nothing. */
/** A point of a line: seconds, and a value that is NaN if it is missing. */
export interface TimedPoint {
  x: number;
  y: number;
}

/** A shorter pause is not a gap: rows come several times a second, or once a second from a page in the background. */
const LEAST_GAP_S = 2.5;
/** A pause of fewer pixel columns is not a gap: rows decimated to the chart's width are up to two columns apart. */
const COLUMNS = 4;

/** A gap begins this long after the last row, which can thus still be read at its own time. */
const JUST_AFTER_S = 1e-6;

/** The longest time between two rows that a line still connects, in seconds; `width` is the chart's, in pixels. */
export const gapS = (windowS: number, width: number): number =>
  Math.max(LEAST_GAP_S, (COLUMNS * windowS) / width);

/** Adds a point to a line; the line breaks if the previous point is more than `longestS` before it. */
export function addPoint(points: TimedPoint[], point: TimedPoint, longestS: number): void {
  const last = points.at(-1);
  if (last !== undefined && point.x - last.x > longestS) points.push({ x: last.x + JUST_AFTER_S, y: NaN });
  points.push(point);
}
