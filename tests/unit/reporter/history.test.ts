import { expect, it } from 'vitest';

import { historyRun } from '../../../src/playwright/report/history.js';
import { fakeTest } from './fake_tests.js';

it('the history names the file, the title and the project of each test', () => {
  const attempts = [{ properties: { network: '1mbps', backend: 'shaper', utilisation: 0.5 } }];
  const run = historyRun([fakeTest({ project: 'chromium', attempts })], {
    startTime: new Date(0),
    passed: true,
    folder: '.',
  });
  expect(run.calls).toEqual([
    {
      file: 'call.spec.ts',
      test: 'a call › recovers',
      project: 'chromium',
      run: null,
      network: '1mbps',
      backend: 'shaper',
      outcome: 'passed',
      metrics: { utilisation: 0.5 },
    },
  ]);
});
