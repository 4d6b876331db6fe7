export interface ColumnSpec {
  name: string;
  values?: readonly string[];
}
const SCHEMA_TABLES: Record<string, { columns: ColumnSpec[] }> = {
  arrival: {
    columns: [
      { name: 'flow' },
      { name: 'seq' },
      { name: 'send_time_us' },
      { name: 'arrival_time_us' },
      { name: 'size_bytes' },
      { name: 'rtp_timestamp' },
      { name: 'abs_send_time' },
      { name: 'key_frame' },
      { name: 'rtt_us' },
    ],
  },
  inbound: {
    columns: [
      { name: 'flow' },
      { name: 'time_us' },
      { name: 'packets_received' },
      { name: 'packets_lost' },
      { name: 'bytes_received' },
    ],
  },
  group: {
    columns: [
      { name: 'flow' },
      { name: 'time_us' },
      { name: 'send_delta_us' },
      { name: 'arrival_delta_us' },
      { name: 'size_delta_bytes' },
      { name: 'delay_variation_ms' },
      { name: 'm_ms' },
      { name: 'inverse_capacity_ms_per_byte' },
      { name: 'noise_variance_ms2' },
      { name: 'gamma_ms' },
      { name: 'detector_input_ms' },
      { name: 'signal', values: ['normal', 'underuse', 'overuse'] },
      { name: 'state', values: ['hold', 'increase', 'decrease'] },
      { name: 'received_rate_bps' },
      { name: 'a_r_bps' },
      { name: 'num_deltas' },
      { name: 'one_way_delay_us' },
      { name: 'capacity_estimate_bps' },
      { name: 'held' },
    ],
  },
  feedback: {
    columns: [
      { name: 'flow' },
      { name: 'time_us' },
      { name: 'a_r_bps' },
      { name: 'received_rate_bps' },
      { name: 'packets_received' },
      { name: 'packets_lost' },
      { name: 'echo_send_time_us' },
      { name: 'echo_delay_us' },
    ],
  },
  rate: {
    columns: [
      { name: 'flow' },
      { name: 'time_us' },
      { name: 'a_r_bps' },
      { name: 'a_s_bps' },
      { name: 'target_bps' },
      { name: 'sent_bps' },
      { name: 'fraction_lost' },
      { name: 'rtt_us' },
      { name: 'browser_estimate_bps' },
    ],
  },
  queue: {
    columns: [
      { name: 'link' },
      { name: 'time_us' },
      { name: 'queue_delay_us' },
      { name: 'queue_bytes' },
      { name: 'capacity_bps' },
      { name: 'drops' },
      { name: 'delivered_bytes' },
    ],
  },
};
export type TableName = 'arrival' | 'inbound' | 'group' | 'feedback' | 'rate' | 'queue';
export interface TraceBatch {
  table: TableName;
  rows: number;
  columns: Float64Array[];
}
export interface TraceEvent {
  time_us: number;
  name: string;
  detail: unknown;
}
export interface TableSpec {
  name: TableName;
  columns: readonly ColumnSpec[];
  timeColumn: number;
}
export const tableSpecs: readonly TableSpec[] = Object.entries(SCHEMA_TABLES).map(([name, { columns }]) => ({
  name: name as TableName,
  columns,
  timeColumn: columns.findIndex((c) => c.name === 'time_us' || c.name === 'arrival_time_us'),
}));

export function tableSpec(name: string): TableSpec | undefined {
  return tableSpecs.find((spec) => spec.name === name);
}
