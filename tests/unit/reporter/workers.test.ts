/** The warning that calls ran in too many workers for the machine's cores. */
import { expect, it } from 'vitest';

import { lastCalls } from '../../../src/playwright/report/calls.js';
import { workersWarning } from '../../../src/playwright/report/workers.js';
import { fakeTest } from './fake_tests.js';

/** The warning, if any, after six calls in this many workers. */
const said = (cores: number, workers: number): string | null => {
  const tests = [0, 1, 2, 3, 4, 5].map((i) =>
    fakeTest({ attempts: [{ properties: { cores }, worker: i % workers }] }),
  );
  return workersWarning(lastCalls(tests));
};

it('at most half of the cores, rounded up, are enough', () => {
  for (const [cores, most] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [8, 4],
  ] as const) {
    expect(said(cores, most), `${cores} cores`).toBeNull();
    expect(said(cores, most + 1), `${cores} cores`).toContain(`Set workers: ${most} in`);
  }
});

it('workers do not matter where no calls are, nor where nobody said how many cores there were', () => {
  const others = [0, 1, 2, 3].map((worker) => fakeTest({ attempts: [{ worker }] }));
  expect(workersWarning(lastCalls(others))).toBeNull();
  const unknown = [0, 1, 2, 3].map((worker) =>
    fakeTest({ attempts: [{ properties: { utilisation: 1 }, worker }] }),
  );
  expect(workersWarning(lastCalls(unknown))).toBeNull();
});
