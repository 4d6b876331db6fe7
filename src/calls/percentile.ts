/** Percentiles by the nearest rank: the value at position ceil(p / 100 * n) of the sorted values. */

/** The percentiles `ps` of the values; each is NaN if there are no values. */
export function percentiles(values: Iterable<number>, ps: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return ps.map((p) => sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN);
}

/** The median; for an even number of values, the mean of the two middle values. NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
