import { expect, it } from 'vitest';

import type { Chart } from 'chart.js';

import { limits, withSpikes } from '../../src/charts/configuration.js';
import { rowsWhere, type Series } from '../../src/charts/series.js';

it('a spike stretches the axis to four times what the others need, and no further', () => {
  expect(withSpikes([-12, 12], [-12, 20])).toEqual({ min: -12, max: 20 });
  expect(withSpikes([-12, 12], [-900, 700])).toEqual({ min: -48, max: 48 });
});

it('what is spiky and small changes nothing', () => {
  expect(withSpikes([0, 15], [0, 10])).toEqual({ min: 0, max: 15 });
});

it('the axis fits the values in the window', () => {
  const series: Series = {
    ...{ id: 'rate', label: 'Rate', description: 'A rate', table: rowsWhere('rate', 'flow', 0), columns: [] },
    ...{ value: () => NaN, format: String, colour: 'blue', look: 'line' },
  };
  const data = [1, 2, 9, 3].map((y, x) => ({ x, y }));
  const chart = { data: { datasets: [{ data }] }, isDatasetVisible: () => true } as unknown as Chart;
  const within = (fromUs: number, toUs: number) => limits(chart, [series], 'left', [0, 1], { fromUs, toUs });
  expect(within(0, 1e6)).toEqual({ min: 0, max: 2 });
  expect(within(1e6, 3e6)).toEqual({ min: 0, max: 9 });
});
