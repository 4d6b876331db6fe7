/**
 * Summaries of one number per run. The caller decides which library computes them. The Lab page only shows single
 * runs, so it needs no library.
 */

/** The summary of several runs. */
export interface Summary {
  /** NaN if no run gave a number. */
  mean: number;
  /** Standard deviation of a sample (n - 1); NaN for fewer than two runs. */
  sd: number;
  /** The 95 % confidence interval of the mean (Student's t); both ends are NaN for fewer than two runs. */
  ci95: readonly [low: number, high: number];
  /** Runs that gave a finite number. */
  n: number;
}

export interface Statistics {
  /** Summarises one number per run. Runs without a number (NaN) do not count. */
  summarise(values: readonly number[]): Summary;
  /** The probability of a mean at least this far above zero by chance; null for fewer than two numbers. */
  tailProbability(values: readonly number[]): number | null;
}

/** For a single run there is no spread, and nothing to test. */
export const ONE_RUN: Statistics = {
  summarise([value = NaN]) {
    return { mean: value, sd: NaN, ci95: [NaN, NaN], n: Number.isFinite(value) ? 1 : 0 };
  },
  tailProbability: () => null,
};
