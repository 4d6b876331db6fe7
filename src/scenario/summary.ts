/**
 * Summaries of one number per run. Callers pass the statistics as an object. So the Lab page, which shows
 * only single runs, needs no statistics library.
 */

/** The summary of several runs. */
export interface Summary {
  /** NaN if no run yielded a number. */
  mean: number;
  /** The sample standard deviation (denominator n - 1). NaN for fewer than two runs. */
  sd: number;
  /** The 95 % confidence interval of the mean (Student's t); both ends are NaN for fewer than two runs. */
  ci95: readonly [low: number, high: number];
  /** The number of runs that yielded a finite number. */
  n: number;
}

export interface Statistics {
  /** Summarises one number per run. Runs without a number (NaN) are ignored. */
  summarise(values: readonly number[]): Summary;
  /**
   * The probability that the mean would be at least this far above zero by chance. Null for fewer than two
   * numbers.
   */
  tailProbability(values: readonly number[]): number | null;
}

/** The statistics of a single run, which has no spread and cannot be tested. */
export const ONE_RUN: Statistics = {
  summarise([value = NaN]) {
    return { mean: value, sd: NaN, ci95: [NaN, NaN], n: Number.isFinite(value) ? 1 : 0 };
  },
  tailProbability: () => null,
};
