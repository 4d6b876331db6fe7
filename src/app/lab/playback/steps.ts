/** The rows of the trace at which steps of playback stop, and what happens in them. */
import type { DropReason } from '../../../core/index.js';
import { formatMs, formatRate, stripState } from '../../../charts/index.js';
import { tableSpec, type ControllerName, type TableName } from '../../../core/schema.js';
import type { FlowInfo } from '../../../runs/run.js';
import type { StepRows } from './playback.js';

/** For each value of the column `dropped`: what happens to the packet. */
const PACKET_EVENTS: Readonly<Record<'no' | DropReason, string>> = {
  no: 'leaves the queue',
  'random-loss': 'is lost at random',
  'queue-full': 'is dropped, because the queue is full',
  codel: 'is dropped by CoDel',
  pie: 'is dropped by PIE',
  overlimit: 'is dropped, because all queues together are full',
};

/** The steps from one event of a packet at the bottleneck to the next. */
export function packetSteps(flows: readonly FlowInfo[]): StepRows {
  const outcomes = tableSpec('packet').columns.find(({ name }) => name === 'dropped')?.values ?? [];
  return {
    query: { table: 'packet', where: { column: 'link', value: 0 }, columns: ['flow', 'dropped'] },
    tell: ({ flow, dropped = 0 }) => {
      const name = flows.find((each) => each.flow === flow)?.name ?? 'another flow';
      // The values of the column are `no` and the names of DropReason.
      const outcome = (outcomes[dropped] ?? 'no') as 'no' | DropReason;
      return `a packet of ${name} ${PACKET_EVENTS[outcome]}`;
    },
  };
}

interface Decided {
  column: string;
  /** The text before the value. */
  label: string;
  /** Writes a number; absent for a column of names. */
  write?: (value: number) => string;
}

/** For each controller: the table of its decisions. A row is a decision if one of the listed columns has changed. */
const DECISIONS: Readonly<Record<ControllerName, { table: TableName; decided: readonly Decided[] }>> = {
  gcc: {
    table: 'group',
    decided: [
      { column: 'signal', label: 'signal' },
      { column: 'state', label: 'state' },
      { column: 'a_r_bps', label: 'A_r', write: formatRate },
    ],
  },
  nada: {
    table: 'nada',
    decided: [
      { column: 'mode', label: 'mode' },
      { column: 'x_curr_ms', label: 'congestion signal', write: formatMs },
    ],
  },
  lcc: {
    table: 'lcc',
    decided: [
      { column: 'action', label: 'action' },
      { column: 'next_rate_bps', label: 'next rate', write: formatRate },
    ],
  },
};
/** A user's controller reports no internal values, so steps use the received rate of its flow. */
const RECEIVED = {
  table: 'throughput',
  decided: [{ column: 'received_bps', label: 'received', write: formatRate }],
} as const;

/** The steps from one decision of a flow's controller to the next. */
export function decisionSteps(flow: FlowInfo | null): StepRows {
  const { table, decided } = flow?.controller === undefined ? RECEIVED : DECISIONS[flow.controller];
  const columns = decided.map(({ column }) => column);
  return {
    query: { table, where: { column: 'flow', value: flow?.flow ?? 0 }, columns },
    tell: (now, before) =>
      decided
        .filter(({ column }) => now[column] !== before?.[column])
        .map(({ column, label, write }: Decided) => {
          const value = now[column] ?? NaN;
          return `${label} ${write === undefined ? stripState(column, value) : write(value)}`;
        })
        .join(', '),
  };
}
