/** Selects the rows of a trace that charts draw. */
import { whichRows } from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { ViewQuery } from '../trace/index.js';

/**
 * The rows to draw from each table: those with this value in a column. A series may select other rows by its name
 * from `rowsWhere`.
 */
export type Filters = Partial<Record<TableName, { column: string; value: number }>>;

/**
 * The table and the rows that a series draws: those of its name from `rowsWhere` or, for a plain table, those of the
 * filter.
 */
export function chosenRows(rows: string, filters: Filters): Pick<ViewQuery, 'table' | 'where'> {
  const { table, where } = whichRows(rows);
  const name = table as TableName;
  return { table: name, where: where ?? filters[name] };
}
