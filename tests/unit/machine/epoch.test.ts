import { afterEach, describe, expect, it, vi } from 'vitest';

import { timeZeroMs } from '../../../src/machine/index.js';

describe('the time at which performance.now() was 0', () => {
  afterEach(() => vi.useRealTimers());

  it('is that of the browser, to fractions of a millisecond', () => {
    expect(timeZeroMs()).toBe(performance.timeOrigin);
  });

  it('follows the system’s clock once the machine has slept', () => {
    const slept = 8 * 3_600_000;
    const now = Date.now() + slept;
    vi.useFakeTimers({ now, toFake: ['Date'] });
    expect(Math.abs(timeZeroMs() - (performance.timeOrigin + slept))).toBeLessThan(20);
  });
});
