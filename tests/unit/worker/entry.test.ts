/** The media worker itself: what ends control ends it, even if the core has not loaded yet. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { TABLE_SPECS } from '../../../src/core/index.js';
import type { EncodedFrame, TransformEvent } from '../../../src/worker/media/encoded.js';
import type { MediaConfig, MediaWorkerApi, WorkerEvent } from '../../../src/worker/media/protocol.js';
import { hasTrailer } from '../../../src/worker/media/trailer.js';

const exposed = vi.hoisted(() => ({ api: null as MediaWorkerApi | null }));
vi.mock('comlink', () => ({
  expose: (api: MediaWorkerApi) => {
    exposed.api = api;
  },
}));

const CONFIG: MediaConfig = {
  side: 'sender',
  originEpochMs: performance.timeOrigin,
  controller: { flow: 0, name: 'gcc', controller: 'gcc', parameters: {} },
  shadows: [],
  wasmUrl: new URL('../../../src/core/ccscope.wasm', import.meta.url).href,
};

async function worker() {
  let attach: (event: TransformEvent) => void = () => undefined;
  vi.stubGlobal('addEventListener', (_: string, listener: typeof attach) => {
    attach = listener;
  });
  vi.resetModules();
  await import('../../../src/worker/media/entry.js');
  const api = exposed.api as MediaWorkerApi;
  const before = new TransformStream<EncodedFrame, EncodedFrame>();
  const after = new TransformStream<EncodedFrame, EncodedFrame>();
  const transformer = {
    ...{ readable: before.readable, writable: after.writable },
    options: { side: 'sender', late: false },
  };
  attach({ transformer } as unknown as TransformEvent);
  const [into, out] = [before.writable.getWriter(), after.readable.getReader()];
  const events: WorkerEvent[] = [];
  const port = { postMessage: (event: WorkerEvent) => events.push(event) } as unknown as MessagePort;
  /** Whether the worker adds a trailer to a frame, i.e. whether it controls the call. */
  const isControlled = async (): Promise<boolean> => {
    void into.write({ data: new ArrayBuffer(1000), type: 'delta', timestamp: 0 } as EncodedFrame);
    const { value } = await out.read();
    return value !== undefined && hasTrailer(value.data);
  };
  return { api, port, events, isControlled };
}

// The worker's ticks come only when a test advances the time.
beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the media worker', () => {
  it('controls the call when the core has loaded, until it is told to stop', async () => {
    const { api, port, isControlled } = await worker();
    await api.start(CONFIG, port);
    expect(await isControlled()).toBe(true);
    api.passThrough();
    expect(await isControlled()).toBe(false);
  });

  it('does not begin to control a call that it was told to leave alone while the core loaded', async () => {
    const { api, port, events, isControlled } = await worker();
    const started = api.start(CONFIG, port);
    api.passThrough();
    await started;
    expect(await isControlled()).toBe(false);
    vi.advanceTimersByTime(300);
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['tick']));
  });
});

describe('the browser’s counters, whose times are on the clock of the page', () => {
  const column = TABLE_SPECS.find(({ name }) => name === 'inbound')?.columns.findIndex(
    ({ name }) => name === 'time_us',
  );

  /** The recorded time of counters that the page reads now, on the page's clock and as recorded. */
  async function recorded(pageBehindMs: number, delayMs = 0) {
    const { api, port, events } = await worker();
    const pageMs = () => performance.timeOrigin + performance.now() - pageBehindMs;
    await api.start({ ...CONFIG, side: 'receiver' }, port);
    const timeUs = Math.round((pageMs() - CONFIG.originEpochMs - delayMs) * 1000);
    api.inbound({ timeUs, packetsReceived: 1, packetsLost: 0, bytesReceived: 1200 });
    api.passThrough();
    const batches = events.flatMap((event) => (event.kind === 'batches' ? event.batches : []));
    const taken = batches.find(({ table }) => table === 'inbound')?.columns[column ?? -1]?.[0];
    return { timeUs, taken };
  }

  it.each([3_600_000, -3_600_000, 600, -100])('are on the worker’s clock: %d ms', async (pageBehindMs) => {
    const { timeUs, taken = NaN } = await recorded(pageBehindMs);
    // A message takes a while, and the machine may be busy.
    const errorMs = Math.abs((taken - timeUs) / 1000 - pageBehindMs);
    expect(errorMs).toBeLessThan(100);
  });

  it('stay as they are if the clocks agree', async () => {
    const { timeUs, taken } = await recorded(0);
    expect(taken).toBe(timeUs);
  });

  it('stay as they are if the clocks agree, and a busy machine delays the message', async () => {
    const { timeUs, taken } = await recorded(0, 200);
    expect(taken).toBe(timeUs);
  });
});
