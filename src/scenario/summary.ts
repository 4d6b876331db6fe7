/** What is said of one number per run; by which library, the caller decides: the page's Lab has single runs, and none. */

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

export interface Statistics {
  /** Summarises one number per run. Runs that gave none (NaN) do not count. */
  summarise(values: readonly number[]): Summary;
  /** How probable a mean as far above zero is by chance; null where there are fewer than two numbers. */
  tailProbability(values: readonly number[]): number | null;
}

/** Of a single run there is no spread, and nothing to test. */
export const ONE_RUN: Statistics = {
  summarise([value = NaN]) {
    return { mean: value, sd: NaN, ci95: [NaN, NaN], n: Number.isFinite(value) ? 1 : 0 };
  },
  tailProbability: () => null,
};
