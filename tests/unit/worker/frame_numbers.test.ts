/**
 * A frame without a number gets a number that is computed from its RTP timestamp. These numbers must match the
 * order of sending.
 */
import { describe, expect, it } from 'vitest';

import { FrameNumbers } from '../../../src/worker/media/frame_numbers.js';

const FRAME_US = 1e6 / 30;

/**
 * The numbers that frames get if they arrive in this order. A frame's `place` is its position in the source's
 * regular rhythm.
 */
function numbered(places: readonly number[], jitterUs = (_place: number): number => 0): number[] {
  const numbers = new FrameNumbers();
  return places.map((place) => numbers.of(place * FRAME_US + jitterUs(place)));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('numbers of frames without a number', () => {
  it('count one by one', () => {
    expect(numbered(range(0, 100))).toEqual(range(0, 100));
  });

  it('skip those that are missing', () => {
    const places = [...range(0, 40), ...range(42, 60), ...range(65, 100)];
    expect(numbered(places)).toEqual(places);
  });

  it('are right for a camera whose pictures come some milliseconds early or late', () => {
    const places = [...range(0, 40), ...range(43, 100)];
    expect(numbered(places, (place) => 5000 * Math.sin(place * 2.4))).toEqual(places);
  });

  it('give a frame that was overtaken the place that it was sent in', () => {
    const places = [...range(0, 40), 41, 42, 43, 40, ...range(44, 60)];
    expect(numbered(places)).toEqual(places);
    // Two frames were overtaken, and the later of the two arrives first.
    const two = [...range(0, 40), 42, 41, 40, 43];
    expect(numbered(two)).toEqual(two);
  });

  it('count one by one where the source itself leaves frames out, until frames are overtaken again', () => {
    // For a minute, the source skips every tenth frame. A skipped frame never arrives, not even late.
    const places = range(0, 1800).filter((place) => place % 10 !== 9);
    const numbers = numbered(places);
    expect(numbers.slice(-1000).map((number, i, all) => number - (all[i - 1] ?? number - 1))).toEqual(
      range(0, 1000).map(() => 1),
    );
    const lossy = range(1800, 2000).flatMap((place) => (place % 10 === 0 ? [place + 1, place] : [place]));
    const inOrder = lossy.filter((place, i) => lossy.indexOf(place) === i);
    const after = numbered([...places, ...inOrder, ...range(2000, 2020), 2021]);
    expect((after.at(-1) ?? NaN) - (after.at(-2) ?? NaN)).toBe(2);
  });

  it('do not count a pause as lost frames', () => {
    expect(numbered([...range(0, 40), ...range(500, 520)])).toEqual(range(0, 60));
  });

  it('count one by one where the source keeps no rhythm, where gaps say nothing, and without timestamps', () => {
    const shared = range(0, 60).map((i) => i * i);
    expect(numbered(shared)).toEqual(range(0, 60));
    const numbers = new FrameNumbers();
    expect([...range(0, 40), 50, 60].map((place) => numbers.of(place * FRAME_US, true))).toEqual(
      range(0, 42),
    );
    expect([NaN, NaN].map((rtpUs) => numbers.of(rtpUs))).toEqual([42, 43]);
  });

  it('count one by one again soon after a source has slowed down', () => {
    const slow = range(0, 60).map((i) => 60 + 2 * i);
    const numbers = numbered([...range(0, 60), ...slow]);
    // Before the slower rhythm is recognised, every second frame seems to be missing. Afterwards, numbers are
    // consecutive again.
    const last = numbers.slice(-20);
    expect(last).toEqual(last.map((_, i) => (last[0] ?? NaN) + i));
  });

  it('go on from the number that a sender gave', () => {
    const numbers = new FrameNumbers();
    numbers.of(0);
    numbers.told(1000);
    expect(numbers.of(FRAME_US)).toBe(1001);
  });
});
