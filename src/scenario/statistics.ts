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
 * The probability of a mean that far above zero if the values scatter about zero: Student's one-sided t-test of
 * one sample, which is the paired test if the values are differences. Null below two numbers, which test nothing;
 * 0 or 1 if all are the same, as in runs without any randomness.
 */
export function tailProbability(values: readonly number[]): number | null {
  const { mean, sd, n } = summarise(values);
  if (n < 2) return null;
  if (sd === 0) return mean > 0 ? 0 : 1;
  return 1 - jStat.studentt.cdf((mean * Math.sqrt(n)) / sd, n - 1);
}

/** The probability of a standard normal number above this. */
export const normalTail = (z: number): number => 1 - jStat.normal.cdf(z, 0, 1);

/**
 * The 95 % confidence interval of the probability of a success, by the score method of Wilson (1927), which stays
 * within 0 and 1 and holds for few trials. Both ends are NaN without trials.
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
