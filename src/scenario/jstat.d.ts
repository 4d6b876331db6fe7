/** Types for the functions of jstat that are used here. The package contains no types. */
declare module 'jstat' {
  const jStat: {
    mean(values: readonly number[]): number;
    /** The standard deviation. If `sample` is true, the denominator is n - 1 instead of n. */
    stdev(values: readonly number[], sample: boolean): number;
    normal: {
      inv(probability: number, mean: number, deviation: number): number;
      cdf(value: number, mean: number, deviation: number): number;
    };
    studentt: {
      inv(probability: number, degreesOfFreedom: number): number;
      cdf(t: number, degreesOfFreedom: number): number;
    };
  };
  export default jStat;
}
