/** The trend of each call's numbers from test run to test run: compares the latest number with the earlier ones. */
import { PROPERTIES, PROPERTY_NAMES, type PropertyName } from '../evidence/properties.js';
import { median } from '../calls/percentile.js';
import { version } from '../html/version.js';
import type { HistoryCall, HistoryRun } from './history.js';

/** With fewer earlier values, their range does not reliably show which values are usual. */
const LEAST_EARLIER = 3;

/** Times that are missing if the event never happened. Less is better, so such a time counts as infinitely long. */
const NEVER: readonly PropertyName[] = ['time_to_90pct_s'];

/** The values of one metric, for one test on one network. */
export interface TrendLine {
  metric: PropertyName;
  /**
   * One value for each run of the report, in the order of the runs. If the test repeats its call (the fixture
   * `repeat`), the value is the median over these calls. Null if unknown or never.
   */
  values: (number | null)[];
  /**
   * The indices in `values` of the runs that never reached what the metric is the time of. In every comparison, never
   * is longer than any time. Absent if there are no such runs.
   */
  never_runs?: number[];
  /** The last known value; null for never. */
  latest: number | null;
  /** The index of `latest` in `values`. */
  latest_run: number;
  /** Statistics of the known values before the latest, with null for never; null if there are no such values. */
  earlier: { runs: number; median: number | null; min: number | null; max: number | null } | null;
  /**
   * The latest value minus the median of the earlier values, as a fraction of this median; null if the median is 0 or
   * missing, or if one of the two is never.
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

/** The value of a run, Infinity for never. */
type Known = [value: number, run: number];

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

function outside(metric: PropertyName, latest: number, earlier: readonly number[]): TrendLine['outside'] {
  if (earlier.length < LEAST_EARLIER) return null;
  const [min, max] = [Math.min(...earlier), Math.max(...earlier)];
  if (latest >= min && latest <= max) return null;
  return latest > max === (PROPERTIES[metric].better === 'more') ? 'better' : 'worse';
}

/**
 * The numbers of calls. If `hasNever` is set, a call without this number counts as never, provided that anything of it
 * was measured. With Chrome's own throttling there is no record of packets, so the time remains unknown.
 */
function numbersOf(metric: PropertyName, calls: readonly HistoryCall[], hasNever: boolean): number[] {
  return calls.flatMap(({ metrics, backend }) => {
    const isNever = hasNever && backend !== 'devtools' && Object.keys(metrics).length > 0;
    return metrics[metric] ?? (isNever ? Infinity : []);
  });
}

function lineOf(metric: PropertyName, perRun: readonly (readonly HistoryCall[])[]): TrendLine[] {
  // If no call of the test has this number, it is not known whether any could have it.
  const hasNever =
    NEVER.includes(metric) && perRun.flat().some(({ metrics }) => metrics[metric] !== undefined);
  const values = perRun.map((calls) => {
    const known = numbersOf(metric, calls, hasNever);
    return known.length === 0 ? null : median(known);
  });
  const known = values.flatMap((value, run): Known[] => (value === null ? [] : [[value, run]]));
  const last = known.at(-1);
  if (last === undefined) return [];
  const [latest, latestRun] = last;
  const earlier = known.slice(0, -1).map(([value]) => value);
  const usual = median(earlier);
  const neverRuns = known.filter(([value]) => value === Infinity).map(([, run]) => run);
  return [
    {
      metric,
      values: values.map((value) => (value === null ? null : finite(value))),
      ...(neverRuns.length > 0 && { never_runs: neverRuns }),
      latest: finite(latest),
      latest_run: latestRun,
      earlier:
        earlier.length === 0
          ? null
          : {
              runs: earlier.length,
              median: finite(usual),
              min: finite(Math.min(...earlier)),
              max: finite(Math.max(...earlier)),
            },
      change_ratio: finite((latest - usual) / usual),
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

/** The calls of one test on one network, run by run. */
interface TestCalls {
  call: HistoryCall;
  perRun: HistoryCall[][];
}

/** Sorts the calls by their tests in one pass, since a folder of tests may have thousands of calls. */
function callsByTest(runs: readonly HistoryRun[], fileOf: (call: HistoryCall) => string): TestCalls[] {
  const tests = new Map<string, TestCalls>();
  for (const [run, { calls }] of runs.entries()) {
    for (const call of calls) {
      const key = JSON.stringify([fileOf(call), titleKey(call)]);
      const known = tests.get(key) ?? { call, perRun: runs.map((): HistoryCall[] => []) };
      known.perRun[run]?.push(call);
      tests.set(key, known);
    }
  }
  return [...tests.values()];
}

/**
 * Compares the latest known value of each metric with its earlier values, separately for each test, project and
 * network. Tests in different files are different tests, even if they have the same title. `runs` is in time order,
 * the oldest run first.
 */
export function trendOf(runs: readonly HistoryRun[], created = new Date()): TrendReport {
  const fileOf = filesOf(runs.flatMap(({ calls }) => calls));
  const groups = callsByTest(runs, fileOf).map(({ call, perRun }): TrendGroup => {
    const { test, project, network } = call;
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
