/** In charts over time, lines and strips are interrupted where there are no rows. */
import { expect, it } from 'vitest';

import { addPoint, gapS, type TimedPoint } from '../../src/charts/gaps.js';
import { decimate } from '../../src/trace/decimate.js';
import { gccStrip, runsOf, stateAt } from '../../src/charts/strip_chart.js';

it('a line breaks where rows are too far apart, and has no value there', () => {
  const points: TimedPoint[] = [];
  for (const x of [0, 1, 2, 10, 11]) addPoint(points, { x, y: x }, 3);
  expect(points.map(({ x, y }) => [x, y])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [2 + 1e-6, NaN],
    [10, 10],
    [11, 11],
  ]);
});

it('rows of a page in the background, and rows decimated to the width of a chart, belong together', () => {
  expect(gapS(30, 800, 1)).toBeGreaterThan(1.5);
  // Rows of an hour, ten each second, without a gap. Constant values keep one row in each bucket, noisy ones many.
  const time = Float64Array.from({ length: 36_000 }, (_, i) => i * 0.1);
  for (const columns of [1, 2, 5, 8])
    for (const noise of [0, 1]) {
      const values = Array.from({ length: columns }, (_, n) =>
        time.map((_at, i) => noise * Math.sin(i * i + n)),
      );
      const rows = Uint32Array.from(time.keys());
      const kept = [...decimate(time, values, rows, 1000, 3600)].map((row) => time[row] ?? NaN);
      const longest = Math.max(...kept.slice(1).map((at, i) => at - (kept[i] ?? NaN)));
      expect(longest).toBeLessThan(gapS(3600, 1000, columns));
      // Where the rows are furthest apart, a pause of four times that distance is a gap.
      if (noise === 0) expect(4 * longest).toBeGreaterThan(gapS(3600, 1000, columns));
    }
});

it('a strip ends with its last row, and begins again with the next', () => {
  const columns = {
    time_us: Float64Array.of(0, 1e6, 2e6, 20e6, 21e6),
    signal: Float64Array.of(0, 0, 2, 2, 2),
    state: Float64Array.of(1, 1, 1, 1, 1),
  };
  const runs = runsOf(gccStrip.rows, columns, 3);
  expect(runs.filter(({ row }) => row === 0)).toEqual([
    { row: 0, state: 0, fromS: 0, toS: 2 },
    { row: 0, state: 2, fromS: 2, toS: 2 },
    { row: 0, state: 2, fromS: 20, toS: 21 },
  ]);
  expect(runs.filter(({ row }) => row === 1)).toEqual([
    { row: 1, state: 1, fromS: 0, toS: 2 },
    { row: 1, state: 1, fromS: 20, toS: 21 },
  ]);
});

it('the cursor reads no state in a gap, and the newest one from then on', () => {
  const runs = [
    { row: 0, state: 0, fromS: 0, toS: 2 },
    { row: 0, state: 2, fromS: 2, toS: 3 },
    { row: 0, state: 1, fromS: 20, toS: 21 },
  ];
  expect([-1, 0, 2, 2.5, 3, 10, 20, 21, 30, Infinity].map((s) => stateAt(runs, 0, s, 3))).toEqual([
    ...[NaN, 0, 2, 2, 2, NaN, 1, 1, 1, 1],
  ]);
});

it('rows that come in batches leave no gap between them', () => {
  const runs = [
    { row: 0, state: 0, fromS: 0, toS: 2 },
    { row: 0, state: 2, fromS: 2.1, toS: 3 },
  ];
  expect(stateAt(runs, 0, 2.05, 3)).toBe(0);
});
