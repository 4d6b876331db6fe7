import type { Columns, Series } from './series.js';

/** The fields of a series that shows one column of a table, with its values multiplied by `scale`. */
export function column(table: string, name: string, scale = 1): Pick<Series, 'table' | 'columns' | 'value'> {
  return { table, columns: [name], value: (columns, row) => at(columns, name, row) * scale };
}

/** The value of a column in a row; NaN if the column or the row is missing. */
export function at(columns: Columns, name: string, row: number): number {
  return columns[name]?.[row] ?? NaN;
}

/** A bitrate in kbps or, from 1000 kbps upwards, in Mbps with two decimals: `850 kbps`, `1.25 Mbps`. */
export function formatRate(bps: number): string {
  if (Number.isNaN(bps)) return '–';
  const kbps = bps / 1000;
  if (Math.abs(kbps) >= 1000) return `${(kbps / 1000).toFixed(2)} Mbps`;
  return `${kbps.toFixed(Math.abs(kbps) < 10 ? 1 : 0)} kbps`;
}

export function formatMs(ms: number): string {
  if (Number.isNaN(ms)) return '–';
  const digits = Math.abs(ms) < 10 ? 2 : Math.abs(ms) < 100 ? 1 : 0;
  return `${ms.toFixed(digits).replace('-', '−')} ms`;
}

/** A ratio between 0 and 1 as a percentage. */
export function formatRatio(ratio: number): string {
  return Number.isNaN(ratio) ? '–' : `${(ratio * 100).toFixed(1)} %`;
}

export function formatCount(count: number): string {
  return Number.isNaN(count) ? '–' : count.toFixed(0);
}
