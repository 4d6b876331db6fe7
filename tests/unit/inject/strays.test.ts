import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { Window } from '../../../src/inject/endpoint.js';
import type { PageMessage } from '../../../src/inject/protocol.js';
import { Reporter } from '../../../src/inject/reporter.js';
import { Strays } from '../../../src/inject/strays.js';
import { FakeTrack, openFakePage, showing } from './media_elements.js';

afterEach(() => vi.unstubAllGlobals());
beforeEach(() => vi.stubGlobal('location', { href: 'https://call.test/' }));

interface Known {
  tracks: MediaStreamTrack[];
  timestamps: number[];
}

function begin() {
  const told: PageMessage[] = [];
  const reporter = new Reporter(performance.timeOrigin, ({ messages }) => void told.push(...messages));
  const window = { config: { originEpochMs: performance.timeOrigin }, reporter } as unknown as Window;
  const ids = { next: 0 };
  const strays = new Strays(window, () => ids.next++);
  return {
    strays,
    reporter,
    async look(known: Known[] = []): Promise<PageMessage[]> {
      told.length = 0;
      await strays.look(known);
      await reporter.send();
      return [...told];
    },
  };
}

const types = (messages: readonly PageMessage[]): string[] =>
  messages.map((message) => (message.type === 'state' ? message.state : message.type));

const asTrack = (track: FakeTrack): MediaStreamTrack => track as unknown as MediaStreamTrack;
const asReceiver = (track: FakeTrack): RTCRtpReceiver =>
  ({ track, getStats: () => Promise.resolve(new Map()) }) as unknown as RTCRtpReceiver;

/**
 * Waits until a stray track (a track of an unknown connection) is old enough to be reported. Before an age of
 * two seconds, its connection may still be found.
 */
const grownOld = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2100));

test('a track that no known connection receives is told of; a clone of it is not', async () => {
  const page = openFakePage();
  const { strays, look } = begin();
  page.videos.push(showing(new FakeTrack()), showing(new FakeTrack()));
  await look();
  expect(page.made).toHaveLength(2);
  for (const element of page.made) element.show({ receiveTime: 1, rtpTimestamp: 90_000 });
  await grownOld();
  expect(types(await look())).toEqual(['endpoint', 'connected', 'source', 'notice', 'sample']);
  expect([strays.has(0), strays.has(1)]).toEqual([true, false]);
  expect(page.made.map(({ isPlaying }) => isPlaying)).toEqual([true, false]);
  await look();
  expect(page.made).toHaveLength(2);
});

test('a clone of a track that a known connection receives is not told of', async () => {
  const page = openFakePage();
  const { look } = begin();
  const original = new FakeTrack();
  page.videos.push(showing(original), showing(new FakeTrack()));
  const known = { tracks: [asTrack(original)], timestamps: [2 ** 32 - 1000] };
  await look([known]);
  expect(page.made).toHaveLength(1);
  // The RTP timestamps of the stream have wrapped at 2^32, so they are small again.
  page.made[0]?.show({ receiveTime: 1, rtpTimestamp: 2000 });
  await grownOld();
  expect(await look([known])).toEqual([]);
  expect(page.made[0]?.isPlaying).toBe(false);
  await look([known]);
  expect(page.made).toHaveLength(1);
});

test('a clone that was told of ends when its connection is known', async () => {
  const page = openFakePage();
  const { look, strays } = begin();
  page.videos.push(showing(new FakeTrack()));
  await look();
  page.made[0]?.show({ receiveTime: 1, rtpTimestamp: 5e6 });
  await grownOld();
  expect(types(await look([{ tracks: [], timestamps: [9e8] }]))).toContain('connected');
  expect(types(await look([{ tracks: [], timestamps: [5e6 + 3000] }]))).toEqual(['closed']);
  expect(strays.has(0)).toBe(false);
});

test('a receiver that the page uses goes before an element that shows its clone', async () => {
  const page = openFakePage();
  const { look, strays } = begin();
  const [original, clone] = [new FakeTrack(), new FakeTrack()];
  page.videos.push(showing(clone));
  await look();
  strays.meet(asReceiver(original));
  await look();
  for (const element of page.made) element.show({ receiveTime: 1, rtpTimestamp: 5e6 });
  await look();
  expect(page.made.map(({ isPlaying }) => isPlaying)).toEqual([false, true]);
});

test('a local preview is given up after some frames', async () => {
  const page = openFakePage();
  const { look } = begin();
  page.videos.push(showing(new FakeTrack()));
  await look();
  for (let i = 0; i < 40; i++) page.made[0]?.show({});
  expect(await look()).toEqual([]);
  expect(page.made[0]?.isPlaying).toBe(false);
  await look();
  expect(page.made).toHaveLength(1);
});

test('where the browser tells of no frames, no element is made', async () => {
  const page = openFakePage({ showsFrames: false });
  const { look, strays } = begin();
  page.videos.push(showing(new FakeTrack()));
  strays.meet(asReceiver(new FakeTrack()));
  for (let i = 0; i < 3; i++) await look();
  expect(page.made).toEqual([]);
});

test('while paused nothing is played or collected, and known receivers come back', async () => {
  const page = openFakePage();
  const { look, strays, reporter } = begin();
  const [before, during] = [asReceiver(new FakeTrack()), asReceiver(new FakeTrack())];
  strays.meet(before);
  await look();
  expect(page.made).toHaveLength(1);
  reporter.pause();
  strays.pause();
  strays.meet(during);
  page.videos.push(showing(new FakeTrack()));
  await look();
  expect(page.made.map(({ isPlaying }) => isPlaying)).toEqual([false]);
  page.videos.length = 0;
  reporter.resume();
  strays.resume();
  await look();
  expect(page.made.map(({ isPlaying, srcObject }) => [isPlaying, srcObject?.getVideoTracks()])).toEqual([
    [false, undefined],
    [true, [before.track]],
  ]);
});
