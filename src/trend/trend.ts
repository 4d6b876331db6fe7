/** How the numbers of each call went over runs of its test: the latest beside those before it. */
import { PROPERTIES, PROPERTY_NAMES, type PropertyName } from '../evidence/properties.js';
import { median } from '../calls/percentile.js';
import { version } from '../html/version.js';
import type { HistoryCall, HistoryRun } from './history.js';

/** A range of fewer earlier runs says little of what is usual. */
const LEAST_EARLIER = 3;

/** One number of the calls of a test on a network. */
export interface TrendLine {
  metric: PropertyName;
  /** One for each run of the report, in its order: the median over the runs of `repeat`; null where it is not known. */
  values: (number | null)[];
  /** The last that is known. */
  latest: number;
  /** Its place in `values`. */
  latest_run: number;
  /** Over the runs before the latest; null without any. */
  earlier: { runs: number; median: number; min: number; max: number } | null;
  /** Latest less the earlier median, as a share of that; null where that is 0 or there is none. */
  change_ratio: number | null;
  /** Where the latest lies beside the earlier range, from three earlier runs on; null inside of it. */
  outside: 'better' | 'worse' | null;
}

export interface TrendGroup {
  test: string;
  project: string;
  network: string;
  lines: TrendLine[];
}

export interface TrendReport {
  ccscope_trend: 1;
  ccscope: string;
  created: string;
  /** The oldest first. */
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

const keyOf = ({ test, project, network }: HistoryCall): string => JSON.stringify([test, project, network]);

/** Compares the latest of some runs, the oldest first, with those before it; each test by itself. */
export function trendOf(runs: readonly HistoryRun[], created = new Date()): TrendReport {
  const firsts = new Map(runs.flatMap(({ calls }) => calls.map((call) => [keyOf(call), call])));
  const groups = [...firsts].map(([key, { test, project, network }]): TrendGroup => {
    const perRun = runs.map(({ calls }) => calls.filter((call) => keyOf(call) === key));
    return { test, project, network, lines: PROPERTY_NAMES.flatMap((metric) => lineOf(metric, perRun)) };
  });
  return {
    ccscope_trend: 1,
    ccscope: version(),
    created: created.toISOString(),
    runs: runs.map(({ created: at, commit, outcome }) => ({ created: at, commit, outcome })),
    groups: groups.filter(({ lines }) => lines.length > 0),
  };
}
