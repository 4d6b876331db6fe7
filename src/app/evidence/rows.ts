/** Rows of the tables that the evidence page contains. */
import type { TimeWindow } from '../../charts/index.js';
import { decimate } from '../../trace/decimate.js';

export type Columns = Record<string, Float64Array>;

const timesOf = (columns: Columns): Float64Array => columns['time_us'] ?? new Float64Array();

/** The number of rows at or before `timeUs`. */
function rowsUntil(time: Float64Array, timeUs: number): number {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time[middle] ?? Infinity) <= timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The rows in a time window, the last row before it and the first row after it, thinned to about `points` rows.
 */
export function thinned(
  columns: Columns,
  names: readonly string[],
  { fromUs, toUs }: TimeWindow,
  points: number,
): Columns {
  const time = timesOf(columns);
  const first = Math.max(0, rowsUntil(time, fromUs) - 1);
  const end = Math.min(time.length, rowsUntil(time, toUs) + 1);
  const rows = Uint32Array.from({ length: end - first }, (_, i) => first + i);
  const values = names.map((name) => columns[name] ?? new Float64Array(time.length));
  const kept = decimate(time, values, rows, points, toUs - fromUs);
  const pick = (from: Float64Array): Float64Array => Float64Array.from(kept, (row) => from[row] ?? NaN);
  return {
    time_us: pick(time),
    ...Object.fromEntries(names.map((name, i) => [name, pick(values[i] ?? time)])),
  };
}

/** The last two rows at or before `timeUs`, or fewer if there are fewer. */
export function lastTwo(columns: Columns, timeUs: number): Columns {
  const end = rowsUntil(timesOf(columns), timeUs);
  const pick = (values: Float64Array): Float64Array => values.subarray(Math.max(0, end - 2), end);
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, pick(values)]));
}
