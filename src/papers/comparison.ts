/** The part of the report that compares controllers: a table for each case, with a row for each controller. */
import * as v from 'valibot';

import type { BarFigure } from '../figures/figure.js';
import type { ComparedCase, Scenario, Standing } from '../scenario/index.js';
import { metricAxis } from '../figures/metric_figures.js';
import { measuredSchema, measuredOf } from './measured.js';

const column = v.object({
  title: v.string(),
  name: v.string(),
  unit: v.string(),
  flow: v.optional(v.string()),
  window: v.optional(v.string()),
  path: v.optional(v.string()),
  /** Whether the largest (`most`) or the smallest (`least`) value is the best. Absent if neither is. */
  best: v.optional(v.picklist(['most', 'least'])),
});

/** A case: one combination of values on all axes of the experiment except the compared axis. */
export const comparedCaseSchema = v.object({
  experiment: v.string(),
  source: v.string(),
  /** Empty if the experiment has no other axis. */
  label: v.string(),
  params: v.record(v.string(), v.string()),
  /** The name of the compared axis. Each value of this axis has a row. */
  along: v.string(),
  /** The number of runs of each cell. */
  runs: v.number(),
  columns: v.array(column),
  rows: v.array(
    v.object({
      name: v.string(),
      label: v.string(),
      /** One value for each column. A value is `close` if its 95 % interval overlaps the interval of the best value. */
      values: v.array(
        v.object({ measured: measuredSchema, standing: v.picklist(['best', 'close', 'none']) }),
      ),
    }),
  ),
});

export type CaseReport = v.InferOutput<typeof comparedCaseSchema>;
export type ComparedValueReport = CaseReport['rows'][number]['values'][number];

/** Symbols for the standings, which can be read without colour. */
export const MARKS: Record<Standing, string> = { best: '★', close: '≈', none: '' };
export const MARKS_MEAN = '★ the best mean; ≈ its 95 % interval overlaps that of the best';

export function caseReports(scenario: Scenario, cases: readonly ComparedCase[], runs: number): CaseReport[] {
  return cases.map(({ params, label, columns, rows }) => ({
    experiment: scenario.id,
    source: scenario.source ?? '',
    label,
    params: { ...params },
    along: scenario.comparison?.along ?? '',
    runs,
    columns: columns.map(({ metric, ...rest }) => ({ ...rest, name: metric })),
    rows: rows.map(({ name, label: row, values }) => ({
      name,
      label: row,
      values: values.map(({ measured, standing }) => ({ measured: measuredOf(measured), standing })),
    })),
  }));
}

/** The name of a case, such as `rmcat-5.6, queue 300 ms`. */
export const caseName = ({ experiment, label }: CaseReport): string =>
  label === '' ? experiment : `${experiment}, ${label}`;

/** The titles of all columns without duplicates, in the order of the case with the most columns. */
export function columnTitles(cases: readonly CaseReport[]): string[] {
  const fullest = [...cases].sort((a, b) => b.columns.length - a.columns.length);
  return [...new Set(fullest.flatMap(({ columns }) => columns.map(({ title }) => title)))];
}

/** The value of a row in a column. Undefined if the case has no such column. */
export function valueIn(
  { columns }: CaseReport,
  row: CaseReport['rows'][number],
  title: string,
): ComparedValueReport | undefined {
  return row.values[columns.findIndex((each) => each.title === title)];
}

/** Groups the cases by the axis along which they are compared. */
export function byAxis(cases: readonly CaseReport[]): { along: string; cases: CaseReport[] }[] {
  return [...new Set(cases.map(({ along }) => along))].map((along) => ({
    along,
    cases: cases.filter((each) => each.along === along),
  }));
}

/**
 * Delays are drawn on a logarithmic axis if the largest mean is more than this many times as large as the
 * smallest.
 */
const WIDE = 20;

/** A bar chart for each column, with a group of bars for each case and a colour for each row. */
export function comparisonFigures(cases: readonly CaseReport[]): BarFigure[] {
  const rows = new Map(
    cases.flatMap(({ rows: some }) => some.map(({ name, label }) => [name, label] as const)),
  );
  return columnTitles(cases).map((title) => {
    const having = cases.filter(({ columns }) => columns.some((each) => each.title === title));
    const metric = having[0]?.columns.find((each) => each.title === title)?.name ?? '';
    const { axis, scale } = metricAxis(metric);
    const bar = (one: CaseReport, name: string): BarFigure['series'][number]['bars'][number] => {
      const row = one.rows.find((each) => each.name === name);
      const { mean = null, sd = null } = (row && valueIn(one, row, title)?.measured) ?? {};
      return mean === null ? null : { mean: mean * scale, sd: (sd ?? 0) * scale };
    };
    const series = [...rows].map(([name, label]) => ({ label, bars: having.map((one) => bar(one, name)) }));
    const means = series.flatMap(({ bars }) => bars.flatMap((each) => each?.mean ?? []));
    const wide = Math.min(...means) > 0 && Math.max(...means) > WIDE * Math.min(...means);
    return {
      kind: 'bars',
      title,
      y:
        wide && axis.unit === 'ms'
          ? { label: title, unit: 'ms', logarithmic: true }
          : { ...axis, label: title },
      x: 'case',
      groups: having.map(({ experiment, params }) =>
        [experiment.replace(/^rmcat-/, ''), ...Object.values(params)].join(' '),
      ),
      series,
    };
  });
}
