/** Statistics over the runs of an experiment. */
import jStat from 'jstat';

import type { Statistics, Summary } from './summary.js';

/** Summarises one number per run. Runs that gave none (NaN) do not count. */
export function summarise(values: readonly number[]): Summary {
  const finite = values.filter(Number.isFinite);
  const n = finite.length;
  const mean = n === 0 ? NaN : jStat.mean(finite);
  if (n < 2) return { mean, sd: NaN, ci95: [NaN, NaN], n };
  const sd = jStat.stdev(finite, true);
  const half = (jStat.studentt.inv(0.975, n - 1) * sd) / Math.sqrt(n);
  return { mean, sd, ci95: [mean - half, mean + half], n };
}

/**
 * How probable a mean as far above zero is, if the values scatter about zero: Student's t-test of one sample, which is
 * that of pairs where the values are their differences, one-sided. Null below two numbers, which test nothing; 0 or 1
 * where all are the same, as runs without any randomness are.
 */
export function tailProbability(values: readonly number[]): number | null {
  const { mean, sd, n } = summarise(values);
  if (n < 2) return null;
  if (sd === 0) return mean > 0 ? 0 : 1;
  return 1 - jStat.studentt.cdf((mean * Math.sqrt(n)) / sd, n - 1);
}

/** How probable a standard normal number above this is. */
export const normalTail = (z: number): number => 1 - jStat.normal.cdf(z, 0, 1);

/**
 * Where the probability of a success lies with 95 % confidence, by the score interval of Wilson
 * (1927), which stays within 0 and 1 and holds for few trials. Both NaN without trials.
 */
export function wilsonInterval(successes: number, trials: number): readonly [low: number, high: number] {
  const z = jStat.normal.inv(0.975, 0, 1);
  const ratio = successes / trials;
  const middle = ratio + z ** 2 / (2 * trials);
  const half = z * Math.sqrt((ratio * (1 - ratio)) / trials + z ** 2 / (4 * trials ** 2));
  const whole = 1 + z ** 2 / trials;
  return [Math.max(0, (middle - half) / whole), Math.min(1, (middle + half) / whole)];
}

export const STATISTICS: Statistics = { summarise, tailProbability };
