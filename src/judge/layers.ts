/**
 * Metrics of each video stream that endpoints send. With simulcast, each layer is a separate stream. With SVC,
 * all layers are one stream.
 */
import type { Window } from '../calls/metrics.js';
import type { EndpointRecord, OutboundStats } from '../calls/record/record.js';
import { outboundGrowth } from './growth.js';
import { checkKept } from './view.js';

/** A video stream over a window. Values that the browser does not report are null. */
export interface LayerMetrics {
  /** The id of the page that sends the stream. */
  page: number;
  ssrc: number;
  /** Name of the simulcast layer (RFC 8851, rid-id); null without simulcast. */
  rid: string | null;
  /** For example `L1T3` (webrtc-svc). */
  scalabilityMode: string | null;
  /** The size of the last frame that was encoded. */
  frameWidth: number | null;
  frameHeight: number | null;
  /** Frames encoded, divided by the window's length. */
  framesPerSecond: number;
  /** Bits sent (payload, RTP headers and retransmissions), divided by the window's length. */
  sentBps: number;
  /** The mean target rate of the stream's encoder. */
  targetBps: number | null;
  /** The most frequent qualityLimitationReason in the window: none, bandwidth, cpu or other. */
  limitedBy: string | null;
  /** Fraction of the samples in which the stream was active, 0 to 1. */
  activeShare: number;
}

const orNull = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

const mean = (values: readonly number[]): number | null => {
  const known = values.filter(Number.isFinite);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
};

/** The most frequent reason; null if all are empty. */
function mostOften(reasons: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const reason of reasons) if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

function layerOf(endpoint: EndpointRecord, looks: readonly OutboundStats[], window: Window): LayerMetrics[] {
  const last = looks.at(-1);
  if (last === undefined) return [];
  const { ssrc } = last;
  const seconds = (window.toUs - window.fromUs) / 1e6;
  const grown = (count: (stream: OutboundStats) => number): number =>
    outboundGrowth(endpoint, window, (stream) => (stream.ssrc === ssrc ? count(stream) : NaN));
  const bytes = grown(({ bytesSent }) => bytesSent) + grown(({ headerBytesSent }) => headerBytesSent);
  return [
    {
      page: endpoint.page,
      ssrc,
      rid: last.rid === '' ? null : last.rid,
      scalabilityMode: last.scalabilityMode === '' ? null : last.scalabilityMode,
      frameWidth: orNull(last.frameWidth),
      frameHeight: orNull(last.frameHeight),
      framesPerSecond: grown(({ framesEncoded }) => framesEncoded) / seconds,
      sentBps: (8 * bytes) / seconds,
      targetBps: mean(looks.map(({ targetBps }) => targetBps)),
      limitedBy: mostOften(looks.map(({ qualityLimitationReason }) => qualityLimitationReason)),
      activeShare: looks.filter(({ active }) => active).length / looks.length,
    },
  ];
}

/** Sorts by picture size, the smallest first. */
const bySize = (a: LayerMetrics, b: LayerMetrics): number =>
  (a.frameWidth ?? 0) - (b.frameWidth ?? 0) || (a.rid ?? '').localeCompare(b.rid ?? '');

/** The video streams of the given senders, the lowest layer of each sender first. Throws DroppedRecordError. */
export function layersIn(senders: readonly EndpointRecord[], window: Window): LayerMetrics[] {
  return senders.flatMap((endpoint) => {
    checkKept(endpoint, window);
    const samples = endpoint.samples.filter(({ timeUs }) => timeUs > window.fromUs && timeUs <= window.toUs);
    const looks = samples.flatMap(({ outbound }) => outbound.filter(({ kind }) => kind === 'video'));
    const ssrcs = [...new Set(looks.map(({ ssrc }) => ssrc))];
    const layers = ssrcs.flatMap((ssrc) =>
      layerOf(
        endpoint,
        looks.filter((look) => look.ssrc === ssrc),
        window,
      ),
    );
    return layers.sort(bySize);
  });
}
