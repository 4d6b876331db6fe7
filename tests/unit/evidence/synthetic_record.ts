/**
 * A synthetic call of 30 s, for tests of the evidence, metrics and charts that are derived from the record of
 * a call. One page sends video to another through the core's link, at a rate that a controller might choose.
 * The link's capacity is 500 kbps from 12 s to 20 s, and 1 Mbps otherwise. The drop to 500 kbps causes a
 * freeze.
 */
import * as judged from '../judge/synthetic.js';
import { loadCore, type Core, type TraceBatch } from '../../../src/core/index.js';
import { DROP_REASONS, type Link } from '../../../src/core/link.js';
import { FRAME_COLUMNS } from '../../../src/calls/record/columns.js';
import { NO_LAYER } from '../../../src/inject/protocol.js';
import { parseQueue } from '../../../src/link/queue_text.js';
import { sample } from '../judge/synthetic.js';
import type {
  CallRecord,
  DirectionRecord,
  EndpointRecord,
  FrameColumns,
  InboundStats,
  OutboundStats,
  PacketColumns,
} from '../../../src/calls/record/record.js';

const DURATION_US = 30e6;
const FRAME_US = 1e6 / 30;
const PACKET_BYTES = 1200;
const CAPACITY = [
  { timeUs: 0, capacityBps: 1e6 },
  { timeUs: 12e6, capacityBps: 5e5 },
  { timeUs: 20e6, capacityBps: 1e6 },
];

/** The sending rate. It grows to 0.9 Mbps, falls 0.8 s after the capacity, and grows again from 20 s on. */
function rateBps(timeUs: number): number {
  const s = timeUs / 1e6;
  if (s < 12.8) return Math.min(9e5, 3e5 * 1.18 ** s);
  if (s < 20) return s < 15 ? 3.6e5 : 4.4e5;
  return Math.min(9e5, 4.4e5 * 1.12 ** (s - 20));
}

const columns = <K extends string>(names: readonly K[], rows: readonly (readonly number[])[]) =>
  ({
    rows: rows.length,
    ...Object.fromEntries(names.map((name, i) => [name, Float64Array.from(rows, (row) => row[i] ?? NaN)])),
  }) as { rows: number } & Record<K, Float64Array>;

const PACKET_COLUMNS = ['offeredUs', 'sizeBytes', 'queueDelayUs', 'departUs', 'reason', 'flow'] as const;

interface SentFrame {
  sentUs: number;
  sizeBytes: number;
  packets: number[];
}

class Sender {
  readonly frames: SentFrame[] = [];
  readonly packetRows: number[][] = [];
  readonly rows: DirectionRecord['rows'] = [];
  readonly #arrived = new Map<number, number>();
  #packets = 0;

  constructor(private readonly link: Link) {}

  run(): void {
    let change = 1;
    let nextRowUs = 0;
    for (let timeUs = 0; timeUs < DURATION_US; timeUs += FRAME_US) {
      const to = CAPACITY[change];
      if (to !== undefined && timeUs >= to.timeUs) {
        this.link.set({ capacityBps: to.capacityBps }, timeUs);
        change++;
      }
      for (; nextRowUs <= timeUs; nextRowUs += 1e5) this.#row(nextRowUs);
      this.#frame(timeUs);
      this.#drain(timeUs);
    }
    this.#drain(DURATION_US);
  }

  #frame(timeUs: number): void {
    // The sizes of frames vary around the mean, like those of a camera's video.
    const wave = 1 + 0.25 * Math.sin(this.frames.length * 1.7) + 0.1 * Math.sin(this.frames.length * 0.31);
    const sizeBytes = Math.round((rateBps(timeUs) * FRAME_US * wave) / 8e6);
    const packets: number[] = [];
    for (let left = sizeBytes; left > 0; left -= PACKET_BYTES) {
      packets.push(++this.#packets);
      const wireBytes = Math.min(PACKET_BYTES, left) + 28;
      const dropped = this.link.enqueue(this.#packets, wireBytes, timeUs);
      if (dropped !== null)
        this.packetRows.push([timeUs, wireBytes, NaN, timeUs, DROP_REASONS.indexOf(dropped), 1]);
    }
    this.frames.push({ sentUs: timeUs, sizeBytes, packets });
  }

  #drain(timeUs: number): void {
    const delivered = this.link.poll(timeUs);
    for (const { packetId, offeredUs, sizeBytes, queueDelayUs, departUs, deliverUs } of delivered) {
      this.packetRows.push([offeredUs, sizeBytes, queueDelayUs, departUs, 0, 1]);
      this.#arrived.set(packetId, deliverUs);
    }
    for (const { offeredUs, sizeBytes, timeUs: droppedUs, reason } of this.link.lateDrops())
      this.packetRows.push([offeredUs, sizeBytes, NaN, droppedUs, DROP_REASONS.indexOf(reason), 1]);
  }

  #row(timeUs: number): void {
    const stats = this.link.stats(timeUs);
    this.rows.push({
      link: 1,
      time_us: timeUs,
      queue_delay_us: stats.queueDelayUs,
      queue_bytes: stats.queueBytes,
      capacity_bps: stats.capacityBps,
      drops: stats.lostPackets + stats.droppedPackets,
      delivered_bytes: stats.departedBytes,
    });
  }

  /** The time at which all packets of a frame had arrived; NaN if one of them was lost. */
  arrivalUs({ packets }: SentFrame): number {
    return Math.max(...packets.map((id) => this.#arrived.get(id) ?? NaN));
  }
}

const outbound = (timeUs: number, bytesSent: number): OutboundStats => ({
  ...judged.outbound(),
  ssrc: 1001,
  kind: 'video',
  bytesSent,
  headerBytesSent: bytesSent / 50,
  packetsSent: Math.round(bytesSent / 1000),
  retransmittedBytesSent: 0,
  framesEncoded: Math.round(timeUs / FRAME_US),
  sourceFrames: Math.round(timeUs / FRAME_US),
  framesPerSecond: 30,
  frameWidth: 640,
  frameHeight: 360,
  rid: '',
  scalabilityMode: '',
  active: true,
  targetBps: rateBps(timeUs),
  qualityLimitationReason: 'bandwidth',
  maxBitrateBps: NaN,
  sectionBoundBps: NaN,
  trackState: 'live',
  keyFramesEncoded: 1,
  packetsLost: 0,
  roundTripTimeS: 0.052,
});

const inbound = (timeUs: number, bytesReceived: number): InboundStats => ({
  ...judged.inbound(),
  ssrc: 1001,
  kind: 'video',
  bytesReceived,
  headerBytesReceived: bytesReceived / 50,
  packetsReceived: Math.round(bytesReceived / 1000),
  packetsLost: 0,
  framesReceived: Math.round(timeUs / FRAME_US),
  pliCount: 0,
  framesDecoded: Math.round(timeUs / FRAME_US),
  framesPerSecond: timeUs > 12.4e6 && timeUs < 13.6e6 ? 9 : 30,
  freezeCount: timeUs > 13.5e6 ? 1 : 0,
  totalFreezesDurationS: timeUs > 13.5e6 ? 0.9 : 0,
  jitterBufferDelayS: 0,
  jitterBufferEmittedCount: 0,
});

function endpoint(id: number, over: Partial<EndpointRecord>): EndpointRecord {
  return {
    id,
    page: id,
    url: 'http://127.0.0.1:3000/room',
    place: 'page',
    role: id === 0 ? 'offerer' : 'answerer',
    localUfrags: [id === 0 ? 'aaaa' : 'bbbb'],
    remoteUfrags: [id === 0 ? 'bbbb' : 'aaaa'],
    states: [
      { timeUs: 0.2e6, state: 'connecting' },
      { timeUs: 0.5e6, state: 'connected' },
    ],
    samples: [],
    frameSource: 'transform',
    frames: columns(FRAME_COLUMNS, []),
    freezes: [],
    routed: true,
    notices: [],
    ...over,
  };
}

/** Samples of one end's counters, two per second. */
function samples(sender: Sender, of: 'sender' | 'receiver'): EndpointRecord['samples'] {
  const looks = Array.from({ length: DURATION_US / 5e5 }, (_, i) => (i + 1) * 5e5);
  return looks.map((timeUs) => {
    const sent = sender.frames.filter(({ sentUs }) => sentUs <= timeUs);
    const bytes = sent.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const isSender = of === 'sender';
    return sample(timeUs / 1e6, {
      outbound: isSender ? [outbound(timeUs, bytes)] : [],
      inbound: isSender ? [] : [inbound(timeUs, bytes)],
      availableOutgoingBps: isSender ? rateBps(timeUs) * 1.05 : NaN,
      rttS: 0.052,
      bytesSent: isSender ? bytes : bytes / 50,
      bytesReceived: isSender ? bytes / 50 : bytes,
    });
  });
}

const emptyDirection = (): DirectionRecord => ({
  packets: columns(PACKET_COLUMNS, []),
  rows: [],
  capacity: [...CAPACITY],
});

/** The trace rows that the receiver side of GCC produces from the frames. */
function shadowOf(core: Core, frames: FrameColumns): TraceBatch[] {
  const receiver = core.createReceiver({ preset: 'gcc', flow: 0 });
  for (let i = 0; i < frames.rows; i++)
    receiver.pushArrival({
      seq: i,
      sizeBytes: frames.sizeBytes[i] ?? 0,
      arrivalTimeUs: frames.arrivalUs[i] ?? NaN,
      rtpTimestamp: frames.rtpTimestamp[i] ?? NaN,
    });
  const rows = receiver.drain();
  receiver.destroy();
  return rows;
}

export async function syntheticCall(): Promise<CallRecord> {
  const core = await loadCore();
  const link = core.createLink({
    capacityBps: 1e6,
    queue: parseQueue('droptail:300ms'),
    oneWayDelayUs: 25_000,
    lossRatio: 0.002,
    seed: 3,
  });
  const sender = new Sender(link);
  sender.run();
  link.destroy();
  const arrived = sender.frames.filter((frame) => !Number.isNaN(sender.arrivalUs(frame)));
  const frames: FrameColumns = columns(
    FRAME_COLUMNS,
    arrived.map((frame, i) => [
      1001,
      Math.round(frame.sentUs * 0.09),
      sender.arrivalUs(frame),
      frame.sizeBytes,
      i === 0 ? 1 : 0,
      NO_LAYER,
      NO_LAYER,
    ]),
  );
  const packets: PacketColumns = columns(
    PACKET_COLUMNS,
    sender.packetRows.sort((a, b) => (a[3] ?? 0) - (b[3] ?? 0)),
  );
  const endpoints = [
    endpoint(0, { samples: samples(sender, 'sender') }),
    endpoint(1, {
      samples: samples(sender, 'receiver'),
      frames,
      freezes: [{ fromUs: 12.6e6, toUs: 13.5e6 }],
    }),
  ];
  return {
    originEpochMs: Date.UTC(2026, 0, 31, 12),
    pages: endpoints.map(({ id, url }) => ({ id, context: id, url, ended: null })),
    endpoints,
    connections: [{ id: 0, offerer: 0, answerer: 1, flows: [1] }],
    link: {
      backend: 'shaper',
      page: null,
      own: [],
      changes: [
        { timeUs: 0, text: '1 Mbps, droptail:300ms, RTT 50 ms, loss 0.2 %' },
        { timeUs: 12e6, text: '500 kbps' },
        { timeUs: 20e6, text: '1 Mbps' },
      ],
      flows: [{ flow: 1, offererUfrag: 'aaaa', answererUfrag: 'bbbb' }],
      forward: { packets, rows: sender.rows, capacity: [...CAPACITY] },
      backward: emptyDirection(),
      interruptions: [],
      notices: [],
      latenessMs: { p50: 0.1, p95: 0.4, p99: 0.9, packets: packets.rows },
      late: [],
    },
    shadows: [{ flow: 0, endpoint: 1, ssrc: 1001, flows: [], batches: shadowOf(core, frames) }],
    late: [],
    notices: [],
  };
}
