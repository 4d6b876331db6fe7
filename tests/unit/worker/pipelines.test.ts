/** Invalid external input to the two sides of a call: only the invalid row itself is lost. */
import { readFileSync } from 'node:fs';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { encodeFeedback, type Feedback } from '../../../src/core/index.js';
import type { EncodedFrame, EncodedFrameMetadata } from '../../../src/worker/media/encoded.js';
import type { MediaConfig, WorkerEvent } from '../../../src/worker/media/protocol.js';
import { ReceiverPipeline } from '../../../src/worker/media/receiver_pipeline.js';
import { Reporter } from '../../../src/worker/media/reporter.js';
import { SenderPipeline } from '../../../src/worker/media/sender_pipeline.js';
import { appendTrailer } from '../../../src/worker/media/trailer.js';

const module = await WebAssembly.compile(
  readFileSync(new URL('../../../src/core/ccscope.wasm', import.meta.url)),
);
const FRAME_MS = 1000 / 30;
const FRAME_BYTES = 4000;

function configOf(side: MediaConfig['side']): MediaConfig {
  const slot = { controller: 'gcc', preset: 'gcc-live', parameters: {} } as const;
  return {
    side,
    originEpochMs: performance.timeOrigin,
    controller: { flow: 0, name: 'in charge', ...slot },
    shadows: [{ flow: 1, name: 'shadow', ...slot }],
  };
}

function listener() {
  const events: WorkerEvent[] = [];
  const port = { postMessage: (event: WorkerEvent) => events.push(event) } as unknown as MessagePort;
  const rows = (table: string, flow: number): number =>
    events.flatMap((event) =>
      event.kind === 'batches'
        ? event.batches.filter((batch) => batch.table === table && batch.columns[0]?.[0] === flow)
        : [],
    ).length;
  const count = (kind: WorkerEvent['kind']): number => events.filter((event) => event.kind === kind).length;
  return { reporter: new Reporter(port), rows, count };
}

/** Frame `i` of a video, with the given parts invalid. */
function frameOf(i: number, wrong: { sendTimeUs?: number; metadata?: Partial<EncodedFrameMetadata> } = {}) {
  const atMs = i * FRAME_MS;
  const sendTimeUs = wrong.sendTimeUs ?? Math.round(atMs * 1000);
  const data = appendTrailer(new ArrayBuffer(FRAME_BYTES), { sendTimeUs, frameSeq: i, rttUs: 50_000 });
  const metadata = { rtpTimestamp: Math.round(atMs * 90), receiveTime: atMs + 25, ...wrong.metadata };
  return { data, type: 'delta', timestamp: 0, getMetadata: () => metadata } as unknown as EncodedFrame;
}

describe('the receiving side', () => {
  // A frame without a receive time gets the current time, so the fake clock has to advance with the frames.
  let nowMs = 0;
  afterEach(() => vi.restoreAllMocks());

  async function opened() {
    nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const heard = listener();
    const pipeline = await ReceiverPipeline.open(module, configOf('receiver'), heard.reporter);
    let forwarded = 0;
    const frame = (one: EncodedFrame): void => {
      pipeline.frame(one, () => forwarded++);
      nowMs += FRAME_MS;
    };
    return { ...heard, pipeline, frame, forwarded: () => forwarded };
  }

  it.each([1e300, -1e300, 2 ** 54, Infinity])(
    'goes on after a trailer of the time %d',
    async (sendTimeUs) => {
      const { pipeline, frame, forwarded, count, rows, reporter } = await opened();
      for (let i = 0; i < 120; i++) frame(frameOf(i, i === 30 ? { sendTimeUs } : {}));
      const before = count('feedback');
      for (let i = 120; i < 240; i++) frame(frameOf(i));
      pipeline.flush();
      expect(forwarded()).toBe(240);
      expect(count('feedback')).toBeGreaterThan(before);
      // The frame's send time is still known, from its RTP timestamp.
      expect(reporter.stats).toMatchObject({ framesWithoutTrailer: 1, rowsRefused: 0 });
      for (const flow of [0, 1]) expect(rows('group', flow)).toBeGreaterThan(0);
      expect(count('controller-fault')).toBe(0);
      pipeline.destroy();
    },
  );

  it('loses only the rows that the core refuses, counts them and tells of the first', async () => {
    const { pipeline, frame, forwarded, count, reporter } = await opened();
    for (let i = 0; i < 60; i++)
      frame(frameOf(i, i === 20 || i === 40 ? { metadata: { receiveTime: 1e300 } } : {}));
    pipeline.inbound({ timeUs: 1e300, packetsReceived: 1, packetsLost: 0, bytesReceived: 1 });
    const before = count('feedback');
    for (let i = 60; i < 120; i++) frame(frameOf(i));
    expect(reporter.stats.rowsRefused).toBe(3);
    expect(count('row-refused')).toBe(1);
    expect(count('feedback')).toBeGreaterThan(before);
    expect(count('controller-fault')).toBe(0);
    expect(forwarded()).toBe(120);
    pipeline.destroy();
  });

  it.each([
    ['a receive time', { receiveTime: NaN }],
    ['an RTP timestamp', { rtpTimestamp: NaN }],
    ['a possible RTP timestamp', { rtpTimestamp: 2 ** 60 }],
  ])('goes on after a frame without %s', async (_, metadata) => {
    const { pipeline, frame, count, reporter } = await opened();
    for (let i = 0; i < 60; i++) frame(frameOf(i, i === 30 ? { metadata } : {}));
    // Without trailers, send times are computed from RTP timestamps. The invalid timestamp must not affect
    // later frames.
    for (let i = 60; i < 90; i++) {
      const plain = frameOf(i);
      plain.data = new ArrayBuffer(FRAME_BYTES);
      frame(plain);
    }
    const before = count('feedback');
    for (let i = 90; i < 180; i++) frame(frameOf(i));
    expect(reporter.stats.rowsRefused).toBe(0);
    expect(count('feedback')).toBeGreaterThan(before);
    pipeline.destroy();
  });
});

describe('the sending side', () => {
  const feedback: Feedback = {
    timeUs: 1e6,
    receivedRateBps: 500_000,
    packetsReceived: 100,
    packetsLost: 0,
    echoSendTimeUs: 9e5,
    echoDelayUs: 1000,
    values: [],
  };

  it('goes on after counters and messages that cannot be used', async () => {
    const { reporter, count, rows } = listener();
    const host = { reporter, requestKeyFrame: () => undefined, failed: () => undefined };
    const pipeline = await SenderPipeline.open(module, configOf('sender'), host);
    pipeline.sent({ sentBytes: 1000, rttUs: 50_000, browserEstimateBps: NaN });
    pipeline.receiverReport({ packetsSent: 1e300, packetsLost: 1 });
    for (const flow of [0, 1]) {
      pipeline.feedback(encodeFeedback({ ...feedback, packetsLost: 1e300 }, flow));
      pipeline.feedback(encodeFeedback({ ...feedback, echoDelayUs: -Infinity }, flow));
    }
    pipeline.tick();
    expect(reporter.stats.rowsRefused).toBe(1);
    expect(count('row-refused')).toBe(1);
    expect(count('target')).toBeGreaterThan(0);
    for (const flow of [0, 1]) expect(rows('rate', flow)).toBeGreaterThan(0);
    expect(count('controller-fault')).toBe(0);
    pipeline.destroy();
  });
});
