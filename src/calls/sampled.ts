/**
 * Samples a series at regular ticks. So an average of the samples is weighted by time: each value counts for as
 * long as it holds.
 */
import type { Window } from './metrics.js';

/** Values in time order; each value holds until the next one. */
export interface TimedValues {
  timeUs: ArrayLike<number>;
  values: ArrayLike<number>;
}

export interface Sample {
  atUs: number;
  value: number;
}

/** The time between ticks: roughly the interval between two rows of the tables `rate` and `queue`. */
const TICK_US = 100_000;

/** The value at each tick of a window, starting at its beginning. Ticks before the first row are left out. */
export function sampled({ timeUs, values }: TimedValues, { fromUs, toUs }: Window): Sample[] {
  const samples: Sample[] = [];
  let row = -1;
  for (let atUs = fromUs; atUs <= toUs; atUs += TICK_US) {
    while ((timeUs[row + 1] ?? Infinity) <= atUs) row += 1;
    samples.push({ atUs, value: values[row] ?? NaN });
  }
  return samples.filter(({ value }) => !Number.isNaN(value));
}
