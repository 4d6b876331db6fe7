import { describe, expect, it } from 'vitest';

import { FreezeFinder } from '../../../src/node/observe/freezes.js';
import type { Freeze, InboundStats } from '../../../src/node/observe/record.js';

const SSRC = 7;

interface Look {
  decoded: number;
  count?: number;
  totalS?: number;
  /** Frames that the source of the far side has given. */
  source?: number;
}

/** The freezes after looks each half second, the first at 0.5 s. */
function freezesOf(looks: readonly Look[]): Freeze[] {
  const freezes: Freeze[] = [];
  const finder = new FreezeFinder(freezes);
  looks.forEach(({ decoded, count = 0, totalS = 0, source = NaN }, i) => {
    const stats: InboundStats = {
      ssrc: SSRC,
      kind: 'video',
      bytesReceived: 0,
      headerBytesReceived: 0,
      packetsReceived: 0,
      packetsLost: 0,
      framesDecoded: decoded,
      framesPerSecond: 30,
      freezeCount: count,
      totalFreezesDurationS: totalS,
      jitterBufferDelayS: 0,
      jitterBufferEmittedCount: 0,
    };
    const timeUs = (i + 1) * 500_000;
    const sample = { timeUs, outbound: [], inbound: [stats], availableOutgoingBps: NaN, rttS: NaN };
    finder.see({ ...sample, bytesSent: NaN, bytesReceived: NaN }, () => source);
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

  it.each([
    ['the source gives nothing', 30],
    ['the source is not known', NaN],
  ])('takes a picture that stands for no freeze where %s', (_, source) => {
    expect(freezesOf([1, 2, 3, 4, 5].map(() => ({ decoded: 10, source })))).toEqual([]);
  });
});
