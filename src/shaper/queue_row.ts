import type { LinkStats } from '../core/link.js';
import type { QueueRow } from '../link/server_protocol.js';

/** A row of the trace table `queue`; what came through the bottleneck is cross traffic, too. */
export function queueRow(stats: LinkStats, timeUs: number, link: number): QueueRow {
  return {
    link,
    time_us: Math.round(timeUs),
    queue_delay_us: Math.round(stats.queueDelayUs),
    queue_bytes: stats.queueBytes,
    capacity_bps: stats.capacityBps,
    drops: stats.drops,
    delivered_bytes: stats.departedBytes + stats.crossDepartedBytes,
  };
}
