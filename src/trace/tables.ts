import type { TableSpec } from '../core/index.js';

/** The index of the table's time column: `arrival_time_us` for arrivals, `time_us` for all other tables. */
export function timeColumn(spec: TableSpec): number {
  const names = spec.columns.map((column) => column.name);
  return Math.max(names.indexOf('time_us'), names.indexOf('arrival_time_us'));
}
