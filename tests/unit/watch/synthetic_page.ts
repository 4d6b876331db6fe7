/**
 * The reports of an observer in a page that receives video streams and sends one. Each run yields the same
 * reports.
 */
import { NO_LAYER } from '../../../src/inject/protocol.js';
import type {
  InboundStats,
  OutboundStats,
  PageBatch,
  PageMessage,
  StatsSample,
} from '../../../src/inject/protocol.js';

const FRAME_US = 33_333;
const TICKS_PER_FRAME = 3000;
const BATCH_US = 500_000;

/** Random numbers from 0 to 1 (mulberry32): a given seed always yields the same sequence. */
export function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface PageOptions {
  durationS: number;
  /** How many video streams the page receives. Default: 2. */
  streams?: number;
  /** The delay of the queue as a function of time. Default: 0. */
  queueUs?: (timeUs: number) => number;
}

export const SSRC = 3_000_000_000;
export const PAGE_URL = 'https://meet.example.org/room/secret?token=4711';
export const MID = 'camera of Alice';

function inbound(ssrc: number, kind: 'video' | 'audio', frames: number, lost: number): InboundStats {
  const packets = frames * 4;
  return {
    ...{ ssrc, kind, mid: `${MID} ${ssrc}`, codec: kind === 'video' ? 'VP8' : 'opus' },
    ...{ frameWidth: 640, frameHeight: 360, keyFramesDecoded: 1, framesDropped: 0 },
    ...{ totalDecodeTimeS: frames * 0.002, nackCount: lost, retransmittedPacketsReceived: lost },
    ...{ jitterS: 0.004, packetsReceivedWithEct1: NaN, packetsReceivedWithCe: NaN },
    ...{ remotePacketsSent: packets + lost, reportTimeUs: NaN, bytesReceived: frames * 4000 },
    ...{ headerBytesReceived: packets * 24, packetsReceived: packets, packetsLost: lost },
    ...{ framesReceived: frames, framesDecoded: frames, framesPerSecond: 30, pliCount: 1, freezeCount: 0 },
    ...{ totalFreezesDurationS: 0, jitterBufferDelayS: frames * 0.04, jitterBufferEmittedCount: frames },
  };
}

function outbound(ssrc: number, frames: number): OutboundStats {
  return {
    ...{ ssrc, kind: 'video', mid: `${MID} sent`, codec: 'VP8', bytesSent: frames * 3000 },
    ...{ headerBytesSent: frames * 72, packetsSent: frames * 3, retransmittedBytesSent: 0 },
    ...{ framesEncoded: frames, framesPerSecond: 30, frameWidth: 640, frameHeight: 360, rid: 'upper' },
    encodingIndex: 0,
    ...{ scalabilityMode: 'L1T1', active: true, targetBps: 700_000, qualityLimitationReason: 'none' },
    ...{
      maxBitrateBps: NaN,
      sectionBoundBps: NaN,
      keyFramesEncoded: 1,
      sourceFrames: frames,
      trackState: 'live',
      trackPaused: '',
    },
    ...{ nackCount: 0, pliCount: 0, firCount: 0, totalPacketSendDelayS: 0.001, totalEncodeTimeS: 0.1 },
    ...{ packetsSentWithEct1: NaN, packetsLost: 0, fractionLost: 0, roundTripTimeS: 0.05, reportTimeUs: NaN },
  };
}

/** All reports of the page, one batch every half second. Endpoint 0 receives, endpoint 1 sends. */
export function* pageBatches(options: PageOptions): Generator<PageBatch> {
  const { durationS, streams = 2, queueUs = () => 0 } = options;
  const random = randoms(1);
  const upcoming: { timeUs: number; row: number[] }[] = [];
  let sentFrames = 0;
  for (let timeUs = BATCH_US; timeUs <= durationS * 1e6; timeUs += BATCH_US) {
    const messages: PageMessage[] = timeUs === BATCH_US ? beginning() : [];
    for (; sentFrames * FRAME_US < timeUs; sentFrames++) {
      for (let stream = 0; stream < streams; stream++) {
        const sendUs = sentFrames * FRAME_US + stream * 700;
        const jitterUs = Math.round(random() * 3000);
        // One frame in two hundred is 80 ms late, because it waits for a retransmitted packet.
        const againUs = random() < 0.005 ? 80_000 : 0;
        const arrivalUs = sendUs + 30_000 + jitterUs + againUs + Math.round(queueUs(sendUs));
        const rtp = (2 ** 32 - 90_000 + sentFrames * TICKS_PER_FRAME) % 2 ** 32;
        const size = 2000 + Math.round(random() * 4000);
        const rowAt = (timeUs: number, key: number): number[] => [
          ...[SSRC + stream, rtp, timeUs, size, key],
          ...[NO_LAYER, NO_LAYER],
        ];
        upcoming.push({ timeUs: arrivalUs, row: rowAt(arrivalUs, sentFrames % 300 === 0 ? 1 : 0) });
        // Chromium probes the link with copies of frames.
        if (random() < 0.002) upcoming.push({ timeUs: arrivalUs + 900, row: rowAt(arrivalUs + 900, 0) });
      }
    }
    // The observer gets frames in decoding order, and only when they are complete.
    const rows: number[] = [];
    let at = 0;
    for (; at < upcoming.length && (upcoming[at]?.timeUs ?? Infinity) <= timeUs; at++)
      rows.push(...(upcoming[at]?.row ?? []));
    upcoming.splice(0, at);
    if (rows.length > 0) messages.push({ type: 'frames', endpoint: 0, rows });
    messages.push({ type: 'sample', endpoint: 0, sample: received(timeUs, streams, sentFrames) });
    messages.push({ type: 'sample', endpoint: 1, sample: sent(timeUs, sentFrames) });
    if (timeUs % 1e6 === 0) messages.push({ type: 'late', timeUs, lateMs: 1.25 });
    yield { window: 'b4c1', url: PAGE_URL, timeUs, messages };
  }
}

const pair = (timeUs: number, frames: number) => ({
  ...{ timeUs, rttS: 0.06 + (frames % 7) / 1000, checksAnswered: frames, route: 'host/udp srflx/udp' },
  ...{ routeChanges: 0, outsideBytesSent: NaN, outsideBytesReceived: NaN },
  ...{ dataBytesSent: 0, dataBytesReceived: 0 },
});

function received(timeUs: number, streams: number, frames: number): StatsSample {
  const lost = Math.floor(frames / 200);
  const videos = Array.from({ length: streams }, (_, i) => inbound(SSRC + i, 'video', frames, lost));
  return {
    ...pair(timeUs, frames),
    ...{ outbound: [], inbound: [...videos, inbound(77, 'audio', frames, 0)] },
    ...{ availableOutgoingBps: NaN, bytesSent: 0, bytesReceived: frames * 4000 },
  };
}

function sent(timeUs: number, frames: number): StatsSample {
  return {
    ...pair(timeUs, frames),
    ...{ outbound: [outbound(99, frames)], inbound: [] },
    ...{ availableOutgoingBps: 1_234_567.5, bytesSent: frames * 3000, bytesReceived: 0 },
  };
}

function beginning(): PageMessage[] {
  const timeUs = 10_000;
  const notice = {
    ...({ level: 'info', code: 'test' } as const),
    message: 'Packets went to 192.0.2.77 and to 2001:db8::7, by turn:turn.example.org:3478.',
    fix: 'ask 4f8a-11.local',
  };
  return [
    { type: 'endpoint', endpoint: 0, timeUs },
    { type: 'endpoint', endpoint: 1, timeUs },
    { type: 'local', endpoint: 0, role: 'answerer', ufrags: ['ufragA'] },
    {
      type: 'remote',
      endpoint: 0,
      sides: [{ ufrag: 'ufragZ', candidates: [{ address: '192.0.2.9', port: 9 }] }],
    },
    { type: 'source', endpoint: 0, source: 'transform' },
    { type: 'notice', endpoint: 0, notice },
    { type: 'state', endpoint: 0, timeUs, state: 'connected' },
    { type: 'state', endpoint: 1, timeUs, state: 'connected' },
  ];
}
