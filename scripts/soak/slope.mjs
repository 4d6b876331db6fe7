// Computes how fast a series grows, and how certain this is. A soak is judged by slopes, never by levels.
import jStat from 'jstat';

const CONFIDENCE = 0.95;

/**
 * The slope of a least-squares line through the values, and its 95 % confidence interval (Student's t). The unit
 * is that of the values per unit of time. NaN if there are fewer than three points.
 */
export function slopeOf(times, values) {
  const n = times.length;
  if (n < 3) return { slope: NaN, low: NaN, high: NaN };
  const [meanTime, meanValue] = [jStat.mean(times), jStat.mean(values)];
  const squares = times.reduce((sum, t) => sum + (t - meanTime) ** 2, 0);
  const slope = times.reduce((sum, t, i) => sum + (t - meanTime) * (values[i] - meanValue), 0) / squares;
  const residuals = times.reduce(
    (sum, t, i) => sum + (values[i] - meanValue - slope * (t - meanTime)) ** 2,
    0,
  );
  const error = Math.sqrt(residuals / (n - 2) / squares);
  const half = jStat.studentt.inv((1 + CONFIDENCE) / 2, n - 2) * error;
  return { slope, low: slope - half, high: slope + half };
}

/**
 * `grows` if the whole interval is above the limit; `flat` if the whole interval is at or below the limit;
 * otherwise `not known`.
 */
export function verdictOf({ low, high }, limit) {
  if (low > limit) return 'grows';
  return high <= limit ? 'flat' : 'not known';
}

/**
 * The slopes of all series after the warm-up, with their verdicts. A sample has a time, in hours, and one value for
 * each series.
 */
export function judge(samples, { warmUpHours, limitOf }) {
  const counted = samples.filter(({ hours }) => hours >= warmUpHours);
  const names = [...new Set(counted.flatMap(({ values }) => Object.keys(values)))];
  return names.map((name) => {
    const seen = counted.filter(({ values }) => Number.isFinite(values[name]));
    const values = seen.map((sample) => sample.values[name]);
    const line = slopeOf(
      seen.map(({ hours }) => hours),
      values,
    );
    const { limit, unit, judged } = limitOf(name);
    const verdict = judged ? verdictOf(line, limit) : 'shown';
    return { name, unit, limit, ...line, first: values[0], last: values.at(-1), verdict };
  });
}
