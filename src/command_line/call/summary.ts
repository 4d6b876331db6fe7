/** Medians, ranges and ratios over runs. */
import { median } from '../../calls/percentile.js';
import {
  SUMMARY_KEYS,
  type Ratio,
  type RunReport,
  type Spread,
  type Summary,
  type SummaryKey,
} from './types.js';

/** Times that are null if the event never happened. Less is better, so null counts as infinitely long. */
const NEVER: readonly SummaryKey[] = ['time_to_90pct_s'];

function valueOf(run: RunReport, key: SummaryKey): number | null {
  const { p50, p95, p99 } = run.queue_delay_ms;
  const flat = { ...run, queue_delay_p50_ms: p50, queue_delay_p95_ms: p95, queue_delay_p99_ms: p99 };
  return flat[key];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** The median and the range. Nulls are left out; if `never` is set, they count as infinite instead. */
export function spread(values: readonly (number | null)[], never = false): Spread {
  const numbers = values.flatMap((value) => (value !== null ? [value] : never ? [Infinity] : []));
  return {
    median: finite(median(numbers)),
    min: finite(Math.min(...numbers)),
    max: finite(Math.max(...numbers)),
  };
}

function mapKeys<T>(make: (key: SummaryKey) => T): Record<SummaryKey, T> {
  return Object.fromEntries(SUMMARY_KEYS.map((key) => [key, make(key)])) as Record<SummaryKey, T>;
}

export function summarise(runs: readonly RunReport[]): Summary {
  return mapKeys((key) =>
    spread(
      runs.map((run) => valueOf(run, key)),
      NEVER.includes(key),
    ),
  );
}

const divide = (a: number | null, b: number | null): number | null =>
  a === null || b === null || b === 0 ? null : a / b;

/** Ratios of `ours` to `theirs`. Run i of `ours` is compared with run i of `theirs`. */
export function ratios(ours: readonly RunReport[], theirs: readonly RunReport[]): Record<SummaryKey, Ratio> {
  const [a, b] = [summarise(ours), summarise(theirs)];
  const pairs = ours.slice(0, theirs.length).map((run, i) => [run, theirs[i] ?? run] as const);
  return mapKeys((key) => ({
    of_medians: divide(a[key].median, b[key].median),
    ...spread(pairs.map(([x, y]) => divide(valueOf(x, key), valueOf(y, key)))),
  }));
}
