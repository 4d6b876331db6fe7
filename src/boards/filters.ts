/** Selects the rows of a trace that charts draw. */
import { whichRows } from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { ViewQuery } from '../trace/index.js';

/** The rows of a table to draw, unless a series says otherwise: those with this value in a column. */
export type Filters = Partial<Record<TableName, { column: string; value: number }>>;

/** The table and the rows that a series refers to by a name from `rowsWhere`. */
export function chosenRows(rows: string, filters: Filters): Pick<ViewQuery, 'table' | 'where'> {
  const { table, where } = whichRows(rows);
  const name = table as TableName;
  return { table: name, where: where ?? filters[name] };
}
