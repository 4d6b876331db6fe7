import { expect, test } from 'vitest';

import { rebased } from '../../../src/inject/rebase.js';
import type { PageBatch } from '../../../src/inject/protocol.js';

const LATER_US = 5e6;

test('times move, and nothing else does', () => {
  const sample = { timeUs: 10, rttS: 0.05, outbound: [{ ssrc: 7, reportTimeUs: 9 }], inbound: [] };
  const batch = {
    window: 'w',
    url: 'https://example.org/',
    timeUs: 12,
    messages: [
      { type: 'endpoint', endpoint: 0, timeUs: 1 },
      { type: 'state', endpoint: 0, timeUs: 2, state: 'connected' },
      { type: 'sample', endpoint: 0, sample },
      {
        type: 'frames',
        endpoint: 0,
        rows: [...[7, 90_000, 3, 1200, 1, 0, 2], ...[7, 93_000, 4, 900, 0, 0, 1]],
      },
      { type: 'late', timeUs: 5, lateMs: 1 },
    ],
  } as unknown as PageBatch;
  const before = JSON.stringify(batch);
  expect(rebased(batch, LATER_US)).toEqual({
    ...batch,
    timeUs: 12 + LATER_US,
    messages: [
      { type: 'endpoint', endpoint: 0, timeUs: 1 + LATER_US },
      { type: 'state', endpoint: 0, timeUs: 2 + LATER_US, state: 'connected' },
      {
        type: 'sample',
        endpoint: 0,
        sample: { ...sample, timeUs: 10 + LATER_US, outbound: [{ ssrc: 7, reportTimeUs: 9 + LATER_US }] },
      },
      {
        type: 'frames',
        endpoint: 0,
        rows: [...[7, 90_000, 3 + LATER_US, 1200, 1, 0, 2], ...[7, 93_000, 4 + LATER_US, 900, 0, 0, 1]],
      },
      { type: 'late', timeUs: 5 + LATER_US, lateMs: 1 },
    ],
  });
  expect(JSON.stringify(batch)).toBe(before);
});
