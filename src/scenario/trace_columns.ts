/** Columns of a simulation's trace, in the units of a picture. */
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

/** Units that a column can be shown in, with the factor; the first is the usual one. */
const UNITS: readonly [suffix: string, units: Readonly<Record<string, number>>][] = [
  ['_bps', { kbps: 1e-3, Mbps: 1e-6 }],
  ['_us', { ms: 1e-3, s: 1e-6 }],
  ['_ms', { ms: 1, s: 1e-3 }],
  ['_bytes', { kB: 1e-3 }],
  ['fraction_lost', { '%': 100 }],
];

const unitsOf = (column: string): Readonly<Record<string, number>> =>
  UNITS.find(([suffix]) => column.endsWith(suffix))?.[1] ?? {};

/** The unit to show a column in: not the one that it is stored in, which has too many digits. */
export function shownUnit(column: string, unit?: string): string {
  const [usual = ''] = Object.keys(unitsOf(column));
  return unit === undefined || STORED.has(unit) ? usual : unit;
}

const STORED: ReadonlySet<string> = new Set(['bps', 'us', 'bytes', 'ratio']);

/** What to multiply the column with; 1 for a unit that it does not know. */
export const unitFactor = (column: string, unit: string): number => unitsOf(column)[unit] ?? 1;

/** The rows of one column, a series for each flow in the order of their numbers. NaN rows are left out. */
export function traceSeries(batches: readonly TraceBatch[], table: string, column: string): TraceSeries[] {
  const spec = tableSpec(table as TableName);
  const names = spec.columns.map(({ name }) => name);
  const [time, value] = [timeColumn(spec), names.indexOf(column)];
  const flow = Math.max(names.indexOf('flow'), names.indexOf('link'));
  const found = new Map<number, { time: number[]; values: number[] }>();
  for (const { table: name, rows, columns } of batches) {
    if (name !== table) continue;
    for (let row = 0; row < rows; row++) {
      const y = columns[value]?.[row] ?? NaN;
      if (Number.isNaN(y)) continue;
      const key = columns[flow]?.[row] ?? 0;
      let series = found.get(key);
      if (series === undefined) found.set(key, (series = { time: [], values: [] }));
      series.time.push(columns[time]?.[row] ?? NaN);
      series.values.push(y);
    }
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([key, { time: at, values }]) => ({
      flow: key,
      timeUs: Float64Array.from(at),
      values: Float64Array.from(values),
    }));
}

/** The mean of several flows, at the times of the first; each counts from its first row to its last. */
export function meanSeries(series: readonly TraceSeries[]): TraceSeries | null {
  const [first] = series;
  if (first === undefined) return null;
  const sums = new Map<number, { sum: number; n: number }>();
  for (const { timeUs, values } of series) {
    timeUs.forEach((at, i) => {
      const entry = sums.get(at) ?? { sum: 0, n: 0 };
      sums.set(at, { sum: entry.sum + (values[i] ?? 0), n: entry.n + 1 });
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

/** Seconds and values, thinned to at most about `most` points that keep peaks. */
export function curvePoints(
  { timeUs, values }: TraceSeries,
  factor: number,
  most: number,
): [number, number][] {
  const all = Uint32Array.from(timeUs, (_, i) => i);
  const span = (timeUs.at(-1) ?? 0) - (timeUs[0] ?? 0);
  const rows = decimate(timeUs, [values], all, most, span);
  return Array.from(rows, (row) => [
    rounded((timeUs[row] ?? 0) / 1e6, 6),
    rounded((values[row] ?? 0) * factor, 4),
  ]);
}

/** The distribution of the values: which share of them, in per cent, is at most x. */
export function cumulative({ values }: TraceSeries, factor: number, most: number): [number, number][] {
  const sorted = values.slice().sort();
  const n = sorted.length;
  const points = Math.min(n, most);
  return Array.from({ length: points }, (_, i) => {
    const rank = Math.ceil(((i + 1) * n) / points);
    return [rounded((sorted[rank - 1] ?? NaN) * factor, 4), rounded((100 * rank) / n, 4)];
  });
}
