import { describe, expect, it } from 'vitest';

import { FreezeFinder } from '../../../src/node/observe/freezes.js';
import type { Freeze } from '../../../src/node/observe/record.js';
import { inbound, sample } from '../judge/synthetic.js';

const SSRC = 7;

interface Look {
  decoded: number;
  count?: number;
  totalS?: number;
  /** Frames that the source of the far side has given. */
  source?: number;
  /** Whether that has ended. */
  isStopped?: boolean;
}

/** The freezes after looks each half second, the first at 0.5 s. */
function freezesOf(looks: readonly Look[]): Freeze[] {
  const freezes: Freeze[] = [];
  const finder = new FreezeFinder(freezes);
  looks.forEach(({ decoded, count = 0, totalS = 0, source = NaN, isStopped = false }, i) => {
    const stats = inbound({
      ssrc: SSRC,
      framesDecoded: decoded,
      freezeCount: count,
      totalFreezesDurationS: totalS,
    });
    const timeUs = (i + 1) * 500_000;
    finder.see(sample(timeUs / 1e6, { inbound: [stats] }), () => ({ frames: source, isStopped }));
  });
  return freezes;
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
});
