import { describe, expect, it } from 'vitest';

import { KernelDensity } from '../../../src/scenario/kernel_density.js';

/** Evenly spaced quantiles of a normal distribution: a sample of it without random noise. */
function* normals(count: number, mean: number, sd: number): Generator<number, void> {
  for (let i = 0; i < count; i++) yield mean + sd * quantile((i + 0.5) / count);
}

/** A quantile of the standard normal distribution, found by bisection of its distribution function. */
function quantile(p: number): number {
  let [low, high] = [-8, 8];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return low;
}

/** The standard normal distribution function: Abramowitz and Stegun 7.1.26, with an error of at most 1.5e-7. */
function normalCdf(z: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2);
  const tail =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - tail * Math.exp((-z * z) / 2);
  return z < 0 ? (1 - erf) / 2 : (1 + erf) / 2;
}

function density(bandwidth: number, ...samples: Iterable<number>[]): KernelDensity {
  const made = new KernelDensity(bandwidth);
  for (const sample of samples) for (const value of sample) made.add(value);
  return made;
}

describe('a density with normal kernels', () => {
  it('is that of the sample with the variance of the kernel added', () => {
    const { from, step, values } = density(0.6, normals(20_000, 3, 0.8)).between(-5, 11);
    const area = values.reduce((sum, value) => sum + value * step, 0);
    expect(area).toBeCloseTo(1, 4);
    for (const [i, value] of values.entries()) {
      const z = from + i * step - 3; // the total sd is 1: 0.6^2 + 0.8^2
      expect(Math.abs(value - Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI))).toBeLessThan(1e-3);
    }
  });

  it('tells quantiles to a tenth of the bandwidth', () => {
    const made = density(0.1, normals(10_000, 0, 1));
    expect(made.quantile(0.5)).toBeCloseTo(0, 1);
    expect(made.quantile(0.975)).toBeCloseTo(1.96, 1);
  });
});

describe('modes', () => {
  it('are none without a sample, and one of a single value', () => {
    expect(density(1).modes()).toEqual([]);
    expect(density(1, [7]).modes()).toEqual([7]);
    expect(density(1, [NaN, Infinity]).modes()).toEqual([]);
  });

  // The sum of two equal normal densities of standard deviation s (here sqrt(1 + 1)) has a single maximum if
  // their distance d is at most 2 s. A dip between two maxima separates two modes if it is a quarter deep: 2
  // exp(-(d / s)^2 / 8) = 3 / 4, that is, d = 2.8 s = 4.0.
  it.each([
    [2.6, 1],
    [3.6, 1],
    [4.4, 2],
    [8, 2],
  ])('of two normal distributions %d apart are %d', (apart, count) => {
    const made = density(1, normals(20_000, 0, 1), normals(20_000, apart, 1));
    expect(made.modes()).toHaveLength(count);
  });

  it('are where the maxima are', () => {
    const modes = density(1, normals(8000, 0, 1), normals(1500, -9, 1), normals(500, 14, 3)).modes();
    expect(modes).toHaveLength(3);
    for (const [i, at] of [-9, 0, 14].entries()) expect(modes[i]).toBeCloseTo(at, 0);
  });

  it('hold a hundredth of the sample', () => {
    const main = () => normals(10_000, 0, 1);
    expect(density(1, main(), normals(60, 20, 1)).modes()).toHaveLength(1);
    expect(density(1, main(), normals(200, 20, 1)).modes()).toHaveLength(2);
    // Two groups that are each too small for a mode do not form a mode together.
    expect(density(1, main(), normals(60, 20, 1), normals(60, 40, 1)).modes()).toHaveLength(1);
  });

  it('are not more with a larger bandwidth (Silverman 1981)', () => {
    const sample = [
      ...normals(3000, 0, 0.5),
      ...normals(800, 4, 0.7),
      ...normals(600, 9, 1),
      ...normals(300, 20, 2),
    ];
    const counts = [0.3, 0.6, 1, 1.5, 3, 6, 12].map((h) => density(h, sample).modes().length);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts[0]).toBe(4);
    expect(counts.at(-1)).toBe(1);
  });
});
