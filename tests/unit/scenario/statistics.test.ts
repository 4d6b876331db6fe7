import { describe, expect, it } from 'vitest';

import { summarise } from '../../../src/scenario/index.js';

describe('statistics over runs', () => {
  it('gives the interval of the NIST/SEMATECH handbook, 1.3.5.2', () => {
    // The handbook's ZARR13.DAT has 195 values with this mean and standard deviation. This sample has as many
    // values, and the same mean and standard deviation.
    const [mean, sd] = [9.26146, 0.02278881];
    const sample = [mean, ...Array.from({ length: 194 }, (_, i) => (i % 2 === 0 ? mean - sd : mean + sd))];
    const summary = summarise(sample);
    expect(summary.n).toBe(195);
    expect(summary.mean).toBeCloseTo(mean, 9);
    expect(summary.sd).toBeCloseTo(sd, 9);
    expect(summary.ci95[0]).toBeCloseTo(9.258242, 5);
    expect(summary.ci95[1]).toBeCloseTo(9.264679, 5);
  });

  it.each([
    // Critical values of Student's t at 0.975, NIST/SEMATECH 1.3.6.7.2.
    [2, 12.706],
    [6, 2.571],
    [10, 2.262],
    [31, 2.042],
  ])('uses Student’s t for %d runs', (n, t) => {
    const { mean, sd, ci95 } = summarise(Array.from({ length: n }, (_, i) => i));
    expect(((ci95[1] - mean) * Math.sqrt(n)) / sd).toBeCloseTo(t, 3);
    expect(((mean - ci95[0]) * Math.sqrt(n)) / sd).toBeCloseTo(t, 3);
  });

  it('leaves out runs without a value, and says what it cannot know', () => {
    expect(summarise([1, NaN, 3])).toMatchObject({ mean: 2, n: 2 });
    expect(summarise([5])).toEqual({ mean: 5, sd: NaN, ci95: [NaN, NaN], n: 1 });
    expect(summarise([])).toEqual({ mean: NaN, sd: NaN, ci95: [NaN, NaN], n: 0 });
  });
});
