import type { ColumnSpec, TableName } from '../core/index.js';

/** Which values of a column are valid in a file. */
export interface ColumnRule {
  name: string;
  min: number;
  max: number;
  integer: boolean;
  /** For an enumeration: maps each name to its number. */
  indices: ReadonlyMap<unknown, number> | null;
  /** A description of valid values, for messages. */
  expected: string;
}

const EXACT = Number.MAX_SAFE_INTEGER;

const COUNTERS: ReadonlySet<string> = new Set([
  'size_bytes',
  'packets_received',
  'bytes_received',
  'queue_bytes',
  'queue_delay_us',
  'drops',
  'delivered_bytes',
  'rtt_us',
]);

const UNSIGNED: Readonly<Record<string, number>> = {
  flow: EXACT,
  seq: EXACT,
  link: EXACT,
  rtp_timestamp: 2 ** 32 - 1,
  abs_send_time: 2 ** 24 - 1,
  key_frame: 1,
  held: 1,
  competing: 1,
};

/** The rule for a column, derived from its name and its named values. */
export function columnRule(column: ColumnSpec): ColumnRule {
  const { name, values } = column;
  const plain = { name, min: -Number.MAX_VALUE, max: Number.MAX_VALUE, integer: false, indices: null };
  if (values !== undefined) {
    const indices = new Map(values.map((value, index) => [value as unknown, index]));
    return { ...plain, indices, expected: `one of ${values.join(', ')}` };
  }
  const limit = UNSIGNED[name];
  if (limit !== undefined) {
    return { ...plain, min: 0, max: limit, integer: true, expected: `a whole number from 0 to ${limit}` };
  }
  if (COUNTERS.has(name)) return { ...plain, min: 0, max: EXACT, expected: `a number from 0 to ${EXACT}` };
  if (name.endsWith('_us')) {
    return { ...plain, min: -EXACT, max: EXACT, expected: `a time in microseconds within ±${EXACT}` };
  }
  return { ...plain, expected: 'a finite number' };
}

/** A requirement on a row: at least one of the fields `anyOf` is present. */
export interface Requirement {
  anyOf: readonly [string, ...string[]];
  expected: string;
}

const TIME: Requirement = { anyOf: ['time_us'], expected: 'a time in microseconds (every row has one)' };

const ARRIVAL: readonly Requirement[] = [
  {
    anyOf: ['send_time_us', 'abs_send_time', 'rtp_timestamp'],
    expected: 'a time in microseconds (or an abs_send_time or rtp_timestamp in its place)',
  },
  { anyOf: ['arrival_time_us'], expected: 'a time in microseconds (every arrival has one)' },
  { anyOf: ['size_bytes'], expected: 'a number of bytes (every arrival has one)' },
];

const INBOUND: readonly Requirement[] = [
  TIME,
  { anyOf: ['packets_received'], expected: 'a number of packets' },
  { anyOf: ['packets_lost'], expected: 'a number of packets' },
  { anyOf: ['bytes_received'], expected: 'a number of bytes' },
];

/** The requirements on a row of this table. */
export function requiredFields(table: TableName): readonly Requirement[] {
  if (table === 'arrival') return ARRIVAL;
  return table === 'inbound' ? INBOUND : [TIME];
}
