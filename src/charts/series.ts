import type { Plugin } from 'chart.js';

import type { ColourName } from './theme.js';

/**
 * Columns of one trace table by name; all of the same length, in ascending time. NaN stands for a missing value.
 */
export type Columns = Readonly<Record<string, Float64Array>>;

/** One line or one kind of marker of a chart. */
export interface Series {
  id: string;
  label: string;
  /** The meaning of the series in a sentence, for people who do not know the symbol. */
  description: string;
  /**
   * `table` is the name of a trace table, or a name from `rowsWhere` for some rows of a table. `columns` are the
   * columns that `value` reads, apart from the time.
   */
  table: string;
  columns: readonly string[];
  /** The value in a row. It may depend only on this row and the row before. */
  value(columns: Columns, row: number): number;
  /**
   * If true, `value` is a running total, and the chart shows its growth since the left edge of the window: since the
   * last drawn row at or before the edge or, if there is none, since the first row.
   */
  fromFirst?: boolean;
  /** A value as text with its unit. */
  format(value: number): string;
  colour: ColourName;
  look:
    | 'line'
    | 'step'
    | 'dashed'
    | 'dotted'
    | 'dash-dot'
    | 'long-dash'
    | 'points'
    | 'triangles-up'
    | 'triangles-down';
  width?: number;
  /**
   * If false, the value axis is not extended for this series, which may then lie outside the plot. Default: true.
   */
  scaled?: boolean;
  /**
   * If true, the value axis is extended for this series only up to a limit, since a few of its values may be far
   * larger than those of the other series.
   */
  spiky?: boolean;
  /** `right`: the series uses the second value axis. */
  side?: 'left' | 'right';
}

/** Returns a name for the rows of `table` with this value in `column`, such as `rate?flow=2`. */
export function rowsWhere(table: string, column: string, value: number): string {
  return `${table}?${column}=${value}`;
}

/** Parses a name from `rowsWhere`: returns the table and the condition on its rows. */
export function whichRows(name: string): { table: string; where?: { column: string; value: number } } {
  const [table = '', condition] = name.split('?');
  const [column, value] = condition?.split('=') ?? [];
  return column === undefined ? { table } : { table, where: { column, value: Number(value) } };
}

export interface ValueAxis {
  /** The unit of the ticks. */
  unit: string;
  /** Converts a value to the text of a tick. */
  tick(value: number): string;
  /** The axis covers at least this range. Values outside this range extend the axis. */
  atLeast: readonly [min: number, max: number];
}

export interface TimeChartSpec {
  series: readonly Series[];
  left: ValueAxis;
  right?: ValueAxis;
  /** Chart.js plugins for this chart only. */
  plugins?: Plugin<'line'>[];
}
