/** Creates the entry that a test run adds to the history, from which trends are computed. */
import { execFileSync } from 'node:child_process';

import type { TestCase } from '@playwright/test/reporter';

import { PROPERTY_NAMES } from '../../evidence/properties.js';
import type { HistoryCall, HistoryRun } from '../../trend/history.js';
import { version } from '../../html/version.js';
import { lastCalls, numberOf, titleOf, type TestedCall } from './calls.js';

/**
 * The commit of the run: GITHUB_SHA if it is set, otherwise the commit that git has checked out; null if both
 * are unknown.
 */
function commitOf(folder: string): string | null {
  const said = process.env['GITHUB_SHA'];
  if (said !== undefined && said !== '') return said;
  try {
    const git = ['rev-parse', 'HEAD'];
    return execFileSync('git', git, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

function historyCall(call: TestedCall): HistoryCall {
  const { test, run, properties } = call;
  const [, project = '', file = ''] = test.titlePath();
  return {
    file,
    test: titleOf(test),
    project,
    run: run === '' ? null : Number(run.replace('run-', '')),
    network: properties.get('network') ?? '',
    backend: properties.get('backend') ?? '',
    outcome: test.ok() ? 'passed' : 'failed',
    metrics: Object.fromEntries(
      PROPERTY_NAMES.flatMap((name) => {
        const value = numberOf(call, name);
        return value === null ? [] : [[name, value]];
      }),
    ),
  };
}

/** The entry of a test run, with the calls of the last attempt at each test. */
export function historyRun(
  tests: readonly TestCase[],
  run: { startTime: Date; passed: boolean; folder: string },
): HistoryRun {
  return {
    ccscope_history: 1,
    ccscope: version(),
    created: run.startTime.toISOString(),
    commit: commitOf(run.folder),
    outcome: run.passed ? 'passed' : 'failed',
    calls: lastCalls(tests).map(historyCall),
  };
}
