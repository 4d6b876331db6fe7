/**
 * The reporter's output for a run with calls, and for merged reports: on GitHub, with budgets, and with a history.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { JSONReport } from '@playwright/test/reporter';

import { readHistory } from '../../src/trend/history.js';
import { mergeReports, runProject, type Outcome } from './run_project.js';
import { expect, test } from './support.js';

const SOURCE = fileURLToPath(new URL('./projects/reported.nested.ts', import.meta.url));
/** The line number of the first `text` after the start of the test `title`. */
function lineIn(title: string, text: string): number {
  const lines = readFileSync(SOURCE, 'utf8').split('\n');
  const begin = lines.findIndex((line) => line.includes(`test('${title}'`));
  return lines.findIndex((line, i) => i >= begin && line.includes(text)) + 1;
}

const BUDGETS = {
  ccscope_budgets: 1,
  budgets: [
    { test: 'a call › passes', network: '900kbps*', limits: { received_bps_min: 5e7, loss_ratio_max: 1 } },
    { test: '*', limits: { queue_delay_p95_ms_max: 10_000 } },
    { test: 'a call that is gone', limits: { freezes_max: 0 } },
  ],
};

const commands = ({ stdout }: Outcome): string[] =>
  stdout.split('\n').filter((line) => /^::(error|warning) /.test(line));

/** Checks the GitHub commands in the output of a run, or of a merge of reports. */
function expectCommands(outcome: Outcome): void {
  const file = 'file=tests/kit/projects/reported.nested.ts';
  const at = (title: string, text: string): string => `${file},line=${lineIn(title, text)},col=`;
  const said = commands(outcome);
  const [failed = '', ...moreFailed] = said.filter((line) => line.includes('a call › fails%3A'));
  expect(failed).toContain(`::error ${at('fails', 'await expect')}`);
  expect(failed).toMatch(/%0AExpected: utilisation at most 1 %25 over 1 s%0AReceived: [\d.]+ %25/);
  expect(failed).toMatch(/%0ACause: capacity: .*%0ATo do: /);
  const [flaky = '', ...moreFlaky] = said.filter((line) => line.includes('a call › fails at first'));
  expect(flaky).toContain(`::warning ${at('fails at first', 'await expect')}`);
  const [budget = '', ...moreBudgets] = said.filter((line) => line.includes('budget received_bps_min'));
  expect(budget).toContain(`::error ${at('passes', 'test(')}`);
  expect(budget).toMatch(/::Expected: received_bps at least 50000000%0AReceived: \d+$/);
  expect(said.filter((line) => line.includes('a call that is gone'))).toHaveLength(1);
  // Each message appears only once.
  expect([...moreFailed, ...moreFlaky, ...moreBudgets]).toEqual([]);
}

test('failures, budgets and history of a run, and of its merged reports', async ({ pages }, testInfo) => {
  // Several whole runs of Playwright, one after the other.
  test.slow();
  const folder = testInfo.outputPath();
  const budgets = testInfo.outputPath('limits.json');
  writeFileSync(budgets, JSON.stringify(BUDGETS));
  const variables = (history: string): Record<string, string> => ({
    GITHUB_ACTIONS: 'true',
    KIT_REPORTER: JSON.stringify({ budgets, history: testInfo.outputPath(history) }),
  });

  const run = await runProject('reported', folder, pages.url, ['--workers=1'], variables('history'));
  expect(run.status, run.stdout).toBe(1);
  expectCommands(run);
  expect(run.stdout).toMatch(
    /Broken budgets\n.*\n {2}a call › passes {2}received_bps_min {2}at least 50000000/,
  );
  expect(run.file('summary.md')).toContain('| a call › passes | received_bps_min |');

  const [stored, ...more] = readHistory(testInfo.outputPath('history'));
  expect(more).toEqual([]);
  expect(stored).toMatchObject({ ccscope_history: 1, outcome: 'failed' });
  const outcomes = (stored?.calls ?? []).map(({ test: title, outcome }) => [title, outcome] as const);
  expect(outcomes).toHaveLength(3);
  expect(Object.fromEntries(outcomes)).toEqual({
    'a call › fails': 'failed',
    'a call › fails at first': 'passed',
    'a call › passes': 'passed',
  });

  const merged = await mergeReports(folder, variables('merged'));
  expect(merged.status, merged.stdout).toBe(1);
  expectCommands(merged);
  expect(readHistory(testInfo.outputPath('merged'))[0]?.calls).toHaveLength(3);

  // The link's packets are stored as evidence of failed tests, and not for other tests.
  const report = JSON.parse(run.file('report.json')) as JSONReport;
  const attached = (title: string): string[] => {
    const spec = report.suites[0]?.suites?.[0]?.specs.find((one) => one.title === title);
    return spec?.tests[0]?.results[0]?.attachments.map(({ name }) => name) ?? [];
  };
  expect(attached('fails')).toEqual(expect.arrayContaining(['call.png', 'link.csv', 'link.pcap']));
  expect(attached('passes')).toEqual([]);
});

test('a file that cannot be written is a warning, and the rest is done', async ({ pages }, testInfo) => {
  // Two whole runs of Playwright, one after the other.
  test.slow();
  const folder = testInfo.outputPath();
  const budgets = testInfo.outputPath('limits.json');
  writeFileSync(budgets, JSON.stringify(BUDGETS));
  const missing = testInfo.outputPath('none/summary.md');
  const history = testInfo.outputPath('history');
  const warning = (option: string, text: string): string => `\nWarning: ${option}: ${text}\n`;
  const only = ['--workers=1', '-g', 'a call passes'];
  const summary = warning('markdownFile', `${missing} cannot be written (ENOENT); create its folder`);

  const broken = await runProject('reported', folder, pages.url, only, {
    KIT_REPORTER: JSON.stringify({ budgets, history, markdownFile: missing }),
  });
  expect(broken.status, broken.stdout).toBe(1);
  expect(broken.stdout).toContain('Broken budgets');
  expect(broken.stdout.split(summary)).toHaveLength(2);
  expect(readHistory(history)).toMatchObject([{ outcome: 'failed', calls: [{ outcome: 'passed' }] }]);

  // The folder of the history is a file.
  const green = await runProject('reported', folder, pages.url, only, {
    KIT_REPORTER: JSON.stringify({ history: budgets, markdownFile: missing }),
  });
  expect(green.status, green.stdout).toBe(0);
  expect(green.stdout).toContain(summary);
  expect(green.stdout).toContain(
    warning(
      'history',
      `${budgets} cannot be written (EEXIST); give the path of a folder that can be written to`,
    ),
  );
});

test('a misspelt option stops a run before its first test; tests can still be listed', async ({
  pages,
}, testInfo) => {
  const folder = testInfo.outputPath();
  const KIT_REPORTER = JSON.stringify({ budget: 'limits.json' });
  const refused = await runProject('reported', folder, pages.url, ['--workers=1'], { KIT_REPORTER });
  expect(refused.status).toBe(1);
  expect(refused.stdout).toContain('got "budget"; did you mean budgets?');
  expect(refused.stdout).not.toContain('passed');

  const listed = await runProject('reported', folder, pages.url, ['--list']);
  expect(listed.status, listed.stdout).toBe(0);
});

test('a broken budget alone fails a run; elsewhere than on GitHub there are no commands', async ({
  pages,
}, testInfo) => {
  const folder = testInfo.outputPath();
  const budgets = testInfo.outputPath('limits.json');
  writeFileSync(budgets, JSON.stringify(BUDGETS));
  const only = ['--workers=1', '-g', 'a call passes'];
  const KIT_REPORTER = JSON.stringify({ budgets });
  const broken = await runProject('reported', folder, pages.url, only, { KIT_REPORTER });
  expect(broken.status, broken.stdout).toBe(1);
  expect(broken.stdout).toContain('1 passed');
  expect(broken.stdout).toContain('Broken budgets');
  expect(commands(broken)).toEqual([]);
  expect(readdirSync(folder)).not.toContain('history');

  const wrong = { ccscope_budgets: 1, budgets: [{ limits: { freeze_max: 0 } }] };
  writeFileSync(budgets, JSON.stringify(wrong));
  const refused = await runProject('reported', folder, pages.url, only, { KIT_REPORTER });
  expect(refused.status).toBe(1);
  expect(refused.stdout).toContain('did you mean freezes_max?');
  // The run was refused before any test ran.
  expect(refused.stdout).not.toContain('passed');
});
