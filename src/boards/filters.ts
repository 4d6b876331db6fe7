/** Selects the rows of a trace that charts draw. */
import { whichRows } from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { ViewQuery } from '../trace/index.js';

/**
 * For each table, the rows to draw: the rows with the value `value` in the column `column`. A series that selects its
 * own rows (see `rowsWhere`) ignores the filter.
 */
export type Filters = Partial<Record<TableName, { column: string; value: number }>>;

/**
 * The table and the rows that a series draws. `rows` is the name of a table, or a name that `rowsWhere` made. A name
 * from `rowsWhere` contains its own condition. For the plain name of a table, the condition of the filter applies.
 */
export function chosenRows(rows: string, filters: Filters): Pick<ViewQuery, 'table' | 'where'> {
  const { table, where } = whichRows(rows);
  const name = table as TableName;
  return { table: name, where: where ?? filters[name] };
}
