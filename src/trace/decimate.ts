/**
 * Selects at most `maxPoints` of `rows` for drawing; `rows` are indices in ascending order of time. Time is divided
 * into buckets of equal length. `spanUs` is the length of the drawn period. The bucket boundaries do not depend on
 * where the period begins, so they stay in place while it moves. Each bucket keeps the rows with the minimum and the
 * maximum of every column, so peaks survive. If a column is NaN in a whole bucket, the bucket's first row is kept to
 * show the gap. If `maxPoints` is too small for one bucket (two rows per column), one bucket is used nevertheless.
 */
export function decimate(
  time: Float64Array,
  columns: readonly Float64Array[],
  rows: Uint32Array,
  maxPoints: number,
  spanUs: number,
): Uint32Array {
  if (rows.length <= maxPoints || rows.length === 0) return rows;
  const buckets = Math.floor(maxPoints / Math.max(1, 2 * columns.length));
  // A period that begins in the middle of a bucket overlaps one bucket more than its length holds. So its
  // length is divided by `buckets - 1`.
  const width = buckets < 2 ? Infinity : spanUs / (buckets - 1);
  const bucketOf = (i: number): number => Math.floor((time[rows[i] as number] as number) / width);
  const picked: number[] = [];
  for (let i = 0; i < rows.length;) {
    const bucket = bucketOf(i);
    let next = i + 1;
    while (next < rows.length && bucketOf(next) === bucket) next++;
    pickExtremes(columns, rows.subarray(i, next), picked);
    i = next;
  }
  return Uint32Array.from(picked);
}

/**
 * Appends the rows with the first minimum and the first maximum of each column, in ascending order and without
 * duplicates.
 */
function pickExtremes(columns: readonly Float64Array[], rows: Uint32Array, picked: number[]): void {
  const positions = new Set<number>();
  if (columns.length === 0) positions.add(0);
  for (const column of columns) {
    let low = -1;
    let high = -1;
    for (let i = 0; i < rows.length; i++) {
      const value = column[rows[i] as number] as number;
      if (Number.isNaN(value)) continue;
      if (low < 0 || value < (column[rows[low] as number] as number)) low = i;
      if (high < 0 || value > (column[rows[high] as number] as number)) high = i;
    }
    positions.add(Math.max(low, 0)).add(Math.max(high, 0));
  }
  for (const position of [...positions].sort((a, b) => a - b)) picked.push(rows[position] as number);
}
