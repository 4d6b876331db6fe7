/** Columns of a simulation's trace, in the units in which figures show them. */
import { tableSpec, type TableName } from '../core/schema.js';
import type { TraceBatch } from '../core/recorder.js';
import { decimate } from '../trace/decimate.js';
import { timeColumn } from '../trace/tables.js';

/** A column of one flow (or link) over time. */
export interface TraceSeries {
  /** Number of the flow, or of the link in tables of the bottleneck. */
  flow: number;
  timeUs: Float64Array;
  values: Float64Array;
}

/** The units in which a column can be shown, with their factors; the first is the default. */
const UNITS: readonly [suffix: string, units: Readonly<Record<string, number>>][] = [
  ['_bps', { kbps: 1e-3, Mbps: 1e-6 }],
  ['_us', { ms: 1e-3, s: 1e-6 }],
  ['_ms', { ms: 1, s: 1e-3 }],
  ['_bytes', { kB: 1e-3 }],
  ['fraction_lost', { '%': 100 }],
];

const unitsOf = (column: string): Readonly<Record<string, number>> =>
  UNITS.find(([suffix]) => column.endsWith(suffix))?.[1] ?? {};

/**
 * The unit in which a column is shown. A stored unit (STORED) is replaced by the default, since numbers in stored
 * units have too many digits.
 */
export function shownUnit(column: string, unit?: string): string {
  const [usual = ''] = Object.keys(unitsOf(column));
  return unit === undefined || STORED.has(unit) ? usual : unit;
}

const STORED: ReadonlySet<string> = new Set(['bps', 'us', 'bytes', 'ratio']);

/** The factor from a column's stored unit to `unit`; 1 for an unknown unit. */
export const unitFactor = (column: string, unit: string): number => unitsOf(column)[unit] ?? 1;

/** A flow without a value for longer than this counts as absent during that time: its curve has a gap. */
const SHORTEST_GAP_US = 2e6;

/**
 * The values of one column, as one series for each flow, in the order of flow numbers. Rows without a value are left
 * out, except between two values more than SHORTEST_GAP_US apart: NaN then marks the gap.
 */
export function traceSeries(batches: readonly TraceBatch[], table: string, column: string): TraceSeries[] {
  const spec = tableSpec(table as TableName);
  const names = spec.columns.map(({ name }) => name);
  const [time, value] = [timeColumn(spec), names.indexOf(column)];
  const flow = Math.max(names.indexOf('flow'), names.indexOf('link'));
  const found = new Map<number, { time: number[]; values: number[] }>();
  for (const { table: name, rows, columns } of batches) {
    if (name !== table) continue;
    for (let row = 0; row < rows; row++) {
      const key = columns[flow]?.[row] ?? 0;
      let series = found.get(key);
      if (series === undefined) found.set(key, (series = { time: [], values: [] }));
      series.time.push(columns[time]?.[row] ?? NaN);
      series.values.push(columns[value]?.[row] ?? NaN);
    }
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([key, { time: at, values }]) => withGaps(key, at, values))
    .filter(({ values }) => values.length > 0);
}

function withGaps(flow: number, time: readonly number[], values: readonly number[]): TraceSeries {
  const kept: number[] = [];
  let last = -1;
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return;
    const gap = last >= 0 && (time[row] ?? NaN) - (time[last] ?? NaN) > SHORTEST_GAP_US;
    if (gap) for (let empty = last + 1; empty < row; empty++) kept.push(empty);
    kept.push(row);
    last = row;
  });
  return {
    flow,
    timeUs: Float64Array.from(kept, (row) => time[row] ?? NaN),
    values: Float64Array.from(kept, (row) => values[row] ?? NaN),
  };
}

/** The mean of several flows: at each time, the mean over the flows that have a value then. */
export function meanSeries(series: readonly TraceSeries[]): TraceSeries | null {
  const [first] = series;
  if (first === undefined) return null;
  const sums = new Map<number, { sum: number; n: number }>();
  for (const { timeUs, values } of series) {
    timeUs.forEach((at, i) => {
      const value = values[i] ?? NaN;
      if (Number.isNaN(value)) return;
      const entry = sums.get(at) ?? { sum: 0, n: 0 };
      sums.set(at, { sum: entry.sum + value, n: entry.n + 1 });
    });
  }
  const times = [...sums.keys()].sort((a, b) => a - b);
  return {
    flow: first.flow,
    timeUs: Float64Array.from(times),
    values: Float64Array.from(times, (at) => {
      const entry = sums.get(at);
      return entry ? entry.sum / entry.n : NaN;
    }),
  };
}

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

/**
 * The points of a curve: the time in seconds, and the value times `factor` (null in a gap). The points are thinned to
 * about `most`, without losing peaks.
 */
export function curvePoints(
  { timeUs, values }: TraceSeries,
  factor: number,
  most: number,
): [number, number | null][] {
  const all = Uint32Array.from(timeUs, (_, i) => i);
  const span = (timeUs.at(-1) ?? 0) - (timeUs[0] ?? 0);
  return Array.from(decimate(timeUs, [values], all, most, span), (row) => {
    const y = (values[row] ?? NaN) * factor;
    return [rounded((timeUs[row] ?? 0) / 1e6, 6), Number.isNaN(y) ? null : rounded(y, 4)];
  });
}

/** The distribution of the values: for each x, the percentage of the values that are at most x. */
export function cumulative({ values }: TraceSeries, factor: number, most: number): [number, number][] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const n = sorted.length;
  const points = Math.min(n, most);
  return Array.from({ length: points }, (_, i) => {
    const rank = Math.ceil(((i + 1) * n) / points);
    return [rounded((sorted[rank - 1] ?? NaN) * factor, 4), rounded((100 * rank) / n, 4)];
  });
}
