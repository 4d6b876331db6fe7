/** The options of the reporter. */
import { expect, it } from 'vitest';

import CallReporter from '../../../src/playwright/reporter.js';

it('a misspelt option is refused', () => {
  expect(() => new CallReporter({ budget: 'b.json' } as object)).toThrow(
    'ccscope/playwright/reporter.budget: expected one of markdownFile, annotations, budgets, history, got "budget"; did you mean budgets?',
  );
  expect(() => new CallReporter({ outputFile: 'x' } as object)).toThrow('remove outputFile');
});

it('what Playwright adds to the options is not refused', () => {
  const added = {
    configDir: '/',
    onlyFailures: false,
    _mode: 'list',
    _commandHash: '',
    _isTestServer: false,
  };
  expect(() => new CallReporter({ ...added, annotations: false })).not.toThrow();
});
