/** Converts the counters of a stream in getStats to rows of trace tables. */
import { tableSpec, type TableName, type TraceBatch } from '../core/index.js';
import type { OutboundStats, StatsSample } from '../calls/record/record.js';

/** Returns a batch with one row. Columns without a given value are absent (NaN). */
export function oneRow(table: TableName, values: Readonly<Record<string, number>>): TraceBatch {
  const columns = tableSpec(table).columns.map(({ name }) => Float64Array.of(values[name] ?? NaN));
  return { table, rows: 1, columns };
}

/** The rate between two samples of a byte count, in bit/s. NaN if the count restarted or is unknown. */
export function rateBps(
  before: { timeUs: number; bytes: number } | undefined,
  now: { timeUs: number; bytes: number },
): number {
  if (before === undefined || now.timeUs <= before.timeUs || now.bytes < before.bytes) return NaN;
  return ((now.bytes - before.bytes) * 8e6) / (now.timeUs - before.timeUs);
}

/**
 * Returns the row of a sent stream in the table `rate`. It contains the target of the encoder, the sending
 * rate, and values from the far side's report. It also contains A_s, the rate of the GCC loss controller that
 * runs as a shadow of the media section.
 */
export function sentRow(
  flow: number,
  { timeUs, rttS, availableOutgoingBps }: StatsSample,
  stats: OutboundStats,
  sentBps: number,
  lossBasedBps: number,
): TraceBatch {
  return oneRow('rate', {
    a_s_bps: lossBasedBps,
    flow,
    time_us: timeUs,
    target_bps: stats.targetBps,
    sent_bps: sentBps,
    fraction_lost: stats.fractionLost,
    rtt_us: (Number.isNaN(stats.roundTripTimeS) ? rttS : stats.roundTripTimeS) * 1e6,
    browser_estimate_bps: availableOutgoingBps,
  });
}

/** Returns the row of a received stream in the table `throughput`. */
export function receivedRow(flow: number, { timeUs, rttS }: StatsSample, receivedBps: number): TraceBatch {
  return oneRow('throughput', { flow, time_us: timeUs, received_bps: receivedBps, rtt_us: rttS * 1e6 });
}
