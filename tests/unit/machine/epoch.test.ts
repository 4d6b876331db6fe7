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
    const zeroMs = timeZeroMs();
    expect(Math.abs(zeroMs - (performance.timeOrigin + slept))).toBeLessThan(20);
    // A millisecond later, the system's clock has moved by a whole one, but all readers get the same value.
    vi.setSystemTime(Date.now() + 1);
    expect(timeZeroMs()).toBe(zeroMs);
  });
});
