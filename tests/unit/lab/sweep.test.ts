import { expect, it } from 'vitest';

import { alike, type Swept } from '../../../src/app/lab/sweep/sweep.js';

/** The results of a sweep over 1, 2, 3, …; runs with the same number here have the same metrics. */
const results = (...runs: number[]): readonly Swept[] =>
  runs.map((run, index) => ({ value: index + 1, whole: { endUs: run } }) as Swept);

it.each([
  ['all runs', results(7, 7, 7), { from: 1, to: 3 }],
  ['the last runs', results(1, 2, 3, 3, 3), { from: 3, to: 5 }],
  ['the first runs', results(1, 1, 1, 2), { from: 1, to: 3 }],
  ['the longer of two ends', results(1, 1, 2, 3, 3, 3), { from: 4, to: 6 }],
  ['no runs at an end', results(1, 2, 2, 3), null],
  ['a single run', results(1), null],
])('%s that are the same are found', (_, given, found) => expect(alike(given)).toEqual(found));
