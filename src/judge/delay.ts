/**
 * Queuing delays of a call, for each packet that the link has recorded. If no link has recorded the packets, the delays
 * are estimated, and marked as estimates. An estimate assumes that the lowest delay of the call is the delay without a
 * queue, as LEDBAT does (RFC 6817, 2.4.2: base delay):
 * - With frame timing, the delay of a frame is its arrival minus its RTP timestamp, minus the lowest such difference
 *   of the stream.
 * - Without frame timing, the delay is the round-trip time minus its minimum. This estimate contains the queues of
 *   both directions.
 */
import type { Window } from '../calls/metrics.js';
import type { CallRecord, EndpointRecord } from '../calls/record/record.js';
import { checkKept, linkSides, packetsIn, type Path } from './view.js';

const VIDEO_CLOCK_HZ = 90_000;
const RTP_WRAP = 2 ** 32;

/** A delay and when it was seen. */
export interface DelayPoint {
  timeUs: number;
  delayUs: number;
}

export interface QueueDelays {
  points: DelayPoint[];
  estimated: boolean;
}

/** Subtracts the lowest delay from all delays. */
function aboveBase(points: readonly DelayPoint[]): DelayPoint[] {
  const base = points.reduce((least, { delayUs }) => Math.min(least, delayUs), Infinity);
  return points.map(({ timeUs, delayUs }) => ({ timeUs, delayUs: delayUs - base }));
}

/** One-way delays of frames, stream by stream, each minus the minimum of its stream. */
function frameDelays({ frames }: EndpointRecord): DelayPoint[] {
  const streams = new Map<number, { last: number; ticks: number; points: DelayPoint[] }>();
  for (let row = 0; row < frames.rows; row++) {
    const ssrc = frames.ssrc[row] ?? NaN;
    const stamp = frames.rtpTimestamp[row] ?? NaN;
    const timeUs = frames.arrivalUs[row] ?? NaN;
    const stream = streams.get(ssrc) ?? { last: stamp, ticks: 0, points: [] };
    streams.set(ssrc, stream);
    // RTP timestamps wrap at 32 bits, and frames may arrive out of order. So each step is taken in the shorter
    // direction, forward or backward.
    const step = (stamp - stream.last + 1.5 * RTP_WRAP) % RTP_WRAP;
    stream.ticks += step - RTP_WRAP / 2;
    stream.last = stamp;
    stream.points.push({ timeUs, delayUs: timeUs - (stream.ticks / VIDEO_CLOCK_HZ) * 1e6 });
  }
  return [...streams.values()].flatMap(({ points }) => aboveBase(points));
}

function roundTripDelays(endpoint: EndpointRecord): DelayPoint[] {
  const points = endpoint.samples
    .filter(({ rttS }) => Number.isFinite(rttS))
    .map(({ timeUs, rttS }) => ({ timeUs, delayUs: rttS * 1e6 }));
  return aboveBase(points);
}

function estimatedDelays({ sender, receiver }: Path): DelayPoint[] {
  const frames = receiver && receiver.frameSource === 'transform' ? frameDelays(receiver) : [];
  if (frames.length > 0) return frames;
  const endpoint = sender ?? receiver;
  return endpoint ? roundTripDelays(endpoint) : [];
}

/**
 * The queuing delays of the packets that left the queue in a window. If no link has recorded the packets, the
 * delays in the window are estimated. Throws DroppedRecordError.
 */
export function queueDelays(record: CallRecord, paths: readonly Path[], window: Window): QueueDelays {
  const sides = linkSides(record, paths);
  if (sides.length > 0) {
    const packets = sides.flatMap(({ direction, flows }) => packetsIn(direction, flows, window));
    const points = packets
      .filter(({ dropped }) => dropped === null)
      .map(({ departUs, queueDelayUs }) => ({ timeUs: departUs, delayUs: queueDelayUs }));
    return { points, estimated: false };
  }
  for (const { sender, receiver } of paths)
    for (const endpoint of [sender, receiver]) if (endpoint) checkKept(endpoint, window);
  const inWindow = ({ timeUs }: DelayPoint): boolean => timeUs > window.fromUs && timeUs <= window.toUs;
  return { points: paths.flatMap(estimatedDelays).filter(inWindow), estimated: true };
}
