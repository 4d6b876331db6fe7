/** Selects the rows of a trace that charts draw. */
import { whichRows } from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { ViewQuery } from '../trace/index.js';

/**
 * The rows to draw from each table: the rows with this value in this column. A series whose rows `rowsWhere` names is
 * not affected.
 */
export type Filters = Partial<Record<TableName, { column: string; value: number }>>;

/**
 * The table and the rows that a series draws. A name made by `rowsWhere` already selects rows of its table. For the
 * plain name of a table, the filter selects the rows.
 */
export function chosenRows(rows: string, filters: Filters): Pick<ViewQuery, 'table' | 'where'> {
  const { table, where } = whichRows(rows);
  const name = table as TableName;
  return { table: name, where: where ?? filters[name] };
}
