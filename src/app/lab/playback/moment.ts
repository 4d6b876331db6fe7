/** The state of a controller at a moment: the newest row of each of its tables, and the row before that. */
import type { Columns } from '../../../charts/index.js';
import type { ControllerName, TableName } from '../../../core/schema.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';

/** The values of a row, by column name. */
export type Row = Readonly<Record<string, number>>;

/** Row `index` of the columns; undefined if `index` is negative. */
export const rowOf = (columns: Columns, index: number): Row | undefined =>
  index < 0
    ? undefined
    : Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[index] ?? NaN]));

/** The newest row of a table at a moment, and earlier rows. A row that does not exist is undefined. */
export interface TableRows {
  now: Row;
  before: Row | undefined;
  /** The newest row in which A_r, the rate of GCC's delay-based controller, fell. */
  cut: Row | undefined;
}

export interface Moment {
  timeUs: number;
  rows: Partial<Record<TableName, TableRows>>;
}

const COLUMNS: Partial<Record<TableName, readonly string[]>> = {
  group: [
    'send_delta_us',
    'arrival_delta_us',
    'size_delta_bytes',
    'delay_variation_ms',
    'm_ms',
    'inverse_capacity_ms_per_byte',
    'gamma_ms',
    'detector_input_ms',
    'signal',
    'state',
    'received_rate_bps',
    'a_r_bps',
    'num_deltas',
    'held',
    'capacity_estimate_bps',
  ],
  rate: ['a_r_bps', 'a_s_bps', 'target_bps', 'fraction_lost', 'rtt_us'],
  nada: ['queue_delay_ms', 'warped_delay_ms', 'loss_ratio', 'x_curr_ms', 'mode', 'received_rate_bps'],
  lcc: [
    'average_delay_us',
    'target_delay_us',
    'control_delay_us',
    'sending_rate_bps',
    'expected_rate_bps',
    'next_rate_bps',
    'action',
  ],
};
const TABLES: Readonly<Record<ControllerName, readonly TableName[]>> = {
  gcc: ['group', 'rate'],
  nada: ['nada', 'rate'],
  lcc: ['lcc', 'rate'],
};
/** Rows older than this are ignored. The state of a flow that paused for longer is unknown. */
const LOOK_US = 2e6;

/** Reads the state of a flow's controller at a moment. */
export async function momentOf(
  store: Pick<TraceStore, 'view'>,
  controller: ControllerName,
  flow: number,
  timeUs: number,
): Promise<Moment> {
  const read = await Promise.all(
    TABLES[controller].map(async (table) => {
      const columns = COLUMNS[table] ?? [];
      const query = { table, where: { column: 'flow', value: flow }, columns };
      const { columns: found } = await store.view({ ...query, fromUs: timeUs - LOOK_US, toUs: timeUs });
      const last = (found['time_us']?.length ?? 0) - 1;
      const now = rowOf(found, last);
      const ratesBps = found['a_r_bps'] ?? new Float64Array();
      const cut = ratesBps.findLastIndex((bps, index) => bps < (ratesBps[index - 1] ?? NaN));
      return now === undefined
        ? []
        : [[table, { now, before: rowOf(found, last - 1), cut: rowOf(found, cut) }]];
    }),
  );
  return { timeUs, rows: Object.fromEntries(read.flat()) as Moment['rows'] };
}
