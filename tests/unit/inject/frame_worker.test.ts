/**
 * The times of the frame worker's reports. The clocks of the page and of its worker may disagree by hours after the
 * machine has slept. (tests/kit and tests/inject test the worker in browsers.)
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { FrameWorkerAnswer, LateTick } from '../../../src/inject/frame_protocol.js';

const PAGE_MS = 1_790_000_000_000;
const HOURS_MS = 2 * 3600e3;

const clock = { timeOrigin: 0, nowMs: 0, now: (): number => clock.nowMs };
let listeners = new Map<string, (event: object) => void>();
let answers: FrameWorkerAnswer[] = [];
let tick = (): void => undefined;

beforeEach(() => {
  vi.resetModules();
  listeners = new Map();
  answers = [];
  clock.nowMs = 1000;
  vi.stubGlobal('performance', clock);
  vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void) =>
    listeners.set(type, listener),
  );
  vi.stubGlobal('postMessage', (answer: FrameWorkerAnswer) => answers.push(answer));
  vi.stubGlobal('setInterval', (each: () => void) => (tick = each));
});
afterEach(() => void vi.unstubAllGlobals());

/** The worker's answer to a request that the page made `delayMs` ago, at `pageMs` on the page's clock. */
function ask(pageMs: number, delayMs: number): FrameWorkerAnswer | undefined {
  listeners.get('message')?.({ data: { id: answers.length, epochMs: pageMs - delayMs } });
  return answers.at(-1);
}

/** Passes one frame through the worker. */
async function pass(): Promise<void> {
  const frame = { type: 'key', timestamp: 1, data: new ArrayBuffer(1200), getMetadata: () => ({}) };
  const readable = new ReadableStream({
    start: (controller) => {
      controller.enqueue(frame);
      controller.close();
    },
  });
  const passed = new Promise((resolve) => {
    const options = { endpoint: 0, originEpochMs: PAGE_MS };
    const writable = new WritableStream({ write: resolve });
    listeners.get('rtctransform')?.({ transformer: { readable, writable, options } });
  });
  await passed;
}

it.each([
  ['agrees with the page', 0],
  ['is hours ahead of the page', HOURS_MS],
  ['is hours behind the page', -HOURS_MS],
])('a worker whose clock %s reports times on the clock of the page', async (_, aheadMs) => {
  clock.timeOrigin = PAGE_MS + aheadMs;
  await import('../../../src/inject/frame_worker.js');
  // The first request waits for three seconds until the worker has started; the second one arrives at once.
  ask(PAGE_MS + 1000, 3000);
  ask(PAGE_MS + 1000, 0);
  await pass();
  for (let each = 0; each <= 5; each++, clock.nowMs += 200) tick();
  const { rows, late } = ask(PAGE_MS + clock.nowMs, 0) ?? {};
  expect(rows).toMatchObject([[0, [0, 1, 1_000_000, 1200, 1, -1, -1]]]);
  expect(late?.map(([epochMs]) => epochMs)).toEqual([PAGE_MS + 2000]);
});

it('a pause of the reports is no lateness', async () => {
  clock.timeOrigin = PAGE_MS;
  await import('../../../src/inject/frame_worker.js');
  await pass();
  const ticks = (count: number): void => {
    for (let each = 0; each < count; each++, clock.nowMs += 200) tick();
  };
  const tell = (notes: boolean): LateTick[] => {
    listeners.get('message')?.({ data: { id: 1, epochMs: PAGE_MS + clock.nowMs, notes } });
    return [...(answers.at(-1)?.late ?? [])];
  };
  ticks(20);
  tell(false);
  ticks(30);
  tell(true);
  ticks(20);
  const late = tell(true);
  expect(late.length).toBeGreaterThan(0);
  for (const [, lateMs] of late) expect(lateMs).toBeLessThan(1);
});
