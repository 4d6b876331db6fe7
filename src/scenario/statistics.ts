/** Statistics over the runs of an experiment. */
import jStat from 'jstat';

/** What several runs gave. */
export interface Summary {
  /** NaN if no run gave a number. */
  mean: number;
  /** Standard deviation of a sample (n - 1); NaN below two runs. */
  sd: number;
  /** Where the mean lies with 95 % confidence, by Student's t; both NaN below two runs. */
  ci95: readonly [low: number, high: number];
  /** Runs that gave a finite number. */
  n: number;
}

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
