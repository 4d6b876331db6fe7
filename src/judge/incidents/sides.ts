/**
 * Facts about a stream that its own end of the connection does not report: what the sender of a received
 * stream reported, and what the link did to a stream.
 */
import type { Window } from '../../calls/metrics.js';
import { median } from '../../calls/percentile.js';
import { connectionOf, mateOf } from '../../calls/record/connections.js';
import type { CallRecord } from '../../calls/record/record.js';
import { linkOf } from '../view.js';
import type { Incident, StreamId } from './incident.js';

/**
 * The id of a received stream at its sender. Null for a sent stream, or if the record does not contain the
 * sender.
 */
export function sentStream(record: CallRecord, { endpoint, direction, key }: StreamId): StreamId | null {
  const far = direction === 'receive' ? mateOf(record, endpoint) : undefined;
  // The last sample lacks streams that have ended, so the latest sample with the stream is used.
  const sent = far?.samples
    .findLast(({ outbound }) => outbound.some(({ ssrc }) => String(ssrc) === key))
    ?.outbound.find(({ ssrc }) => String(ssrc) === key);
  return far === undefined || sent === undefined
    ? null
    : { endpoint: far.id, direction: 'send', key: sent.mid };
}

/** A change of a link's capacity to a lower one. */
export interface CapacityFall {
  timeUs: number;
  fromBps: number;
  toBps: number;
}

/** What the link did to a stream around the beginning of an incident. */
export interface LinkFacts {
  /** The latest change of the link's capacity before the incident; null unless this change lowered it recently. */
  lowered: CapacityFall | null;
  /**
   * `usualQueueMs`: how long packets usually wait in the link's queue. `queueMs`: the longest wait around the
   * incident's beginning. NaN if unknown.
   */
  usualQueueMs: number;
  queueMs: number;
}

/**
 * The capacity counts as lowered only below this fraction of the earlier capacity. A smaller change has no visible
 * effect.
 */
const LOWERED = 0.9;

/**
 * The effects of a lowered capacity begin to show within this time. A sender that used only a part of the
 * capacity notices the change late.
 */
const LOWERED_LEAD_US = 6e6;

/**
 * What the link did to a stream that had an incident. The incident began at `begunUs`. The window from `fromUs` to
 * `toUs` surrounds this time. Null if the record contains no link that carries the stream.
 */
export function linkFacts(
  record: CallRecord,
  { stream: { endpoint, direction }, fromUs: begunUs }: Pick<Incident, 'stream' | 'fromUs'>,
  { fromUs, toUs }: Window,
  usualFromUs: number,
): LinkFacts | null {
  const connection = connectionOf(record, endpoint);
  const link = connection && linkOf(record, connection);
  const isForward = (connection?.offerer === endpoint) === (direction === 'send');
  const way = link?.[isForward ? 'forward' : 'backward'];
  if (!way) return null;
  const last = way.capacity.findLastIndex(({ timeUs }) => timeUs <= begunUs);
  const [old, now] = [way.capacity[last - 1], way.capacity[last]];
  const isLowered =
    old !== undefined &&
    now !== undefined &&
    now.timeUs > begunUs - LOWERED_LEAD_US &&
    now.capacityBps > 0 &&
    now.capacityBps < LOWERED * old.capacityBps;
  const waitsMs = (beginUs: number, endUs: number): number[] =>
    way.rows
      .filter(({ time_us }) => time_us > beginUs && time_us <= endUs)
      .map(({ queue_delay_us }) => queue_delay_us / 1e3);
  const around = waitsMs(fromUs, toUs);
  return {
    lowered: isLowered ? { timeUs: now.timeUs, fromBps: old.capacityBps, toBps: now.capacityBps } : null,
    usualQueueMs: median(waitsMs(usualFromUs, fromUs)),
    queueMs: around.length === 0 ? NaN : Math.max(...around),
  };
}
