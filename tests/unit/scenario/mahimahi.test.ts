import { describe, expect, it } from 'vitest';

import { mahimahiSchedule } from '../../../src/scenario/index.js';
import { problem } from './support.js';

/** How many bytes a link with these capacity steps could carry in (beginUs, endUs]. */
function bytes(steps: ReturnType<typeof mahimahiSchedule>, beginUs: number, endUs: number): number {
  return steps.reduce((sum, { atUs, capacityBps }, i) => {
    const next = steps[i + 1]?.atUs ?? Infinity;
    const overlapUs = Math.max(0, Math.min(next, endUs) - Math.max(atUs, beginUs));
    return sum + (overlapUs * capacityBps) / 8e6;
  }, 0);
}

describe('traces of mahimahi', () => {
  it('let 1504 bytes pass by each time of the trace, and repeat', () => {
    const times = [0, 2, 2, 5, 9, 9, 9, 10];
    const steps = mahimahiSchedule(times.join('\n'), 40e3);
    for (let loop = 0; loop < 4; loop++) {
      for (const [ms, packets] of [
        [2, 3],
        [5, 4],
        [9, 7],
        [10, 8],
      ] as const) {
        const until = (loop * 10 + ms) * 1e3;
        expect(bytes(steps, 0, until)).toBeCloseTo((loop * times.length + packets) * 1504, 6);
      }
    }
  });

  it('are one step where the rate is constant: 1 packet each ms is 12.032 Mbps', () => {
    expect(mahimahiSchedule('1\n2\n3\n4\n', 1e9)).toEqual([{ atUs: 0, capacityBps: 12_032_000 }]);
  });

  it('may have comments, empty lines and line ends of any kind', () => {
    expect(mahimahiSchedule('# up\r\n1\r\n\r\n2\r\n', 5e3)).toEqual(mahimahiSchedule('1\n2', 5e3));
  });

  it.each([
    ['1\nx\n', /line 2 to be a whole number/],
    ['5\n4\n', /line 2 .* at least 5/],
    ['1.5\n', /line 1/],
    ['-1\n', /line 1/],
    ['', /at least one timestamp above 0 ms/],
    ['0\n0\n', /at least one timestamp above 0 ms/],
  ])('refuse %j', (text, expected) => {
    expect(problem(() => mahimahiSchedule(text, 1e6)).expected).toMatch(expected);
  });

  it('end, however long they are repeated', () => {
    expect(problem(() => mahimahiSchedule('1\n3\n', 1e15)).expected).toMatch(
      /at most 1000000 capacity changes/,
    );
  });
});

describe('a long run', () => {
  it('of a trace without changes is one step, found at once', () => {
    // Going through the trace one millisecond at a time would take 10^12 steps.
    expect(mahimahiSchedule('1\n2\n', 1e15)).toEqual([{ atUs: 0, capacityBps: 12_032_000 }]);
  });
});
