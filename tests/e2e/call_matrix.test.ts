/** `ccscope call --matrix`: real calls of two controllers over one link, and their report as a page. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test } from '@playwright/test';

import type { MatrixReport } from '../../src/command_line/matrix/report.js';
import { start } from './command.js';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccscope-matrix-'));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

function matrix(name: string, changes: object = {}): string {
  const file = join(folder, name);
  const controllers = [{ name: 'gcc' }, { name: 'native' }];
  const links = [{ name: 'one', capacity: '1mbps' }];
  const whole = {
    ccscope_matrix: 1,
    title: 'One link',
    runs: 1,
    duration_s: 5,
    links,
    controllers,
    ...changes,
  };
  writeFileSync(file, JSON.stringify(whole));
  return file;
}

const TARGETS = [
  { metric: 'utilisation', at_least: -2 },
  { metric: 'drops', at_most: -1e6 },
];

test('two controllers on one link: a report, differences and a page', async ({ page }) => {
  const html = join(folder, 'real.html');
  const args = ['--matrix', matrix('real.json', { targets: TARGETS }), '--json', '-', '--html', html];
  const { status, stdout, stderr } = await start(['call', ...args]).outcome;
  expect(stderr).toMatch(/^1 of 2: [^\n]*: gcc, run 1\n2 of 2: [^\n]*: native, run 1\n$/);
  expect(status).toBe(0);
  const report = JSON.parse(stdout) as MatrixReport;
  expect(report).toMatchObject({ complete: true, baseline: 'native', failures: [], runs: 1, duration_s: 5 });
  expect(report).not.toHaveProperty('twin');
  expect(report.cells.map(({ controller, report: { mode } }) => [controller, mode])).toEqual([
    ['gcc', 'control'],
    ['native', 'observe'],
  ]);
  for (const { report: one } of report.cells) {
    expect(one.browser).toMatch(/^Chromium/);
    expect(one.runs[0]?.utilisation).toBeGreaterThan(0.05);
    expect(one.runs[0]?.utilisation).toBeLessThan(1.05);
  }
  const [ours, theirs] = report.cells.map(({ report: one }) => one.summary.utilisation.median ?? NaN);
  const [comparison] = report.comparisons;
  expect(comparison?.differences.utilisation).toBeCloseTo((ours ?? NaN) - (theirs ?? NaN), 9);
  expect(comparison?.verdicts.map(({ holds }) => holds)).toEqual([true, false]);

  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  const address = pathToFileURL(html).href;
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) problems.push(request.url());
  });
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One link');
  await expect(page.getByRole('img')).toHaveCount(4);
  await expect(page.getByRole('img').first()).toHaveAttribute(
    'aria-label',
    /Bars of Rate over capacity over link \(one\)\. gcc: .*native: /,
  );
  await expect(page.getByRole('row', { name: /^gcc beside native all links 1/ })).toBeVisible();
  await page.getByRole('button', { name: 'Dark or light' }).click();
  expect(problems).toEqual([]);
});
