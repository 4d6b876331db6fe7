/** Makes records of calls in which every number is known to the test. Times are in seconds. */
import { DROP_REASONS, type DropReason } from '../../../src/core/link.js';
import { NO_LAYER } from '../../../src/inject/protocol.js';
import type {
  CallRecord,
  DirectionRecord,
  EndpointRecord,
  InboundStats,
  LateSecond,
  OutboundStats,
  PacketColumns,
  StatsSample,
} from '../../../src/calls/record/record.js';

export interface SyntheticPacket {
  /** The time at which the packet's last bit left the link. */
  departS: number;
  sizeBytes?: number;
  queueDelayMs?: number;
  dropped?: DropReason;
  flow?: number;
}

const columns = (rows: number): Float64Array => new Float64Array(rows);

export function packetColumns(packets: readonly SyntheticPacket[], capacityBps: number): PacketColumns {
  const sorted = [...packets].sort((x, y) => x.departS - y.departS);
  const table: PacketColumns = {
    rows: sorted.length,
    offeredUs: columns(sorted.length),
    sizeBytes: columns(sorted.length),
    queueDelayUs: columns(sorted.length),
    departUs: columns(sorted.length),
    reason: columns(sorted.length),
    flow: columns(sorted.length),
  };
  sorted.forEach(({ departS, sizeBytes = 1250, queueDelayMs = 0, dropped, flow = 1 }, i) => {
    const departUs = departS * 1e6;
    const transmissionUs = dropped ? 0 : (sizeBytes * 8e6) / capacityBps;
    table.offeredUs[i] = departUs - queueDelayMs * 1e3 - transmissionUs;
    table.sizeBytes[i] = sizeBytes;
    table.queueDelayUs[i] = dropped ? NaN : queueDelayMs * 1e3;
    table.departUs[i] = departUs;
    table.reason[i] = dropped ? DROP_REASONS.indexOf(dropped) : 0;
    table.flow[i] = flow;
  });
  return table;
}

/** Packets of 1250 bytes (10,000 bits) at an even rate. The first one leaves one interval after `fromS`. */
export function steady(
  fromS: number,
  toS: number,
  bps: number,
  more: Omit<SyntheticPacket, 'departS'> = {},
): SyntheticPacket[] {
  const intervalS = 1e4 / bps;
  const packets = Math.round((toS - fromS) / intervalS);
  return Array.from({ length: packets }, (_, i) => ({ departS: fromS + (i + 1) * intervalS, ...more }));
}

export interface CapacityStepS {
  atS: number;
  bps: number;
}

export function direction(
  packets: readonly SyntheticPacket[],
  capacity: readonly CapacityStepS[],
): DirectionRecord {
  return {
    packets: packetColumns(packets, capacity[0]?.bps || 1e6),
    rows: [],
    capacity: capacity.map(({ atS, bps }) => ({ timeUs: atS * 1e6, capacityBps: bps })),
  };
}

export const outbound = (more: Partial<OutboundStats> = {}): OutboundStats => ({
  ssrc: 11,
  kind: 'video',
  bytesSent: 0,
  headerBytesSent: 0,
  packetsSent: 0,
  retransmittedBytesSent: 0,
  framesEncoded: 0,
  sourceFrames: NaN,
  framesPerSecond: 30,
  frameWidth: 640,
  frameHeight: 360,
  rid: '',
  encodingIndex: 0,
  scalabilityMode: '',
  active: true,
  targetBps: NaN,
  qualityLimitationReason: 'none',
  maxBitrateBps: NaN,
  sectionBoundBps: NaN,
  trackState: 'live',
  keyFramesEncoded: 1,
  packetsLost: 0,
  roundTripTimeS: NaN,
  ...{ mid: '0', codec: 'VP8', trackPaused: '' as const, nackCount: 0, pliCount: 0, firCount: 0 },
  ...{ totalPacketSendDelayS: NaN, totalEncodeTimeS: NaN, packetsSentWithEct1: NaN },
  ...{ fractionLost: NaN, reportTimeUs: NaN },
  ...more,
});

export const inbound = (more: Partial<InboundStats> = {}): InboundStats => ({
  ssrc: 11,
  kind: 'video',
  bytesReceived: 0,
  headerBytesReceived: 0,
  packetsReceived: 0,
  packetsLost: 0,
  framesReceived: 0,
  framesDecoded: 0,
  framesPerSecond: 30,
  pliCount: 0,
  freezeCount: 0,
  totalFreezesDurationS: 0,
  jitterBufferDelayS: 0,
  jitterBufferEmittedCount: 0,
  ...{ mid: '0', codec: 'VP8', frameWidth: 640, frameHeight: 360, nackCount: 0 },
  ...{ keyFramesDecoded: 1, framesDropped: 0, totalDecodeTimeS: NaN, retransmittedPacketsReceived: 0 },
  ...{ jitterS: NaN, packetsReceivedWithEct1: NaN, packetsReceivedWithCe: NaN },
  ...{ remotePacketsSent: NaN, reportTimeUs: NaN },
  ...more,
});

export const sample = (atS: number, more: Partial<StatsSample> = {}): StatsSample => ({
  timeUs: atS * 1e6,
  outbound: [],
  inbound: [],
  availableOutgoingBps: NaN,
  rttS: NaN,
  ...{ checksAnswered: NaN, route: '', routeChanges: NaN },
  ...{ bytesSent: NaN, bytesReceived: NaN, outsideBytesSent: 0, outsideBytesReceived: 0 },
  ...{ dataBytesSent: NaN, dataBytesReceived: NaN },
  ...more,
});

/** Samples from `fromS` to `toS`, one every half second. */
export const samples = (
  fromS: number,
  toS: number,
  at: (timeS: number) => Partial<StatsSample>,
): StatsSample[] =>
  Array.from({ length: Math.floor((toS - fromS) * 2) + 1 }, (_, i) =>
    sample(fromS + i / 2, at(fromS + i / 2)),
  );

/**
 * Frames that arrive at these times, in seconds. `sentS` is the time on the RTP clock; default: the arrival
 * time.
 */
export function frames(
  list: readonly { arrivalS: number; sentS?: number; ssrc?: number }[],
): EndpointRecord['frames'] {
  return {
    rows: list.length,
    ssrc: Float64Array.from(list, ({ ssrc = 11 }) => ssrc),
    rtpTimestamp: Float64Array.from(
      list,
      ({ arrivalS, sentS = arrivalS }) => Math.round(sentS * 90_000) % 2 ** 32,
    ),
    arrivalUs: Float64Array.from(list, ({ arrivalS }) => arrivalS * 1e6),
    sizeBytes: new Float64Array(list.length).fill(1000),
    keyFrame: new Float64Array(list.length),
    spatialIndex: new Float64Array(list.length).fill(NO_LAYER),
    temporalIndex: new Float64Array(list.length).fill(NO_LAYER),
  };
}

export const endpoint = (
  id: number,
  connectedS: number | null,
  more: Partial<EndpointRecord> = {},
): EndpointRecord => ({
  id,
  page: id,
  url: `http://localhost/${id}`,
  place: 'page',
  role: id % 2 === 0 ? 'offerer' : 'answerer',
  localUfrags: [],
  remoteUfrags: [],
  states: [
    { timeUs: 0, state: 'new' },
    ...(connectedS === null ? [] : [{ timeUs: connectedS * 1e6, state: 'connected' as const }]),
  ],
  samples: [],
  frameSource: 'transform',
  frames: frames([]),
  freezes: [],
  routed: true,
  notices: [],
  ...more,
});

/**
 * The samples of both endpoints of a call that sends video at a given rate after `connectedS`, with consistent
 * counters.
 */
export function videoSamples(
  connectedS: number,
  untilS: number,
  bps: number,
  more: Partial<OutboundStats> & { availableOutgoingBps?: number } = {},
): { sent: StatsSample[]; received: StatsSample[] } {
  const { availableOutgoingBps = NaN, ...stream } = more;
  const bytes = (timeS: number): number => (bps / 8) * Math.max(0, timeS - connectedS);
  const framesUntil = (timeS: number): number => Math.round(30 * Math.max(0, timeS - connectedS));
  return {
    sent: samples(connectedS, untilS, (t) => ({
      availableOutgoingBps,
      rttS: 0.05,
      bytesSent: bytes(t),
      outbound: [outbound({ bytesSent: bytes(t), framesEncoded: framesUntil(t), ...stream })],
    })),
    received: samples(connectedS, untilS, (t) => ({
      bytesReceived: bytes(t),
      inbound: [
        inbound({ bytesReceived: bytes(t), framesDecoded: framesUntil(t), packetsReceived: bytes(t) / 1250 }),
      ],
    })),
  };
}

export interface SyntheticCall {
  packets?: readonly SyntheticPacket[];
  capacity?: readonly CapacityStepS[];
  /** The time at which both sides connected; null if they never did. */
  connectedS?: number | null;
  /** Changes of the link after its start. */
  changesS?: readonly number[];
  offerer?: Partial<EndpointRecord>;
  answerer?: Partial<EndpointRecord>;
  backend?: 'shaper' | 'devtools' | 'none';
  /**
   * How late packets left the shaper (`shaperLateMs`), and how late callbacks ran in pages (`callbacksLateMs`).
   * Each list has one value per second, the first at the time 1 s.
   */
  shaperLateMs?: readonly number[];
  callbacksLateMs?: readonly number[];
}

const lateSeconds = (lateMs: readonly number[] = []): LateSecond[] =>
  lateMs.map((ms, i) => ({ timeUs: (i + 1) * 1e6, lateMs: ms }));

/** The record of a call from page 0, which offers and sends, to page 1. Its packets are flow 1 of the link. */
export function callRecord(call: SyntheticCall): CallRecord {
  const { packets = [], capacity = [{ atS: 0, bps: 1e6 }], connectedS = 0, changesS = [] } = call;
  const { backend = 'shaper' } = call;
  const shaped = backend === 'shaper';
  return {
    originEpochMs: 1_700_000_000_000,
    pages: [0, 1].map((id) => ({ id, context: id, url: `http://localhost/${id}`, ended: null })),
    endpoints: [endpoint(0, connectedS, call.offerer), endpoint(1, connectedS, call.answerer)],
    connections: [{ id: 0, offerer: 0, answerer: 1, flows: shaped ? [1] : [] }],
    link:
      backend === 'none'
        ? null
        : {
            backend,
            page: null,
            own: [],
            changes: [0, ...changesS].map((atS) => ({ timeUs: atS * 1e6, text: 'set' })),
            flows: [{ flow: 1, offererUfrag: 'a', answererUfrag: 'b' }],
            forward: shaped ? direction(packets, capacity) : null,
            backward: shaped ? direction([], capacity) : null,
            latenessMs: null,
            late: lateSeconds(call.shaperLateMs),
            interruptions: [],
            notices: [],
          },
    shadows: [],
    late: lateSeconds(call.callbacksLateMs),
    notices: [],
  };
}
