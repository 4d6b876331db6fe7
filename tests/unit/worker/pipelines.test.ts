/**
 * The two sides of a call, whose input comes from outside: of invalid input, only the invalid row itself is lost, and
 * missing feedback does not keep the rate where it is.
 */
import { readFileSync } from 'node:fs';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { encodeFeedback, TABLE_SPECS, type Feedback, type TraceBatch } from '../../../src/core/index.js';
import type { EncodedFrame, EncodedFrameMetadata } from '../../../src/worker/media/encoded.js';
import type { MediaConfig, WorkerEvent } from '../../../src/worker/media/protocol.js';
import { ReceiverPipeline } from '../../../src/worker/media/receiver_pipeline.js';
import { Reporter } from '../../../src/worker/media/reporter.js';
import { SenderPipeline } from '../../../src/worker/media/sender_pipeline.js';
import type { SlotConfig } from '../../../src/worker/slot.js';
import { appendTrailer } from '../../../src/worker/media/trailer.js';

const module = await WebAssembly.compile(
  readFileSync(new URL('../../../src/core/ccscope.wasm', import.meta.url)),
);
const FRAME_MS = 1000 / 30;
const FRAME_BYTES = 4000;
const TARGET =
  TABLE_SPECS.find(({ name }) => name === 'rate')?.columns.findIndex(({ name }) => name === 'target_bps') ??
  -1;

function configOf(
  side: MediaConfig['side'],
  choice: Pick<SlotConfig, 'controller' | 'preset'> = { controller: 'gcc', preset: 'gcc-live' },
): MediaConfig {
  const slot = { ...choice, parameters: {} };
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
  const rows = (table: string, flow: number): TraceBatch[] =>
    events.flatMap((event) =>
      event.kind === 'batches'
        ? event.batches.filter((batch) => batch.table === table && batch.columns[0]?.[0] === flow)
        : [],
    );
  const count = (kind: WorkerEvent['kind']): number => events.filter((event) => event.kind === kind).length;
  return { reporter: new Reporter(port), events, rows, count };
}

/** Frame `i` of a video, with the given parts invalid. */
function frameOf(i: number, wrong: { sendTimeUs?: number; metadata?: Partial<EncodedFrameMetadata> } = {}) {
  const atMs = i * FRAME_MS;
  const sendTimeUs = wrong.sendTimeUs ?? Math.round(atMs * 1000);
  const data = appendTrailer(new ArrayBuffer(FRAME_BYTES), { sendTimeUs, frameSeq: i, rttUs: 50_000 });
  const metadata = { rtpTimestamp: Math.round(atMs * 90), receiveTime: atMs + 25, ...wrong.metadata };
  return { data, type: 'delta', timestamp: 0, getMetadata: () => metadata } as unknown as EncodedFrame;
}

afterEach(() => vi.restoreAllMocks());

describe('the receiving side', () => {
  // A frame without a receive time gets the current time, so the fake clock has to advance with the frames.
  let nowMs = 0;

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
      for (const flow of [0, 1]) expect(rows('group', flow)).not.toEqual([]);
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
    for (const flow of [0, 1]) expect(rows('rate', flow)).not.toEqual([]);
    expect(count('controller-fault')).toBe(0);
    pipeline.destroy();
  });

  it('lowers the rate of NADA by the losses in receiver reports, until there is feedback', async () => {
    const nada = { controller: 'nada', preset: 'nada-live' } as const;
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { reporter, events, rows } = listener();
    const host = { reporter, requestKeyFrame: () => undefined, failed: () => undefined };
    const pipeline = await SenderPipeline.open(module, configOf('sender', nada), host);
    const target = (): number => {
      pipeline.tick();
      const told = events.filter((event) => event.kind === 'target').at(-1);
      return told?.targetBps ?? NaN;
    };
    const first = target();
    const lowered: number[] = [];
    for (let seconds = 1; seconds <= 4; seconds++) {
      nowMs = seconds * 1000;
      pipeline.receiverReport({ packetsSent: 100 * seconds, packetsLost: 50 * seconds });
      lowered.push(target() / first);
    }
    expect(lowered.map((share) => share.toFixed(3))).toEqual(['1.000', '0.750', '0.563', '0.422']);
    // The recorded rows show the rates that were applied, those of the shadow as well.
    for (const flow of [0, 1]) {
      const recorded = rows('rate', flow).flatMap(({ columns }) => [...(columns[TARGET] ?? [])]);
      expect(recorded.map((bps) => bps / first)).toEqual([1, ...lowered]);
    }
    const far = listener();
    const receiver = await ReceiverPipeline.open(module, configOf('receiver', nada), far.reporter);
    for (let i = 0; i < 30; i++) receiver.frame(frameOf(i), () => undefined);
    const answer = far.events.find((event) => event.kind === 'feedback');
    pipeline.feedback(answer?.bytes ?? new ArrayBuffer(0));
    expect(target()).toBeGreaterThanOrEqual(first);
    for (const one of [pipeline, receiver]) one.destroy();
  });
});
