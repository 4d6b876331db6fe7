import { describe, expect, it } from 'vitest';

import { TickLateness } from '../../../src/machine/index.js';

/** The lateness values that are reported for ticks at these times (ms). Ticks without a report are left out. */
function told(times: readonly number[]): number[] {
  const lateness = new TickLateness(100);
  return times.map((nowMs) => lateness.tick(nowMs)).filter((ms) => ms !== null);
}

const punctual = (count: number, fromMs = 0): number[] =>
  Array.from({ length: count }, (_, i) => fromMs + 100 * i);

describe('the lateness of ticks', () => {
  it('is nothing while each comes after its interval', () => {
    expect(told(punctual(31))).toEqual([0, 0, 0]);
    expect(told(punctual(10))).toEqual([]);
  });

  it('is that of the latest tick in each second, wherever ticks began', () => {
    const late = punctual(31, 12_345).map((ms, i) => (i === 4 ? ms + 30 : i === 7 ? ms + 10 : ms));
    expect(told(late)).toEqual([30, 0, 0]);
  });

  it('is told when a thread that stood still ticks again', () => {
    expect(told([0, 100, 200, 4300, 4400])).toEqual([4000]);
    expect(told([0, 100, 200, 4300, ...punctual(10, 4400)])).toEqual([4000, 0]);
  });

  it('does not count a tick that comes early, as after a late one', () => {
    expect(told([0, 150, 200, ...punctual(9, 300)])).toEqual([50]);
  });
});
