/** Statistics over the runs of an experiment. */
import jStat from 'jstat';

import type { Statistics, Summary } from './summary.js';

/** Summarises one number per run. Runs without a number (NaN) are ignored. */
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
 * The p-value of Student's one-sided one-sample t-test: the probability that the mean would be at least this far
 * above zero if the true mean were zero. For differences, this is the paired test. Null for fewer than two
 * numbers, which cannot be tested. 0 or 1 if all numbers are equal, as in runs without randomness.
 */
export function tailProbability(values: readonly number[]): number | null {
  const { mean, sd, n } = summarise(values);
  if (n < 2) return null;
  if (sd === 0) return mean > 0 ? 0 : 1;
  return 1 - jStat.studentt.cdf((mean * Math.sqrt(n)) / sd, n - 1);
}

/** The probability that a standard normal variable exceeds `z`. */
export const normalTail = (z: number): number => 1 - jStat.normal.cdf(z, 0, 1);

/**
 * The 95 % confidence interval of a success probability by Wilson's score method (1927). This interval stays
 * between 0 and 1 and is accurate even for few trials. Both ends are NaN if there were no trials.
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
