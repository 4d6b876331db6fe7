/** Selects the rows of a trace that charts draw. */
import { whichRows, type Columns, type TimeChart } from '../charts/index.js';
import type { TableName } from '../core/schema.js';
import type { ViewQuery } from '../trace/index.js';
import type { TraceStore } from '../worker/trace/trace_client.js';

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

/** Reads the rows that charts draw. The result is keyed by the table names in the series (see `rowsWhere`). */
export async function rowsFor(
  charts: Iterable<TimeChart>,
  filters: Filters,
  store: Pick<TraceStore, 'view'>,
  period: Pick<ViewQuery, 'fromUs' | 'toUs' | 'maxPoints' | 'last'>,
): Promise<ReadonlyMap<string, Columns>> {
  const needs = new Map<string, Set<string>>();
  for (const chart of charts)
    for (const [rows, columns] of chart.needs)
      needs.set(rows, new Set([...(needs.get(rows) ?? []), ...columns]));
  const views = [...needs].map(async ([rows, columns]): Promise<[string, Columns]> => {
    const view = await store.view({ ...chosenRows(rows, filters), columns: [...columns], ...period });
    return [rows, view.columns];
  });
  return new Map(await Promise.all(views));
}
