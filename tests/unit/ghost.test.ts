/** Ghosts of running totals count from the left edge of the charts' window, wherever it is moved. */
import { expect, it } from 'vitest';

import { ghostLabel } from '../../src/charts/configuration.js';
import type { TimedPoint } from '../../src/charts/gaps.js';
import { countGhosts, ghostOf } from '../../src/charts/ghost.js';
import type { Series } from '../../src/charts/series.js';
import { lightTheme } from '../../src/charts/theme.js';

const series = ['drops', 'loss'].map((id): Series => ({
  id,
  label: id,
  description: id,
  table: 'queue',
  columns: [id],
  value: () => NaN,
  fromFirst: id === 'drops',
  format: String,
  colour: 'red',
  look: 'step',
}));
const TOTALS = [NaN, 2, 5, 5, 9];

it('of a series that counts, and of no other', () => {
  const ghosts = series.map((one) =>
    ghostOf(
      one,
      lightTheme,
      TOTALS.map((y, x) => ({ x, y })),
    ),
  );
  const own: { label: string; data: TimedPoint[] } = {
    label: 'drops',
    data: TOTALS.map((y, x) => ({ x, y })),
  };
  const valuesFrom = (fromS: number, label: string): number[] => {
    const datasets = [own, ...(ghosts as (typeof own)[])];
    countGhosts(datasets, series, fromS);
    return datasets.find((each) => each.label === label)?.data.map(({ y }) => y) ?? [];
  };
  expect(valuesFrom(2.5, ghostLabel('drops'))).toEqual([NaN, -3, 0, 0, 4]);
  expect(valuesFrom(1, ghostLabel('drops'))).toEqual([NaN, 0, 3, 3, 7]);
  expect(valuesFrom(10, ghostLabel('drops'))).toEqual([NaN, -7, -4, -4, 0]);
  // No row with a value is at or before this edge.
  expect(valuesFrom(0.5, ghostLabel('drops'))).toEqual([NaN, 0, 3, 3, 7]);
  expect(valuesFrom(10, ghostLabel('loss'))).toEqual(TOTALS);
  expect(valuesFrom(10, 'drops')).toEqual(TOTALS);
});
