import { describe, expect, it } from 'vitest';

import { wilsonInterval } from '../../../src/scenario/statistics.js';

describe("Wilson's interval", () => {
  it('is what the formula gives', () => {
    // 8 of 10, z = 1.96: (0.8 + 0.19207 ± 1.96 * sqrt(0.016 + 0.009604)) / 1.38416 = 0.4902 and 0.9433.
    // The formula is method 3 in Newcombe 1998, which gives the example 81 of 263: 0.2553 to 0.3662.
    const [low, high] = wilsonInterval(8, 10);
    expect(low).toBeCloseTo(0.4902, 3);
    expect(high).toBeCloseTo(0.9433, 3);
    const [low263, high263] = wilsonInterval(81, 263);
    expect(low263).toBeCloseTo(0.2553, 4);
    expect(high263).toBeCloseTo(0.3662, 4);
  });

  it('stays within 0 and 1, and holds the ratio', () => {
    for (let trials = 1; trials <= 30; trials++)
      for (let successes = 0; successes <= trials; successes++) {
        const [low, high] = wilsonInterval(successes, trials);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(successes / trials + 1e-12);
        expect(high).toBeGreaterThanOrEqual(successes / trials - 1e-12);
      }
  });
});
