/** The newest values and the counts of a call's rows. */
import { expect, test } from 'vitest';

import { LiveValues } from '../../../src/app/session/live_values.js';
import { tableSpec } from '../../../src/core/schema.js';

const { columns } = tableSpec('group');
const STATES = columns.find(({ name }) => name === 'signal')?.values ?? [];

/** Rows of the table `group`: the flow and the signal of each. */
function groups(...rows: readonly (readonly [flow: number, signal: string])[]) {
  const column = (name: string): Float64Array =>
    Float64Array.from(rows, ([flow, signal]) =>
      name === 'flow' ? flow : name === 'signal' ? STATES.indexOf(signal) : 0,
    );
  return { table: 'group' as const, rows: rows.length, columns: columns.map(({ name }) => column(name)) };
}

test('overuses are counted for the main flow, each once for as long as it lasts', () => {
  const live = new LiveValues();
  live.observe(groups([0, 'overuse'], [1, 'overuse'], [0, 'overuse'], [1, 'normal'], [0, 'normal']));
  live.observe(groups([0, 'overuse'], [0, 'underuse'], [1, 'overuse']));
  live.observe(groups([0, 'overuse'], [0, 'overuse']));
  expect(live.counters).toMatchObject({ groups: 10, overuseCount: 3 });
  live.clear();
  expect(live.counters.overuseCount).toBeNull();
});

test('a main flow without an overuse detector has no number of overuses', () => {
  const live = new LiveValues();
  live.observe(groups([1, 'overuse'], [2, 'overuse']));
  expect(live.counters).toMatchObject({ groups: 2, overuseCount: null });
});
