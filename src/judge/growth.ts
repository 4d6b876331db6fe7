/** How much the counters of getStats grew over a window. */
import type { Window } from '../calls/metrics.js';
import type { EndpointRecord, InboundStats, OutboundStats, StatsSample } from '../calls/record/record.js';
import { checkKept } from './view.js';

const sumOfFinite = (values: readonly number[]): number =>
  values.filter(Number.isFinite).reduce((total, value) => total + value, 0);

/** The last sample at or before a window's start, and the last sample at or before its end. */
function looks(
  endpoint: EndpointRecord,
  window: Window,
): { before: StatsSample | undefined; after: StatsSample | undefined } {
  checkKept(endpoint, window);
  return {
    before: endpoint.samples.findLast(({ timeUs }) => timeUs <= window.fromUs),
    after: endpoint.samples.findLast(({ timeUs }) => timeUs <= window.toUs),
  };
}

/** The growth of a cumulative count over an endpoint's streams. */
function growth<T extends { ssrc: number }>(
  endpoint: EndpointRecord,
  window: Window,
  streams: (sample: StatsSample) => readonly T[],
  count: (stream: T) => number,
): number {
  const { before, after } = looks(endpoint, window);
  if (!after) return 0;
  const then = new Map((before ? streams(before) : []).map((stream) => [stream.ssrc, count(stream)]));
  return sumOfFinite(streams(after).map((stream) => count(stream) - (then.get(stream.ssrc) ?? 0)));
}

/** The growth of a count over the received streams. Throws DroppedRecordError, like the functions below. */
export const inboundGrowth = (
  endpoint: EndpointRecord,
  window: Window,
  count: (stream: InboundStats) => number,
): number => growth(endpoint, window, ({ inbound }) => inbound, count);

export const outboundGrowth = (
  endpoint: EndpointRecord,
  window: Window,
  count: (stream: OutboundStats) => number,
): number => growth(endpoint, window, ({ outbound }) => outbound, count);

/** The growth of a count of the whole connection; 0 if unknown. */
export function sampleGrowth(
  endpoint: EndpointRecord,
  window: Window,
  count: (sample: StatsSample) => number,
): number {
  const { before, after } = looks(endpoint, window);
  const now = after === undefined ? NaN : count(after);
  const then = before === undefined ? 0 : count(before);
  return sumOfFinite([now - (Number.isFinite(then) ? then : 0)]);
}
