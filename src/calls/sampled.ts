/** A series at regular ticks, for averages over time: each value counts for as long as it holds. */
import type { Window } from './metrics.js';

/** Values in time order; each holds until the next. */
export interface TimedValues {
  timeUs: ArrayLike<number>;
  values: ArrayLike<number>;
}

export interface Sample {
  atUs: number;
  value: number;
}

/** Rows of rates and of the queue come about this often. */
const TICK_US = 100_000;

/** The value at each tick of a window, its beginning and end included; without those before the first row. */
export function sampled({ timeUs, values }: TimedValues, { fromUs, toUs }: Window): Sample[] {
  const samples: Sample[] = [];
  let row = -1;
  for (let atUs = fromUs; atUs <= toUs; atUs += TICK_US) {
    while ((timeUs[row + 1] ?? Infinity) <= atUs) row += 1;
    samples.push({ atUs, value: values[row] ?? NaN });
  }
  return samples.filter(({ value }) => !Number.isNaN(value));
}
