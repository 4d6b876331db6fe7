/** Statistics of a controller's target rates over a run, computed from its rows. */
import { expect, test } from 'vitest';

import { targetReport } from '../../src/calls/targets.js';

const steps = [
  { atUs: 0, capacityBps: 1_000_000 },
  { atUs: 8e6, capacityBps: 500_000 },
];
const run = { fromUs: 0, toUs: 9e6 };

test('targets count as long as they hold, and only in the last two thirds', () => {
  // The target is 100 kbps until 3 s, 800 kbps until 7 s, and 400 kbps until the end at 9 s. Only the last two
  // thirds of the run count, i.e. the time from 3 s on.
  const rows = { timeUs: [0, 3e6, 7e6], targetBps: [100_000, 800_000, 400_000] };
  const { target_mean_bps, target_of_capacity, target_final_bps } = targetReport(rows, steps, run);
  // 61 ticks of 100 ms: 40 at 800 kbps and 21 at 400 kbps.
  expect(target_mean_bps).toBeCloseTo((40 * 800_000 + 21 * 400_000) / 61, 6);
  // The target divided by the capacity: 0.8 for 40 ticks, 0.4 for 10 ticks (until the capacity falls at 8 s),
  // and 0.8 for 11 ticks.
  expect(target_of_capacity).toEqual({ p5: 0.4, p50: 0.8, p95: 0.8 });
  expect(target_final_bps).toBe(400_000);
});

test('many rows at a time count no more than one', () => {
  const timeUs = [0, ...Array.from({ length: 1000 }, (_, i) => 8.95e6 + i)];
  const targetBps = [600_000, ...Array.from({ length: 1000 }, () => 0)];
  const { target_mean_bps } = targetReport({ timeUs, targetBps }, steps, run);
  expect(target_mean_bps).toBeCloseTo((60 * 600_000) / 61, 6);
});

test('without rows nothing is known', () => {
  expect(targetReport({ timeUs: [], targetBps: [] }, steps, run)).toEqual({
    target_mean_bps: null,
    target_of_capacity: { p5: null, p50: null, p95: null },
    target_final_bps: null,
  });
});
