/**
 * Reads recorded rows from the core: the rows of a simulation, or of one half (receiver or sender) of a
 * controller.
 */
import { CoreError, type CoreModule } from './load.js';
import { TABLE_SPECS, type TableName } from './schema.js';

/**
 * Consecutive rows of one trace table, as columns in the order of the schema. The columns can be transferred to
 * another thread.
 */
export interface TraceBatch {
  table: TableName;
  rows: number;
  columns: Float64Array[];
}

function take(core: CoreModule, recorder: number, table: number, first: number, rows: number): TraceBatch {
  const spec = TABLE_SPECS[table];
  if (spec === undefined) throw new CoreError(`the core has no trace table ${table}`);
  const columns = spec.columns.map((_, column) => {
    const pointer = core.abi.ccs_trace_column(recorder, table, column);
    return core.doubles(pointer + 8 * first, rows).slice();
  });
  return { table: spec.name, rows, columns };
}

/**
 * Removes and returns the rows since the last call, in batches of consecutive rows of one table. Batches of input
 * tables come first, in the order in which their rows were consumed. Batches of output tables follow.
 */
export function drainRecorder(core: CoreModule, recorder: number): TraceBatch[] {
  const count = core.abi.ccs_trace_input_count(recorder);
  const order = core.bytes(core.abi.ccs_trace_input_order(recorder), count).slice();
  const taken = TABLE_SPECS.map(() => 0);
  const batches: TraceBatch[] = [];
  for (let from = 0; from < count;) {
    const table = order[from] ?? 0;
    let to = from + 1;
    while (to < count && order[to] === table) ++to;
    batches.push(take(core, recorder, table, taken[table] ?? 0, to - from));
    taken[table] = (taken[table] ?? 0) + to - from;
    from = to;
  }
  TABLE_SPECS.forEach((_, table) => {
    const rows = core.abi.ccs_trace_rows(recorder, table);
    const first = taken[table] ?? 0;
    if (rows > first) batches.push(take(core, recorder, table, first, rows - first));
  });
  core.abi.ccs_trace_clear(recorder);
  return batches;
}

/** A bit mask with one bit for each table. Throws a CoreError that names `field`. */
export function tableBits(tables: readonly TableName[], field: string): number {
  return tables.reduce((bits, name) => {
    const index = TABLE_SPECS.findIndex((table) => table.name === name);
    if (index >= 0) return bits | (1 << index);
    const known = TABLE_SPECS.map((table) => table.name).join(', ');
    throw new CoreError(`${field}: expected some of ${known}; got ${name}`, field);
  }, 0);
}
