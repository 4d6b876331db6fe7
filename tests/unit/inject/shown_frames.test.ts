import { afterEach, expect, test, vi } from 'vitest';

import { NUMBERS_PER_FRAME } from '../../../src/inject/protocol.js';
import { ShownFrames } from '../../../src/inject/shown_frames.js';
import { FakeTrack, openFakePage, type FakePage, type FakeVideo } from './media_elements.js';

afterEach(() => vi.unstubAllGlobals());

const SSRC = 7;

/**
 * Creates a `ShownFrames` for a track, with times that begin at 0. `element` is the video element that shows
 * the track.
 */
function watched(): { page: FakePage; track: FakeTrack; shown: ShownFrames; element: FakeVideo } {
  const page = openFakePage();
  const track = new FakeTrack();
  const shown = new ShownFrames(track as unknown as MediaStreamTrack, performance.timeOrigin);
  shown.resume();
  const [element] = page.made;
  if (element === undefined) throw new Error('no element was made');
  return { page, track, shown, element };
}

/**
 * Samples a stream of 250 kB/s twice a second. Frames are shown only while `isShown` returns true. Returns, for
 * the time of each sample in ms, the sizes of the frames since the previous sample.
 */
function sizesOf(fps: number, isShown: (ms: number) => boolean, endMs = 10_000): Map<number, number[]> {
  const { shown, element } = watched();
  const sizes = new Map<number, number[]>();
  for (let ms = 0; ms <= endMs; ms += 10) {
    if (ms % (1000 / fps) < 10 && isShown(ms)) element.show({ receiveTime: ms, rtpTimestamp: ms * 90 });
    if (ms % 500 !== 0) continue;
    const rows = shown.take(SSRC, 250 * ms, ms * 1000);
    sizes.set(
      ms,
      rows.filter((_, i) => i % NUMBERS_PER_FRAME === 3),
    );
  }
  return sizes;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

test('frames share the bytes of the time from one look to the next', () => {
  const sizes = sizesOf(25, () => true);
  sizes.delete(0);
  for (const each of sizes.values()) expect(sum(each)).toBeCloseTo(125e3);
});

test('a stream with fewer frames than looks has all its bytes', () => {
  const sizes = sizesOf(1, () => true);
  sizes.delete(0);
  expect(sum([...sizes.values()].flat())).toBeCloseTo(250 * 10_000);
});

test('what came while nothing was shown belongs to nobody', () => {
  const sizes = sizesOf(25, (ms) => ms < 2000 || ms > 7600);
  expect(sum([...sizes].flatMap(([ms, each]) => (ms > 2000 && ms < 8000 ? each : [])))).toBe(0);
  // Bytes that arrived while nothing was shown are not counted. At the first sample after this time, only the
  // bytes of the last half second are divided among the frames.
  expect(sum(sizes.get(8000) ?? [])).toBeCloseTo(125e3);
  expect(sum(sizes.get(8500) ?? [])).toBeCloseTo(125e3);
});

test('a page that is hidden for an hour keeps little, and goes on with the right rate', () => {
  const sizes = sizesOf(25, (ms) => ms < 2000 || ms > 3_600_000, 3_602_000);
  expect(sum(sizes.get(3_600_500) ?? [])).toBeCloseTo(125e3);
});

test('a short pause loses no bytes', () => {
  const sizes = sizesOf(25, (ms) => ms < 2000 || ms > 3200);
  expect(sum([...sizes.values()].flat())).toBeCloseTo(250 * 10_000);
});

test('the first look at another stream, or at one whose counters restarted, says nothing', () => {
  const { shown, element } = watched();
  const show = (ms: number): void => element.show({ receiveTime: ms, rtpTimestamp: ms * 90 });
  shown.take(SSRC, 1000, 0);
  show(100);
  expect(shown.take(SSRC, 3000, 500e3)[3]).toBe(2000);
  show(600);
  expect(shown.take(SSRC + 1, 9000, 1000e3)).toEqual([]);
  show(1100);
  expect(shown.take(SSRC + 1, 9500, 1500e3)[3]).toBe(500);
  show(1600);
  expect(shown.take(SSRC + 1, 100, 2000e3)).toEqual([]);
  show(2100);
  expect(shown.take(SSRC + 1, NaN, 2500e3)).toEqual([]);
});

test('a track whose frames have no RTP timestamps is no received one, unless it is disabled', () => {
  const { shown, element, track } = watched();
  track.enabled = false;
  for (let i = 0; i < 100; i++) element.show({});
  expect(shown.isForeign).toBe(false);
  track.enabled = true;
  for (let i = 0; i < 100; i++) element.show({});
  expect(shown.isForeign).toBe(true);
});

test('nothing is played where the browser tells of no frames', () => {
  const page = openFakePage();
  const shown = new ShownFrames(new FakeTrack() as unknown as MediaStreamTrack, 0);
  const [element] = page.made;
  Object.assign(element ?? {}, { requestVideoFrameCallback: undefined });
  expect(() => shown.resume()).toThrow();
  expect(element?.isPlaying).toBe(false);
});
