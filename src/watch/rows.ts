/** The counters of getStats for a stream, as rows of trace tables. */
import { tableSpec, type TableName, type TraceBatch } from '../core/index.js';
import type { OutboundStats, StatsSample } from '../calls/record/record.js';

/** A batch of one row; columns without a given value are absent (NaN). */
export function oneRow(table: TableName, values: Readonly<Record<string, number>>): TraceBatch {
  const columns = tableSpec(table).columns.map(({ name }) => Float64Array.of(values[name] ?? NaN));
  return { table, rows: 1, columns };
}

/** Bits per second between two samples of a byte count; NaN if the count restarted or is unknown. */
export function rateBps(
  before: { timeUs: number; bytes: number } | undefined,
  now: { timeUs: number; bytes: number },
): number {
  if (before === undefined || now.timeUs <= before.timeUs || now.bytes < before.bytes) return NaN;
  return ((now.bytes - before.bytes) * 8e6) / (now.timeUs - before.timeUs);
}

/**
 * A sent stream's row of the table `rate`: its encoder's target, its sending rate, the far side's report, and
 * A_s of the loss controller beside its media section.
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

/** A received stream's row of the table `throughput`. */
export function receivedRow(flow: number, { timeUs, rttS }: StatsSample, receivedBps: number): TraceBatch {
  return oneRow('throughput', { flow, time_us: timeUs, received_bps: receivedBps, rtt_us: rttS * 1e6 });
}
