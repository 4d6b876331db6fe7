/** The getStats samples of one end of a connection, reduced to one video stream. */
import type { EndpointRecord, InboundStats, OutboundStats, StatsSample } from '../../calls/record/record.js';
import { orZero, receivedBytes, sentBytes } from '../../calls/record/stream_bytes.js';
import type { StreamId } from './incident.js';

/** One layer that is sent, or the stream that is received. */
export interface LayerLook {
  /** The rid of a sent layer (RFC 8851; '' without one), or the SSRC of a received stream. */
  name: string;
  rateBps: number;
  frameHeight: number;
}

/**
 * The changes of a stream from one sample to the next. Counts and rates are sums over the layers. A count
 * that the browser does not report is 0, and so is its rate.
 */
export interface Look {
  fromUs: number;
  timeUs: number;
  /** RTP bits per second, retransmissions included; NaN if a counter of bytes was restarted. */
  rateBps: number;
  /** `packets`: packets that were sent or received. `lost`: packets that were reported lost. */
  packets: number;
  lost: number;
  /**
   * `frames`: frames that a sender encoded or a receiver received. `decoded`: frames that a receiver decoded;
   * NaN for a sent stream.
   */
  frames: number;
  decoded: number;
  /** The mean time to encode (sender) or decode (receiver) a frame, in ms. */
  codecMs: number;
  layers: readonly LayerLook[];
  /**
   * Counts of the whole connection. `bytesIn`: bytes that arrived. `checksAnswered`: connectivity checks that
   * were answered.
   */
  bytesIn: number;
  checksAnswered: number;
  sent: readonly OutboundStats[];
  received: InboundStats | null;
  sample: StatsSample;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** How much a count grew; 0 if it restarted or is unknown. */
const growth = (before: number | undefined, now: number): number =>
  before === undefined ? 0 : Math.max(0, orZero(now - before));

/** The rate of some streams. `before` are their bytes in the earlier sample, as far as it has the streams. */
function rateOf(before: readonly (number | undefined)[], now: readonly number[], seconds: number): number {
  const hasRestarted = now.some((bytes, i) => bytes < (before[i] ?? -Infinity));
  return hasRestarted ? NaN : (8 * sum(now.map((bytes, i) => growth(before[i], bytes)))) / seconds;
}

const isOf =
  (key: string) =>
  ({ kind, mid }: OutboundStats): boolean =>
    kind === 'video' && mid === key;

/** All video streams of a sample. */
export function streamsOf({ id }: EndpointRecord, { outbound, inbound }: StatsSample): StreamId[] {
  const mids = new Set(outbound.filter(({ kind }) => kind === 'video').map(({ mid }) => mid));
  return [
    ...[...mids].map((key): StreamId => ({ endpoint: id, direction: 'send', key })),
    ...inbound
      .filter(({ kind }) => kind === 'video')
      .map(({ ssrc }): StreamId => ({ endpoint: id, direction: 'receive', key: String(ssrc) })),
  ];
}

function layerLook(
  name: string,
  { frameHeight }: OutboundStats | InboundStats,
  bytes: number,
  seconds: number,
): LayerLook {
  return { name, frameHeight, rateBps: (8 * bytes) / seconds };
}

/**
 * The changes of a stream between two samples. If the stream is missing in the later sample, its counts do not
 * grow.
 */
export function lookAt(stream: StreamId, before: StatsSample, now: StatsSample): Look {
  const seconds = (now.timeUs - before.timeUs) / 1e6;
  const common = {
    fromUs: before.timeUs,
    timeUs: now.timeUs,
    bytesIn: growth(before.bytesReceived, now.bytesReceived),
    checksAnswered: growth(before.checksAnswered, now.checksAnswered),
    sample: now,
  };
  if (stream.direction === 'receive') return { ...common, ...receivedLook(stream.key, before, now, seconds) };
  const then = new Map(before.outbound.filter(isOf(stream.key)).map((stats) => [stats.ssrc, stats]));
  const sent = now.outbound.filter(isOf(stream.key));
  const grew = (count: (stats: OutboundStats) => number): number[] =>
    sent.map((stats) => {
      const old = then.get(stats.ssrc);
      return growth(old === undefined ? undefined : count(old), count(stats));
    });
  const bytes = grew(sentBytes);
  const bytesBefore = sent.map(({ ssrc }) => {
    const old = then.get(ssrc);
    return old && sentBytes(old);
  });
  const frames = sum(grew(({ framesEncoded }) => framesEncoded));
  return {
    ...common,
    rateBps: rateOf(bytesBefore, sent.map(sentBytes), seconds),
    packets: sum(grew(({ packetsSent }) => packetsSent)),
    lost: sum(grew(({ packetsLost }) => packetsLost)),
    frames,
    decoded: NaN,
    codecMs: (1e3 * sum(grew(({ totalEncodeTimeS }) => totalEncodeTimeS))) / frames,
    layers: sent.map((stats, i) => layerLook(stats.rid, stats, bytes[i] ?? 0, seconds)),
    sent,
    received: null,
  };
}

function receivedLook(key: string, before: StatsSample, now: StatsSample, seconds: number) {
  const isIt = ({ ssrc }: InboundStats): boolean => String(ssrc) === key;
  const old = before.inbound.find(isIt);
  const stats = now.inbound.find(isIt) ?? null;
  const grew = (count: (stats: InboundStats) => number): number =>
    stats === null ? 0 : growth(old === undefined ? undefined : count(old), count(stats));
  const bytes = grew(receivedBytes);
  const decoded = grew(({ framesDecoded }) => framesDecoded);
  return {
    rateBps: stats === null ? 0 : rateOf([old && receivedBytes(old)], [receivedBytes(stats)], seconds),
    packets: grew(({ packetsReceived }) => packetsReceived),
    lost: grew(({ packetsLost }) => packetsLost),
    frames: grew(({ framesReceived }) => framesReceived),
    decoded,
    codecMs: (1e3 * grew(({ totalDecodeTimeS }) => totalDecodeTimeS)) / decoded,
    layers: stats === null ? [] : [layerLook(key, stats, bytes, seconds)],
    sent: [],
    received: stats,
  };
}
