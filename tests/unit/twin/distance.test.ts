/** The distance between a call and its twin (its simulation). The expected numbers are derived by hand. */
import { describe, expect, it } from 'vitest';

import { distanceOf } from '../../../src/twin/distance.js';

const window = { fromUs: 2e6, toUs: 5.9e6 };
const series = (values: readonly number[], everyUs = 1e6, fromUs = 2e6) => ({
  timeUs: values.map((_, row) => fromUs + row * everyUs),
  values,
});

describe('distance', () => {
  it('is 0 between a series and itself', () => {
    const own = series([100, 300, 200, 400]);
    expect(distanceOf(own, own, window)).toMatchObject({
      ...{ call: 250, twin: 250, offset: 0, apart: 0, relative: 0 },
    });
  });

  it('is the offset of two that differ by a constant', () => {
    const distance = distanceOf(series([100, 300, 200, 400]), series([150, 350, 250, 450]), window);
    expect(distance).toMatchObject({ offset: 50, apart: 50, relative: 0.2 });
  });

  it('does not let differences of opposite signs cancel, and finds the largest', () => {
    const distance = distanceOf(series([100, 100, 100, 100]), series([140, 60, 20, 180]), window);
    // The differences are +40, -40, -80 and +80.
    expect(distance).toMatchObject({
      offset: 0,
      apart: 60,
      relative: 0.6,
      most: { fromUs: 4e6, call: 100, twin: 20 },
    });
  });

  it('counts each value as long as it holds', () => {
    // A value of 1000 for a tenth of a second, then 0 for nine tenths, averages to 100.
    const spike = { timeUs: [2e6, 2.1e6], values: [1000, 0] };
    expect(distanceOf(spike, series([0]), { fromUs: 2e6, toUs: 2.9e6 })).toMatchObject({
      ...{ call: 100, twin: 0, apart: 100 },
    });
  });

  it('leaves out seconds in which either is unknown', () => {
    const late = series([10, 10], 1e6, 4e6);
    expect(distanceOf(series([0, 0, 4, 8]), late, window)).toMatchObject({ call: 6, twin: 10, offset: 4 });
    expect(distanceOf(series([1]), { timeUs: [], values: [] }, window)).toBeNull();
  });

  it('has no share of nothing', () => {
    expect(distanceOf(series([0]), series([5]), window)?.relative).toBeNull();
  });
});
