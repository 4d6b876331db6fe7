import type { TableSpec } from '../core/index.js';

/** Index of the table's time column: `time_us`, or `arrival_time_us` for arrivals. */
export function timeColumn(spec: TableSpec): number {
  const names = spec.columns.map((column) => column.name);
  return Math.max(names.indexOf('time_us'), names.indexOf('arrival_time_us'));
}
