/** Which rows of a trace charts draw. */
import { whichRows } from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { ViewQuery } from '../trace/index.js';

/** Which rows of a table are drawn where a series does not say: those with this value in a column. */
export type Filters = Partial<Record<TableName, { column: string; value: number }>>;

/** The table and the rows that a series means by a name of `rowsWhere`. */
export function chosenRows(rows: string, filters: Filters): Pick<ViewQuery, 'table' | 'where'> {
  const { table, where } = whichRows(rows);
  const name = table as TableName;
  return { table: name, where: where ?? filters[name] };
}
