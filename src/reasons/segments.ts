/**
 * Divides the curve of a target into segments: a fall in a single step, a decline in small steps, a rise, or
 * a period without a change.
 */
import type { ChangeShape } from './change.js';

/** A single step down by more than this fraction is always a separate segment. */
export const FALL = 0.05;
/** A target that is constant for less than this time gets no flat segment. */
const LEAST_FLAT_US = 1e6;
/**
 * The shortest flat segment of a target that varies all the time. Over a shorter time, slow growth would look
 * constant.
 */
const LEAST_SWAYING_US = 4e6;
/** Values that differ by at most this fraction count as equal. */
const SAME = 2e-4;

/** A segment of the curve. `from` and `to` are the indices of its first and last `rate` row. */
export interface Segment {
  shape: ChangeShape;
  from: number;
  to: number;
}

/**
 * The curve of a target over time. The explainer of the controller provides the functions, which describe the
 * target at a row.
 */
export interface Course {
  timeUs: Float64Array;
  targetBps: Float64Array;
  /** How far a constant target varies, as a fraction of its value. Such variations are not changes. */
  scatter(row: number): number;
  /** Whether a constant target keeps exactly one value and does not vary about it. */
  isExact(row: number): boolean;
  /**
   * Whether a decision of the controller caused the step down to this row. Then the step is a fall, even if it is
   * small.
   */
  isDecision(row: number): boolean;
}

/**
 * The segments of the whole curve, in time order. Two consecutive segments share at most one row. There may
 * be a gap between them, since a flat period that is too short gets no flat segment.
 */
export function segmentsOf(course: Course): Segment[] {
  const { targetBps } = course;
  const segments: Segment[] = [];
  let from = 0;
  for (let row = 1; row < targetBps.length; row++) {
    const [before, now] = [targetBps[row - 1] ?? NaN, targetBps[row] ?? NaN];
    const isFall = now < before * (1 - FALL) || (now < before * (1 - SAME) && course.isDecision(row));
    if (!isFall) continue;
    addSwings(course, from, row - 1, segments);
    segments.push({ shape: 'fall', from: row - 1, to: row });
    from = row;
  }
  addSwings(course, from, targetBps.length - 1, segments);
  return joined(course, segments);
}

/**
 * Adds the segments between two falls. Divides the curve at its turning points: the rows from which the target
 * moves back by more than the scatter. A leg is the part between two turning points.
 */
function addSwings(course: Course, from: number, to: number, segments: Segment[]): void {
  const { targetBps } = course;
  const value = (row: number): number => targetBps[row] ?? NaN;
  let [pivot, extreme, low, high] = [from, from, from, from];
  let direction = 0;
  for (let row = from + 1; row <= to; row++) {
    const now = value(row);
    const scatter = course.scatter(row);
    if (direction === 0) {
      if (now <= value(low)) low = row;
      if (now >= value(high)) high = row;
      const isUp = now > value(low) * (1 + scatter);
      if (!isUp && !(now < value(high) * (1 - scatter))) continue;
      direction = isUp ? 1 : -1;
      const start = isUp ? low : high;
      addFlat(course, pivot, start, segments);
      [pivot, extreme] = [start, row];
    } else if (direction * (now - value(extreme)) > 0) extreme = row;
    else if (direction * (now - value(extreme)) < -scatter * value(extreme)) {
      addLeg(course, pivot, extreme, segments);
      [pivot, extreme] = [extreme, row];
      direction = -direction;
    }
  }
  if (direction === 0) {
    const moved = Math.abs(value(to) / value(from) - 1);
    if (moved > SAME && moved > course.scatter(to) / 4) addLeg(course, from, to, segments);
    else addFlat(course, from, to, segments);
    return;
  }
  addLeg(course, pivot, extreme, segments);
  addFlat(course, extreme, to, segments);
}

function addFlat({ timeUs }: Course, from: number, to: number, segments: Segment[]): void {
  if ((timeUs[to] ?? NaN) - (timeUs[from] ?? NaN) >= LEAST_FLAT_US)
    segments.push({ shape: 'flat', from, to });
}

/** Adds a leg. Periods within the leg in which the target did not move become flat segments. */
function addLeg(course: Course, from: number, to: number, segments: Segment[]): void {
  const { targetBps } = course;
  const shape = (targetBps[to] ?? NaN) > (targetBps[from] ?? NaN) ? 'rise' : 'decline';
  let start = from;
  for (let row = from; row < to;) {
    const last = lastAlike(course, row, to);
    if (last === null) {
      row++;
      continue;
    }
    if (row > start) segments.push({ shape, from: start, to: row });
    segments.push({ shape: 'flat', from: row, to: last });
    start = row = last;
  }
  if (to > start) segments.push({ shape, from: start, to });
}

/**
 * The last row up to which the target stays close to its value at `row`. Null if this period is too short for a
 * flat segment.
 */
function lastAlike({ timeUs, targetBps, isExact, scatter }: Course, row: number, to: number): number | null {
  const exact = isExact(row);
  const [first, beganUs] = [targetBps[row] ?? NaN, timeUs[row] ?? NaN];
  const most = first * (exact ? SAME : scatter(row));
  let last = row;
  while (last < to && Math.abs((targetBps[last + 1] ?? NaN) - first) <= most) last++;
  return (timeUs[last] ?? NaN) - beganUs >= (exact ? LEAST_FLAT_US : LEAST_SWAYING_US) ? last : null;
}

/**
 * Joins neighbouring segments of the same shape, except falls. A joined flat segment becomes a rise or a
 * decline if its ends differ by more than the scatter.
 */
function joined({ targetBps, scatter }: Course, segments: readonly Segment[]): Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const before = all.at(-1);
    if (before?.to !== segment.from || before.shape === 'fall' || segment.shape === 'fall') {
      all.push(segment);
      continue;
    }
    const isSlow = before.shape === 'flat' && segment.shape === 'flat';
    if (!isSlow && before.shape !== segment.shape) {
      all.push(segment);
      continue;
    }
    before.to = segment.to;
    const [first, last] = [targetBps[before.from] ?? NaN, targetBps[before.to] ?? NaN];
    if (!isSlow || Math.abs(last - first) <= first * scatter(before.to)) continue;
    before.shape = last > first ? 'rise' : 'decline';
  }
  return all;
}
