/** RTP bytes of streams, as getStats counts them: payload and headers. */
import type { InboundStats, OutboundStats } from './record.js';

/** Replaces a count that the browser does not report (NaN) with 0. */
export const orZero = (value: number): number => (Number.isFinite(value) ? value : 0);

export const sentBytes = (stats: OutboundStats): number => stats.bytesSent + orZero(stats.headerBytesSent);

export const receivedBytes = (stats: InboundStats): number =>
  stats.bytesReceived + orZero(stats.headerBytesReceived);
