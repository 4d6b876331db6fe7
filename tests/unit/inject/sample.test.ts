import { describe, expect, it } from 'vitest';

import { readSample } from '../../../src/inject/sample.js';

const SENDING = {
  maxBitrateBps: NaN,
  sectionBoundBps: NaN,
  trackState: 'live',
  trackPaused: '',
} as const;
const NOW_MS = 1_790_000_000_000;

/** What is read from a report of one sent stream, whose clock is ahead of the page's by `aheadMs`. */
function read(aheadMs: number, stream: object = {}) {
  const timestamp = NOW_MS + aheadMs;
  const stats = [
    { id: 'sent', type: 'outbound-rtp', ssrc: 1, kind: 'video', mid: '0', timestamp, ...stream },
    { id: 'heard', type: 'remote-inbound-rtp', localId: 'sent', timestamp: timestamp - 200 },
    { id: 'transport', type: 'transport', timestamp },
  ];
  const asked: unknown[][] = [];
  const { sample } = readSample(new Map(stats.map((each) => [each.id, each])), 0, NOW_MS, {
    sendingOf: (...which) => {
      asked.push(which);
      return SENDING;
    },
    relay: null,
  });
  return { sample, asked };
}

describe('the time of the far side’s report', () => {
  it.each([0, 8000, -8000, 3_600_000])(
    'is on the clock of the sample, with statistics %d ms ahead',
    (aheadMs) => {
      const { sample } = read(aheadMs);
      expect(sample.timeUs).toBe(NOW_MS * 1000);
      expect(sample.timeUs - (sample.outbound[0]?.reportTimeUs ?? NaN)).toBe(200e3);
    },
  );
});

it('asks for the limits of an encoding by its rid and its position', () => {
  expect(read(0, { rid: 'h', encodingIndex: 2 }).asked).toEqual([['0', 'h', 2]]);
  expect(read(0).asked).toEqual([['0', '', 0]]);
  expect(read(0, { encodingIndex: 2 }).sample.outbound[0]?.encodingIndex).toBe(2);
});
