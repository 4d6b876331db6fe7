/** The rows that the evidence page draws, and those whose values it shows at the cursor. */
import { expect, it } from 'vitest';

import { lastTwo, thinned } from '../../../src/app/evidence/rows.js';

/** Five minutes of a detector's rows, 30 a second. */
const ROWS = 9000;
const STEP_US = 1e6 / 30;
const group = {
  time_us: Float64Array.from({ length: ROWS }, (_, row) => row * STEP_US),
  m_ms: Float64Array.from({ length: ROWS }, (_, row) => Math.sin(row)),
};
const window = { fromUs: 0, toUs: 300e6 };

it('the values at the cursor are those of the last row before it, at any width', () => {
  expect(thinned(group, ['m_ms'], window, 600)['time_us']?.length).toBeLessThanOrEqual(600);
  for (let timeUs = 0; timeUs < 300e6; timeUs += 1e5) {
    const { time_us: times, m_ms: values } = lastTwo(group, timeUs);
    const last = group.time_us.findLastIndex((us) => us <= timeUs);
    expect(times?.at(-1)).toBe(group.time_us[last]);
    expect(values).toEqual(group.m_ms.slice(Math.max(0, last - 1), last + 1));
  }
});

it('there are no values before the first row, nor without a table', () => {
  const late = { time_us: Float64Array.of(5e6), m_ms: Float64Array.of(1) };
  expect(lastTwo(late, 4e6)).toEqual({ time_us: new Float64Array(), m_ms: new Float64Array() });
  expect(lastTwo({}, 4e6)).toEqual({});
});

it('the rows of a window come with one row on each side of it', () => {
  const times = (fromUs: number, toUs: number): number[] =>
    [...(thinned(group, [], { fromUs, toUs }, Infinity)['time_us'] ?? [])].map((us) =>
      Math.round(us / STEP_US),
    );
  expect(times(10.5 * STEP_US, 12.5 * STEP_US)).toEqual([10, 11, 12, 13]);
  expect(times(-5 * STEP_US, 1.5 * STEP_US)).toEqual([0, 1, 2]);
  expect(times(8997.5 * STEP_US, 1e9)).toEqual([8997, 8998, 8999]);
  expect(thinned({}, ['m_ms'], window, 600)).toEqual({
    time_us: new Float64Array(),
    m_ms: new Float64Array(),
  });
});
