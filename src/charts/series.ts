import type { Plugin } from 'chart.js';

import type { ColourName } from './theme.js';

/** Columns of one trace table by name; all of the same length, in ascending time. NaN is absent. */
export type Columns = Readonly<Record<string, Float64Array>>;

/** One line or one kind of marker of a chart. */
export interface Series {
  id: string;
  label: string;
  /** Its meaning in a sentence, for people who do not know the symbol. */
  description: string;
  /**
   * The trace table that it is read from (or some of its rows, see `rowsWhere`), and the columns that `value`
   * needs in addition to the time.
   */
  table: string;
  columns: readonly string[];
  value(columns: Columns, row: number): number;
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
  /** False for a series that may lie outside the plot: the value axis does not stretch for it. */
  scaled?: boolean;
  /**
   * True if a few values may be far larger than those of the other series: the axis stretches for them only to a
   * limit.
   */
  spiky?: boolean;
  /** `right` for the second value axis. */
  side?: 'left' | 'right';
}

/** A name for the rows of a table that have this value in a column: `rate?flow=2`. */
export function rowsWhere(table: string, column: string, value: number): string {
  return `${table}?${column}=${value}`;
}

/** The table, and the condition on its rows, to which a name from `rowsWhere` refers. */
export function whichRows(name: string): { table: string; where?: { column: string; value: number } } {
  const [table = '', condition] = name.split('?');
  const [column, value] = condition?.split('=') ?? [];
  return column === undefined ? { table } : { table, where: { column, value: Number(value) } };
}

export interface ValueAxis {
  /** The unit of the ticks. */
  unit: string;
  /** Converts a value into what the ticks show. */
  tick(value: number): string;
  /** The axis covers at least this range; it grows with the data. */
  atLeast: readonly [min: number, max: number];
}

export interface TimeChartSpec {
  series: readonly Series[];
  left: ValueAxis;
  right?: ValueAxis;
  /** Chart.js plugins for this picture only. */
  plugins?: Plugin<'line'>[];
}
