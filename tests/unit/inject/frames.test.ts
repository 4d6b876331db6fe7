/** What the page gets of a worker that answers late, and of one that it asks to resume without a pause. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { FrameWorkerAnswer, FrameWorkerRequest } from '../../../src/inject/frame_protocol.js';

const posted: FrameWorkerRequest[] = [];
class FakeWorker extends EventTarget {
  static latest: FakeWorker;
  constructor() {
    super();
    FakeWorker.latest = this;
  }
  postMessage(request: FrameWorkerRequest): void {
    posted.push(request);
  }
}

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('RTCRtpScriptTransform', class extends Object {});
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:');
  posted.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The worker answers the request with this number, and reports these frames of endpoint 0. */
function answer(request: number, frames: readonly number[] = []): void {
  const rows: FrameWorkerAnswer['rows'] = frames.length > 0 ? [[0, [...frames]]] : [];
  const data: FrameWorkerAnswer = { id: posted[request]?.id ?? NaN, rows, late: [] };
  FakeWorker.latest.dispatchEvent(Object.assign(new Event('message'), { data }));
}

async function begin() {
  const { FrameWorker } = await import('../../../src/inject/frames.js');
  const worker = new FrameWorker('', () => undefined);
  answer(0);
  worker.transform({ endpoint: 0, originEpochMs: 0 });
  return worker;
}

it('the frames of an answer that comes late come with the next one', async () => {
  const worker = await begin();
  const first = worker.take();
  await vi.advanceTimersByTimeAsync(1200);
  expect(await first).toEqual({ rows: [], late: [] });
  answer(1, [1, 2, 3]);
  const second = worker.take();
  answer(2, [4]);
  expect((await second).rows).toEqual([
    [0, [1, 2, 3]],
    [0, [4]],
  ]);
  const third = worker.take();
  answer(3);
  expect((await third).rows).toEqual([]);
});

it('those of a late answer do not come after a pause', async () => {
  const worker = await begin();
  void worker.take();
  await vi.advanceTimersByTimeAsync(1200);
  worker.pause();
  answer(1, [1]);
  answer(2, [2]);
  worker.resume();
  answer(3);
  const next = worker.take();
  answer(4, [3]);
  expect((await next).rows).toEqual([[0, [3]]]);
});

it('to resume without a pause asks for nothing, so no frames are lost with the answer', async () => {
  const worker = await begin();
  worker.resume();
  expect(posted).toHaveLength(1);
  worker.pause();
  worker.resume();
  expect(posted.slice(1).map(({ notes }) => notes)).toEqual([false, true]);
});
