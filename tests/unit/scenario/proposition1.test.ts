import { describe, expect, it } from 'vitest';

import { exactDelayGradient, largestDelayGradient } from '../../../src/scenario/index.js';

describe('proposition 1 of ToN', () => {
  it.each([
    // sqrt(2 * 0.15 / 5) + 0.15 / 5 = sqrt(0.06) + 0.03
    [0.15, 5, 0.27494897],
    // sqrt(2 * 0.35 / 20) + 0.35 / 20 = sqrt(0.035) + 0.0175
    [0.35, 20, 0.20458287],
    // sqrt(1) + 0.5
    [2, 4, 1.5],
  ])('eq. 18 for a queue of %d s and tau %d s', (queue, tau, gradient) => {
    expect(largestDelayGradient(queue, tau)).toBeCloseTo(gradient, 8);
  });

  it.each([
    [0.05, 20],
    [0.7, 5],
    [5, 1],
  ])('eq. 23 without its expansion: the queue of %d s is full when the gradient is reached', (queue, tau) => {
    // The paper: q(t_M) / C = tau (exp(t_M / tau) - 1) - t_M, and m_M = exp(t_M / tau) - 1.
    const m = exactDelayGradient(queue, tau);
    expect(tau * m - tau * Math.log1p(m)).toBeCloseTo(queue, 9);
  });

  it('the expansion errs by at most 7 % where the experiment looks', () => {
    for (const queue of [0.05, 0.15, 0.35, 0.7]) {
      for (const tau of [5, 10, 20]) {
        const ratio = largestDelayGradient(queue, tau) / exactDelayGradient(queue, tau);
        expect(ratio).toBeGreaterThan(1);
        expect(ratio).toBeLessThan(1.07);
      }
    }
  });
});
