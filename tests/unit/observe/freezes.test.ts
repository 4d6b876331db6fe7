import { describe, expect, it } from 'vitest';

import { FreezeFinder } from '../../../src/calls/record/freezes.js';
import type { Freeze } from '../../../src/calls/record/record.js';
import { inbound, sample } from '../judge/synthetic.js';

const SSRC = 7;

interface Look {
  decoded: number;
  count?: number;
  totalS?: number;
  /** The number of frames that the far side's source has produced so far. Default: unknown. */
  source?: number;
  /** Whether the far side's source has ended. */
  isStopped?: boolean;
  /** The numbers of packets and of complete frames that have arrived so far. */
  packets?: number;
  frames?: number;
}

/** The freezes found in these samples. One sample is taken every half second, the first at 0.5 s. */
function freezesOf(looks: readonly Look[]): Freeze[] {
  const freezes: Freeze[] = [];
  const finder = new FreezeFinder(freezes);
  looks.forEach((look, i) => {
    const { decoded, count = 0, totalS = 0, source = NaN, isStopped = false } = look;
    const stats = inbound({
      ssrc: SSRC,
      framesDecoded: decoded,
      packetsReceived: look.packets ?? 0,
      framesReceived: look.frames ?? 0,
      freezeCount: count,
      totalFreezesDurationS: totalS,
    });
    const timeUs = (i + 1) * 500_000;
    finder.see(sample(timeUs / 1e6, { inbound: [stats] }), () => ({ frames: source, isStopped }));
  });
  return freezes.map(({ fromUs, toUs }) => ({ fromUs, toUs }));
}

describe('freezes of a received picture', () => {
  it('has none while pictures come', () => {
    expect(freezesOf([{ decoded: 10 }, { decoded: 25 }, { decoded: 40 }])).toEqual([]);
  });

  it("has the browser's length for one, and a place between two looks", () => {
    const [freeze, ...more] = freezesOf([{ decoded: 10 }, { decoded: 12, count: 1, totalS: 0.3 }]);
    expect(more).toEqual([]);
    expect((freeze?.toUs ?? 0) - (freeze?.fromUs ?? 0)).toBe(300_000);
    expect(freeze?.toUs).toBeGreaterThan(500_000);
    expect(freeze?.toUs).toBeLessThan(1_000_000);
  });

  it('shares what two of them took, one after the other', () => {
    const freezes = freezesOf([{ decoded: 10 }, { decoded: 12, count: 2, totalS: 0.4 }]);
    expect(freezes.map(({ fromUs, toUs }) => toUs - fromUs)).toEqual([200_000, 200_000]);
    expect(freezes[0]?.toUs).toBe(freezes[1]?.fromUs);
  });

  it('sees one that still lasts, if the source goes on, and believes the browser when it is over', () => {
    const stands = [30, 45, 60, 75, 90].map((source) => ({ decoded: 10, source }));
    expect(freezesOf(stands)).toEqual([{ fromUs: 500_000, toUs: 2_500_000 }]);
    const over = freezesOf([...stands, { decoded: 12, count: 1, totalS: 2.3, source: 105 }]);
    expect(over.map(({ fromUs, toUs }) => toUs - fromUs)).toEqual([2_300_000]);
  });

  it('sees one that goes on where the source was stopped', () => {
    const stopped = [10, 10, 10, 10, 10].map((decoded) => ({ decoded, isStopped: true }));
    expect(freezesOf(stopped)).toEqual([{ fromUs: 500_000, toUs: 2_500_000 }]);
  });

  it.each([
    ['the source gives nothing', 30],
    ['the source is not known', NaN],
  ])('takes a picture that stands for no freeze where %s', (_, source) => {
    expect(freezesOf([1, 2, 3, 4, 5].map(() => ({ decoded: 10, source })))).toEqual([]);
  });

  it('has one that goes on while packets come and no picture ever was, from the first packet on', () => {
    const before = [{ decoded: 0 }, { decoded: 0 }];
    const waiting = [10, 60, 110, 160].map((packets) => ({ decoded: 0, packets }));
    expect(freezesOf([...before, ...waiting])).toEqual([{ fromUs: 1_500_000, toUs: 3_000_000 }]);
    // The freeze ends when the first frame is shown.
    const shown = [
      { decoded: 5, packets: 200, frames: 5 },
      { decoded: 20, packets: 260, frames: 20 },
    ];
    expect(freezesOf([...before, ...waiting, ...shown])).toHaveLength(1);
    expect(freezesOf([...before, ...shown])).toEqual([]);
    // A stream that has not started is not frozen.
    expect(freezesOf(Array<Look>(8).fill({ decoded: 0 }))).toEqual([]);
  });

  it('has one where frames come and are not shown, though nothing is known of their source', () => {
    const shown = { decoded: 30, packets: 90, frames: 30 };
    const stuck = [60, 90, 120].map((frames) => ({ decoded: 30, packets: 3 * frames, frames }));
    expect(freezesOf([shown, ...stuck])).toEqual([{ fromUs: 500_000, toUs: 2_000_000 }]);
    // Packets that complete no frame are not a sign of a freeze, because they may be padding.
    const padded = [100, 110, 120].map((packets) => ({ decoded: 30, packets, frames: 30 }));
    expect(freezesOf([shown, ...padded])).toEqual([]);
  });
});
