/**
 * Compares a recording with its twin, which is a simulation of the same call. Reads the recording, and measures how
 * much the two differ.
 */
import { tableSpec, type TableName, type TraceBatch, type TraceEvent } from '../core/index.js';
import { crossRow } from '../link/cross_rate.js';
import {
  timeColumn,
  type TraceExtent,
  type TraceHeader,
  type TraceView,
  type ViewQuery,
} from '../trace/index.js';
import { distanceOf, type Distance } from './distance.js';
import { recordedCall, type RecordedCall } from './recorded_call.js';

/** A trace, in this thread or in another thread. */
export interface TraceReader {
  view(query: ViewQuery): TraceView | Promise<TraceView>;
  events(): readonly TraceEvent[] | Promise<readonly TraceEvent[]>;
  extent(): TraceExtent | Promise<TraceExtent>;
}

/** The kind of a series' values. */
export type Quantity = 'rate' | 'time' | 'share';

/** A series that is compared. Its values are in bit/s or in microseconds, or are shares. */
export interface ComparedSeries {
  name: string;
  quantity: Quantity;
  table: TableName;
  column: string;
  /** Whether the table has separate rows for each flow. */
  isOfFlow: boolean;
}

export const COMPARED: readonly ComparedSeries[] = [
  { name: 'Target', quantity: 'rate', table: 'rate', column: 'target_bps', isOfFlow: true },
  { name: 'Received', quantity: 'rate', table: 'feedback', column: 'received_rate_bps', isOfFlow: true },
  { name: 'Queuing delay', quantity: 'time', table: 'queue', column: 'queue_delay_us', isOfFlow: false },
  { name: 'RTT', quantity: 'time', table: 'rate', column: 'rtt_us', isOfFlow: true },
  { name: 'Loss', quantity: 'share', table: 'rate', column: 'fraction_lost', isOfFlow: true },
];

export interface SeriesDistance extends ComparedSeries {
  distance: Distance;
}

/** Selects the rows of the call's own controller, not those of shadows (controllers that only watch). */
const OWN = { column: 'flow', value: 0 };

/**
 * Reads the rows and events of a recording that are needed to simulate its twin. Throws the same errors as
 * `recordedCall`.
 */
export async function readCall(trace: TraceReader, header: Partial<TraceHeader>): Promise<RecordedCall> {
  const [events, extent, queue, arrivals, rates] = await Promise.all([
    trace.events(),
    trace.extent(),
    trace.view({ table: 'queue', columns: ['capacity_bps'] }),
    trace.view({ table: 'arrival', columns: ['send_time_us'], where: OWN }),
    trace.view({ table: 'rate', columns: ['browser_estimate_bps'], where: OWN }),
  ]);
  const none = new Float64Array();
  return recordedCall(header, {
    events,
    queue: {
      timeUs: queue.columns['time_us'] ?? none,
      capacityBps: queue.columns['capacity_bps'] ?? none,
    },
    sentUs: arrivals.columns['send_time_us'] ?? none,
    browserEstimateBps: rates.columns['browser_estimate_bps'] ?? none,
    endUs: extent.toUs ?? 0,
  });
}

/** The distances between two traces with the same clock, for each series that both traces have. */
export async function distances(
  call: TraceReader,
  twin: TraceReader,
  window: { fromUs: number; toUs: number },
): Promise<SeriesDistance[]> {
  const all = await Promise.all(
    COMPARED.map(async (series): Promise<SeriesDistance[]> => {
      const { table, column, isOfFlow } = series;
      const query = { table, columns: [column], ...(isOfFlow && { where: OWN }) };
      const [ours, its] = await Promise.all([call.view(query), twin.view(query)]);
      const valuesOf = ({ columns }: TraceView) => ({
        timeUs: columns['time_us'] ?? [],
        values: columns[column] ?? [],
      });
      const distance = distanceOf(valuesOf(ours), valuesOf(its), window);
      return distance === null ? [] : [{ ...series, distance }];
    }),
  );
  return all.flat();
}

/**
 * Brings the rows of a twin into the form of a call's recording. Rows before the first frame are dropped. The rates
 * of all TCP connections are added up. Two series become NaN, because the twin and the recording measure them
 * differently:
 * - The sent rate. The twin averages over each interval of the trace, the recording over a second.
 * - The drops, if there is TCP traffic. The recording contains only the drops of the call.
 */
export function asRecorded(
  batches: readonly TraceBatch[],
  { fromUs, cross }: Pick<RecordedCall, 'fromUs' | 'cross'>,
): TraceBatch[] {
  return batches.flatMap((batch) => {
    const since = rowsSince(batch, fromUs);
    if (since.table === 'throughput') return crossBatch(since);
    if (since.table === 'rate') since.columns[SENT]?.fill(NaN);
    if (since.table === 'queue' && cross.length > 0) since.columns[DROPS]?.fill(NaN);
    return [since];
  });
}

const columnOf = (table: TableName, name: string): number =>
  tableSpec(table).columns.findIndex((column) => column.name === name);
const SENT = columnOf('rate', 'sent_bps');
const DROPS = columnOf('queue', 'drops');
const THROUGHPUT = tableSpec('throughput').columns.map(({ name }) => name);

function rowsSince(batch: TraceBatch, fromUs: number): TraceBatch {
  const time = batch.columns[timeColumn(tableSpec(batch.table))];
  const kept = Array.from(time ?? []).flatMap((us, row) => (us >= fromUs ? [row] : []));
  if (kept.length === batch.rows) return batch;
  const columns = batch.columns.map((column) => Float64Array.from(kept, (row) => column[row] ?? NaN));
  return { ...batch, rows: kept.length, columns };
}

function crossBatch({ columns, rows }: TraceBatch): TraceBatch[] {
  const [flow, time, received] = ['flow', 'time_us', 'received_bps'].map(
    (name) => columns[THROUGHPUT.indexOf(name)],
  );
  const sums = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const us = time?.[row] ?? NaN;
    if (flow?.[row] !== 0) sums.set(us, (sums.get(us) ?? 0) + (received?.[row] ?? 0));
  }
  const folded = [...sums].map(([us, bps]) => crossRow(us, bps));
  if (folded.length === 0) return [];
  const cells = THROUGHPUT.map((_, index) => Float64Array.from(folded, (row) => row[index] ?? NaN));
  return [{ table: 'throughput', rows: folded.length, columns: cells }];
}
