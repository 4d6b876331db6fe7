/**
 * The metrics of a call over a window of time, and their definitions. ../calls/metrics.ts has the same metrics
 * (utilisation, percentiles, loss ratio) for the packets of a single link.
 *
 * - sent rate: the bits that reached the link, divided by the window's length; without a shaper's record, from
 *   the sender's counters of getStats;
 * - received rate: the bits that left the bottleneck, divided by the window's length; without a shaper's
 *   record, from the receiver's counters of getStats;
 * - utilisation: the call's bits that left the bottleneck, divided by the capacity integrated over the window;
 *   path utilisation also counts cross traffic and all other calls;
 * - queuing delay: per packet, from when it reached the queue until its transmission began; estimated if there is
 *   no record of packets (delay.ts);
 * - loss ratio: bytes dropped, by chance or by the queue, divided by the bytes that were dropped or departed in
 *   the window; without a record, packets lost divided by packets expected (RFC 3550, 6.4.1);
 * - freezes: ../calls/record/freezes.ts; unknown if no receiver under test has got video;
 * - frames per second: decoded frames divided by the window's length, averaged over the video streams;
 * - encoder target, available outgoing: means of the samples in the window, summed over the senders;
 * - RTT: mean of the senders' samples in the window;
 * - fraction of the bytes that bypassed the link: routing.ts; simulcast layers: layers.ts.
 *
 * Directions of connections that carried neither media nor data do not count (media.ts).
 */
import { capacityBits, type Window } from '../calls/metrics.js';
import type { CallRecord, EndpointRecord, PathRecord, StatsSample } from '../calls/record/record.js';
import type { PacketRecord } from '../link/packet_log.js';
import { percentiles } from '../calls/percentile.js';
import { queueDelays } from './delay.js';
import { freezesIn } from '../calls/record/freezes.js';
import { inboundGrowth, outboundGrowth } from './growth.js';
import { layersIn, type LayerMetrics } from './layers.js';
import { carrying, isVideoReceived } from './media.js';
import { receivedCurve, sentCurve, type RateCurve } from './rate_curve.js';
import { routingOf } from './routing.js';
import {
  callEndUs,
  checkKept,
  keptFromUs,
  linkSides,
  packetsIn,
  pathConnectedUs,
  pathsOf,
  sidesOf,
  waysOf,
  type LinkWay,
  type Path,
  type View,
} from './view.js';

/** Unknown values are null. Delays are in milliseconds, rates in bit/s; ratios are from 0 to 1. */
export interface CallMetrics {
  window: Window;
  /** The source of the rates. */
  source: 'packets' | 'getStats';
  sentBps: number | null;
  receivedBps: number | null;
  /**
   * The mean capacity of the link. If the judged paths use several directions or links, the sum of their
   * capacities.
   */
  capacityBps: number | null;
  utilisation: number | null;
  pathUtilisation: number | null;
  queueDelayP50Ms: number | null;
  queueDelayP95Ms: number | null;
  queueDelayP99Ms: number | null;
  queueDelayMaxMs: number | null;
  /** Whether the queuing delays are estimates. */
  queueDelayEstimated: boolean;
  lossRatio: number | null;
  /** The freezes and their lengths are null if no receiver under test has got video. */
  freezes: number | null;
  longestFreezeMs: number | null;
  frozenMs: number | null;
  framesPerSecond: number | null;
  encoderTargetBps: number | null;
  availableOutgoingBps: number | null;
  rttMs: number | null;
  /** Fraction of the call's bytes so far, in both directions, that bypassed the link; null without a shaper. */
  outsideRatio: number | null;
  /** The video streams that are sent, each simulcast layer separately. */
  layers: readonly LayerMetrics[];
}

export const finiteOrNull = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Mean of the finite values; null if there are none. */
export function meanOf(values: readonly number[]): number | null {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? null : sum(finite) / finite.length;
}

/** Throws DroppedRecordError. */
export function samplesIn(endpoint: EndpointRecord, window: Window): StatsSample[] {
  checkKept(endpoint, window);
  return endpoint.samples.filter(({ timeUs }) => timeUs > window.fromUs && timeUs <= window.toUs);
}

/**
 * Bits that the link could carry in a window, in the directions that the given paths use; null if a capacity is
 * unknown.
 */
export function capacityBitsIn(record: CallRecord, paths: readonly Path[], window: Window): number | null {
  const steps = waysOf(record, paths).map(({ link, name }) => link[name]?.capacity ?? []);
  if (steps.length === 0 || steps.some((list) => list.length === 0)) return null;
  return sum(
    steps.map((list) =>
      capacityBits(
        list.map(({ timeUs, capacityBps }) => ({ atUs: timeUs, capacityBps })),
        window,
      ),
    ),
  );
}

/**
 * The bytes of all traffic that left a direction's bottleneck in a window. The samples of the queue (`rows`)
 * contain cumulative counts of these bytes.
 */
function passedBytes({ link, name }: LinkWay, { fromUs, toUs }: Window): number {
  const until = (timeUs: number): number =>
    link[name]?.rows.findLast(({ time_us }) => time_us <= timeUs)?.delivered_bytes ?? 0;
  return until(toUs) - until(fromUs);
}

const bytesOf = (packets: readonly PacketRecord[]): number =>
  packets.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);

/** The loss ratio, as defined at the top of this file; null if nothing was sent. */
export function lossRatio(record: CallRecord, paths: readonly Path[], window: Window): number | null {
  const sides = linkSides(record, paths);
  if (sides.length > 0) {
    const packets = sides.flatMap(({ direction, flows }) => packetsIn(direction, flows, window));
    const dropped = packets.filter((packet) => packet.dropped !== null);
    return packets.length === 0 ? null : bytesOf(dropped) / bytesOf(packets);
  }
  const lost = paths.map(({ sender, receiver }) => {
    if (receiver) return inboundGrowth(receiver, window, ({ packetsLost }) => packetsLost);
    return sender ? outboundGrowth(sender, window, ({ packetsLost }) => packetsLost) : 0;
  });
  const expected = paths.map(({ sender, receiver }, i) => {
    if (receiver) return inboundGrowth(receiver, window, (s) => s.packetsReceived) + (lost[i] ?? 0);
    return sender ? outboundGrowth(sender, window, ({ packetsSent }) => packetsSent) : 0;
  });
  // A packet that was counted as lost and arrives late is subtracted again (RFC 3550, 6.4.1). So the growth of
  // the count may be negative.
  return sum(expected) > 0 ? Math.max(0, sum(lost)) / sum(expected) : null;
}

/**
 * The mean rate over the part of a window for which the curve is known. Pages are sampled at different times, so each
 * page's last sample may be a little before the end of the window.
 */
export function meanBps(curve: RateCurve, { fromUs, toUs }: Window): number {
  const untilUs = Math.min(toUs, curve.knownUntilUs);
  return untilUs > fromUs ? curve.rateBps({ fromUs, toUs: untilUs }) : NaN;
}

/**
 * Whether a link existed before a window began. Before a page gets its own link, its packets use the shared link,
 * whose totals cannot be split by page.
 */
const covers = ({ page, changes }: PathRecord, { fromUs }: Window): boolean =>
  page === null || (changes[0]?.timeUs ?? Infinity) <= fromUs;

/**
 * The fraction of the capacity that all traffic used, in the directions that the given paths use. Null without a
 * shaper's record of these paths, or if one of their links was opened after the window began.
 */
export function pathUtilisation(record: CallRecord, paths: readonly Path[], window: Window): number | null {
  const bits = capacityBitsIn(record, paths, window);
  const ways = waysOf(record, paths);
  if (bits === null || linkSides(record, paths).length === 0) return null;
  if (!ways.every(({ link }) => covers(link, window))) return null;
  return finiteOrNull((8 * sum(ways.map((way) => passedBytes(way, window)))) / bits);
}

/**
 * Decoded frames per second, averaged over the video streams. Only streams in the receivers' latest samples count.
 */
function framesPerSecond(receivers: readonly EndpointRecord[], window: Window): number | null {
  const videos = receivers.flatMap((endpoint) =>
    (endpoint.samples.at(-1)?.inbound ?? [])
      .filter(({ kind }) => kind === 'video')
      .map(({ ssrc }) =>
        inboundGrowth(endpoint, window, (stream) => (stream.ssrc === ssrc ? stream.framesDecoded : NaN)),
      ),
  );
  const mean = meanOf(videos);
  return mean === null ? null : (mean * 1e6) / (window.toUs - window.fromUs);
}

/** The sum of the target rates of an endpoint's video encoders; NaN if the browser does not report any. */
export function encoderTargetBps({ outbound }: StatsSample): number {
  const targets = outbound.filter(({ kind }) => kind === 'video').map(({ targetBps }) => targetBps);
  const known = targets.filter(Number.isFinite);
  return known.length === 0 ? NaN : sum(known);
}

const overSenders = (
  senders: readonly EndpointRecord[],
  window: Window,
  value: (sample: StatsSample) => number,
): number | null => {
  const means = senders.map((endpoint) => meanOf(samplesIn(endpoint, window).map(value)));
  const known = means.filter((mean) => mean !== null);
  return known.length === 0 ? null : sum(known);
};

/** The metrics of the given paths over a window, as defined at the top of this file. */
export function pathMetrics(record: CallRecord, all: readonly Path[], window: Window): CallMetrics {
  const paths = carrying(all, window);
  const received = receivedCurve(record, paths);
  const receivedBps = meanBps(received, window);
  const windowS = (window.toUs - window.fromUs) / 1e6;
  const { points, estimated } = queueDelays(record, paths, window);
  const delays = points.map(({ delayUs }) => delayUs / 1e3);
  const [p50, p95, p99, max] = percentiles(delays, [50, 95, 99, 100]).map(finiteOrNull);
  const bits = capacityBitsIn(record, paths, window);
  const senders = sidesOf(paths, 'sender');
  const frozen = isVideoReceived(all)
    ? freezesIn(sidesOf(paths, 'receiver'), window).map(({ fromUs, toUs }) => (toUs - fromUs) / 1e3)
    : null;
  const rttsMs = senders.flatMap((endpoint) => samplesIn(endpoint, window).map(({ rttS }) => rttS * 1e3));
  return {
    window,
    source: received.source,
    sentBps: finiteOrNull(meanBps(sentCurve(record, paths), window)),
    receivedBps: finiteOrNull(receivedBps),
    capacityBps: bits === null ? null : finiteOrNull(bits / windowS),
    utilisation: bits === null ? null : finiteOrNull((receivedBps * windowS) / bits),
    pathUtilisation: pathUtilisation(record, paths, window),
    queueDelayP50Ms: p50 ?? null,
    queueDelayP95Ms: p95 ?? null,
    queueDelayP99Ms: p99 ?? null,
    queueDelayMaxMs: max ?? null,
    queueDelayEstimated: estimated,
    lossRatio: lossRatio(record, paths, window),
    freezes: frozen?.length ?? null,
    longestFreezeMs: frozen === null ? null : Math.max(0, ...frozen),
    frozenMs: frozen === null ? null : sum(frozen),
    framesPerSecond: framesPerSecond(sidesOf(paths, 'receiver'), window),
    encoderTargetBps: overSenders(senders, window, encoderTargetBps),
    availableOutgoingBps: overSenders(senders, window, ({ availableOutgoingBps }) => availableOutgoingBps),
    rttMs: meanOf(rttsMs),
    outsideRatio: routingOf(record, all)?.outsideRatio ?? null,
    layers: layersIn(senders, window),
  };
}

/**
 * The window of a call. It starts when the first of the given paths was connected or, if the record has dropped early
 * data, where the kept data start. It ends when the last path ended or, if a path still exists, at the latest data.
 */
export function callWindow(record: CallRecord, paths: readonly Path[]): Window {
  const times = paths.map(pathConnectedUs).filter((time) => time !== null);
  const fromUs = Math.max(times.length === 0 ? 0 : Math.min(...times), keptFromUs(record, paths));
  const endpoints = [...sidesOf(paths, 'sender'), ...sidesOf(paths, 'receiver')];
  const packets = linkSides(record, paths).map(({ direction: { packets: columns } }) => columns);
  const knownUs = Math.max(
    fromUs,
    ...endpoints.map(({ samples }) => samples.at(-1)?.timeUs ?? 0),
    ...packets.map(({ rows, departUs }) => departUs[rows - 1] ?? 0),
  );
  // If the call ended before the kept data start, the window is empty.
  const toUs = Math.max(fromUs, Math.min(knownUs, callEndUs(record, paths) ?? Infinity));
  return { fromUs, toUs };
}

/** The metrics of a view over a window; by default, the whole call so far. */
export function callMetrics(record: CallRecord, view: View = {}, window?: Window): CallMetrics {
  const paths = pathsOf(record, view);
  return pathMetrics(record, paths, window ?? callWindow(record, paths));
}

/**
 * Jain's index of the given rates: 1 if all are equal, 1/n if one of n has everything (Jain, Chiu, Hawe 1984,
 * DEC-TR-301); NaN for an empty list.
 */
export function jainIndex(rates: readonly number[]): number {
  return sum(rates) ** 2 / (rates.length * sum(rates.map((rate) => rate * rate)));
}
