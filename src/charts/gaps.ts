/** Stretches of time of which there are no rows: nothing is drawn there, and the cursor reads nothing. */
/** A point of a line: seconds, and a value that is NaN where there is none. */
export interface TimedPoint {
  x: number;
  y: number;
}

/** Rows come several times a second, of a page in the background once a second. */
const LEAST_GAP_S = 2.5;
/** Rows that were decimated to the chart's width are up to two of its columns apart. */
const COLUMNS = 4;

/** The last row is still read at its own time. */
const JUST_AFTER_S = 1e-6;

/** Rows further apart than this do not belong together, in seconds, in a chart that shows so many on so many pixels. */
export const gapS = (windowS: number, width: number): number =>
  Math.max(LEAST_GAP_S, (COLUMNS * windowS) / width);

/** Adds a point to a line, which breaks where the one before is too long ago. */
export function addPoint(points: TimedPoint[], point: TimedPoint, longestS: number): void {
  const last = points.at(-1);
  if (last !== undefined && point.x - last.x > longestS) points.push({ x: last.x + JUST_AFTER_S, y: NaN });
  points.push(point);
}
