/** The page's side of a media worker: how long a start may take, and what becomes of a worker that is used again. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { MediaWorker } from '../../../src/worker/media/media_client.js';
import type { MediaConfig } from '../../../src/worker/media/protocol.js';

const nothing = () => undefined;
const asked = vi.hoisted(() => ({
  start: (_: unknown): Promise<void> => Promise.resolve(),
  pings: 0,
}));
vi.mock('comlink', () => ({
  transfer: (value: unknown) => value,
  wrap: () => ({
    start: (config: unknown) => asked.start(config),
    ping: () => {
      asked.pings += 1;
      return new Promise(nothing);
    },
  }),
}));

const gcc = { flow: 0, name: 'gcc', controller: 'gcc', parameters: {} } as const;
const CONFIG: MediaConfig = { side: 'sender', originEpochMs: 0, controller: gcc, shadows: [] };
const own = (flow: number) => ({ flow, name: `mine ${flow}`, parameters: {}, url: `${flow}.js` });

const client = () => new MediaWorker({ addEventListener: nothing, terminate: nothing } as unknown as Worker);

beforeEach(() => {
  vi.useFakeTimers();
  asked.pings = 0;
});
afterEach(() => vi.useRealTimers());

it.each([
  { config: CONFIG, withinMs: 10_000 },
  { config: { ...CONFIG, shadows: [{ ...gcc, flow: 1 }] }, withinMs: 10_000 },
  { config: { ...CONFIG, shadows: [own(1), own(2)] }, withinMs: 20_000 },
  { config: { ...CONFIG, controller: own(0), shadows: [own(1), own(2)] }, withinMs: 25_000 },
])('a start may take $withinMs ms, since users’ controllers load one after the other', async (of) => {
  asked.start = () => new Promise(nothing);
  const worker = client();
  let outcome = 'waiting';
  worker.start(of.config, nothing, nothing).catch((error: unknown) => (outcome = String(error)));
  // The worker answers no ping here, so that its watch would end it.
  worker.terminate();
  await vi.advanceTimersByTimeAsync(of.withinMs - 1);
  expect(outcome).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toBe(`WorkerError: the core did not load within ${of.withinMs} ms`);
});

it('a worker that was started twice is left alone after its end', async () => {
  asked.start = () => Promise.resolve();
  const worker = client();
  await worker.start(CONFIG, nothing, nothing);
  await worker.start(CONFIG, nothing, nothing);
  worker.terminate();
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked.pings).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
