/** The trend of each call's numbers from test run to test run: compares the latest number with the earlier ones. */
import { PROPERTIES, PROPERTY_NAMES, type PropertyName } from '../evidence/properties.js';
import { median } from '../calls/percentile.js';
import { version } from '../html/version.js';
import type { HistoryCall, HistoryRun } from './history.js';

/** With fewer earlier values, their range does not reliably show which values are usual. */
const LEAST_EARLIER = 3;

/** The values of one metric, for one test on one network. */
export interface TrendLine {
  metric: PropertyName;
  /**
   * One value for each run of the report, in the order of the runs. If the test repeats its call (the fixture
   * `repeat`), the value is the median over these calls. Null if unknown.
   */
  values: (number | null)[];
  /** The last known value. */
  latest: number;
  /** The index of `latest` in `values`. */
  latest_run: number;
  /** Statistics of the known values before the latest; null if there are none. */
  earlier: { runs: number; median: number; min: number; max: number } | null;
  /**
   * The latest value minus the median of the earlier values, as a fraction of this median; null if the median is 0 or
   * missing.
   */
  change_ratio: number | null;
  /**
   * How the latest value compares with the range of the earlier values; null if it lies inside, or if there
   * are fewer than three earlier values.
   */
  outside: 'better' | 'worse' | null;
}

export interface TrendGroup {
  /** The file of the test, relative to the folder of the tests; empty if no run names it. */
  file: string;
  test: string;
  project: string;
  network: string;
  lines: TrendLine[];
}

export interface TrendReport {
  ccscope_trend: 1;
  ccscope: string;
  created: string;
  /** Oldest first. */
  runs: Pick<HistoryRun, 'created' | 'commit' | 'outcome'>[];
  groups: TrendGroup[];
}

type Known = [value: number, run: number];

function earlierOf(known: readonly Known[]): TrendLine['earlier'] {
  const values = known.map(([value]) => value);
  if (values.length === 0) return null;
  return { runs: values.length, median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

function outside(metric: PropertyName, latest: number, earlier: TrendLine['earlier']): TrendLine['outside'] {
  if (earlier === null || earlier.runs < LEAST_EARLIER) return null;
  const { min, max } = earlier;
  if (latest >= min && latest <= max) return null;
  return latest > max === (PROPERTIES[metric].better === 'more') ? 'better' : 'worse';
}

function lineOf(metric: PropertyName, perRun: readonly (readonly HistoryCall[])[]): TrendLine[] {
  const values = perRun.map((calls) => {
    const known = calls.flatMap(({ metrics }) => metrics[metric] ?? []);
    return known.length === 0 ? null : median(known);
  });
  const known = values.flatMap((value, run): Known[] => (value === null ? [] : [[value, run]]));
  const last = known.at(-1);
  if (last === undefined) return [];
  const [latest, latestRun] = last;
  const earlier = earlierOf(known.slice(0, -1));
  const usual = earlier?.median ?? 0;
  return [
    {
      metric,
      values,
      latest,
      latest_run: latestRun,
      earlier,
      change_ratio: usual === 0 ? null : (latest - usual) / usual,
      outside: outside(metric, latest, earlier),
    },
  ];
}

const titleKey = ({ test, project, network }: HistoryCall): string =>
  JSON.stringify([test, project, network]);

/**
 * Returns a function that gives the file of a call. Earlier versions did not store the file. A call of theirs belongs
 * to the only file that has a test with its title, project and network; '' if there are several files or none.
 */
function filesOf(calls: readonly HistoryCall[]): (call: HistoryCall) => string {
  const files = new Map<string, Set<string>>();
  for (const call of calls) {
    const { file = '' } = call;
    const known = files.get(titleKey(call)) ?? new Set();
    files.set(titleKey(call), file === '' ? known : known.add(file));
  }
  return (call) => {
    const { file = '' } = call;
    if (file !== '') return file;
    const [first = '', ...more] = files.get(titleKey(call)) ?? [];
    return more.length === 0 ? first : '';
  };
}

/**
 * Compares the latest known value of each metric with its earlier values, separately for each test, project and
 * network. Tests in different files are different tests, even if they have the same title. `runs` is in time order,
 * the oldest run first.
 */
export function trendOf(runs: readonly HistoryRun[], created = new Date()): TrendReport {
  const all = runs.flatMap(({ calls }) => calls);
  const fileOf = filesOf(all);
  const keyOf = (call: HistoryCall): string => JSON.stringify([fileOf(call), titleKey(call)]);
  const groups = [...new Map(all.map((call) => [keyOf(call), call]))].map(([key, call]): TrendGroup => {
    const { test, project, network } = call;
    const perRun = runs.map(({ calls }) => calls.filter((each) => keyOf(each) === key));
    const lines = PROPERTY_NAMES.flatMap((metric) => lineOf(metric, perRun));
    return { file: fileOf(call), test, project, network, lines };
  });
  return {
    ccscope_trend: 1,
    ccscope: version(),
    created: created.toISOString(),
    runs: runs.map(({ created: at, commit, outcome }) => ({ created: at, commit, outcome })),
    groups: groups.filter(({ lines }) => lines.length > 0),
  };
}
