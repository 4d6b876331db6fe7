/**
 * Whole runs of Playwright, as a user would start them: three workers, retries, reports, and a worker that is
 * killed.
 */
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import type { Browser } from '@playwright/test';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';

import { runProject, type Outcome } from './run_project.js';
import { expect, test } from './support.js';

const specsOf = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
  ...specs,
  ...suites.flatMap(specsOf),
];

function reportOf({ file }: Outcome): Map<string, JSONReportSpec> {
  const { suites } = JSON.parse(file('report.json')) as JSONReport;
  return new Map(suites.flatMap(specsOf).map((spec) => [spec.title, spec]));
}

const attachments = (spec: JSONReportSpec | undefined, retry: number): string[] =>
  spec?.tests[0]?.results[retry]?.attachments.map(({ name }) => name) ?? [];

const EVIDENCE = ['call.png', 'call.html', 'call-metrics.json', 'call-trace.ndjson'];

test('three workers and a retry', async ({ pages, browser }, testInfo) => {
  const outcome = await runProject('parallel', testInfo.outputPath(), pages.url);
  expect(outcome.status, outcome.stdout).toBe(0);
  const specs = reportOf(outcome);
  const calls = [1, 2, 3, 4].map((n) => specs.get(`call ${n}`)?.tests[0]);

  const ports = calls.map((call) => call?.annotations.find(({ type }) => type === 'port')?.description);
  expect(new Set(ports).size).toBe(4);
  expect(ports).not.toContain('0');

  // Evidence must be attached to the failed attempt only.
  const flaky = specs.get('fails at first');
  expect(flaky?.tests[0]?.status).toBe('flaky');
  expect(attachments(flaky, 0)).toEqual(expect.arrayContaining(EVIDENCE));
  expect(attachments(flaky, 1)).toEqual([]);
  expect(attachments(specs.get('call 1'), 0)).toEqual([]);

  const junit = outcome.file('junit.xml');
  expect(junit).toMatch(/<property name="ccscope\.network" value="900kbps[^"]*">/);
  expect(junit).toMatch(/<property name="ccscope\.backend" value="shaper">/);
  expect(junit.match(/name="ccscope\.queue_delay_p95_ms"/g)?.length).toBeGreaterThanOrEqual(4);

  for (const text of [outcome.stdout, outcome.file('summary.md')]) {
    const [, table = ''] = text.split('Calls under test');
    for (const title of ['call 1', 'call 2', 'call 3', 'call 4', 'fails at first (retry 1)'])
      expect(table).toContain(title);
    expect(table).not.toContain('no call');
  }
  // The run warns if the number of workers exceeds half the number of cores (rounded up). So three workers cause a
  // warning on a machine with at most four cores.
  const warned = outcome.stdout.includes('Calls under test ran in 3 workers on');
  expect(warned).toBe(availableParallelism() <= 4);
  await expectEvidence(flaky, browser);
});

/** Checks that the evidence of a failed attempt can be read, and that its page works. */
async function expectEvidence(spec: JSONReportSpec | undefined, browser: Browser): Promise<void> {
  const found = spec?.tests[0]?.results[0]?.attachments ?? [];
  const file = (name: string): string => found.find((one) => one.name === name)?.path ?? '';
  const png = readFileSync(file('call.png'));
  expect(png.subarray(1, 4).toString()).toBe('PNG');

  const metrics = JSON.parse(readFileSync(file('call-metrics.json'), 'utf8')) as Record<string, unknown>;
  expect(metrics).toMatchObject({ ccscope_metrics: 1, outcome: 'failed', backend: 'shaper' });
  expect(metrics['expectations']).toMatchObject([{ matcher: 'toHaveUtilisation', pass: false }]);

  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`file://${file('call.html')}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('fails at first');
  await expect(page.locator('canvas')).not.toHaveCount(0);
  const charts = page.getByRole('group', { name: /Charts/ });
  await charts.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('status')).not.toBeEmpty();
  expect(errors).toEqual([]);
  await page.close();
}

/** Resolves when the process has ended. */
const gone = (pid: number): Promise<void> =>
  expect
    .poll(() => {
      try {
        process.kill(pid, 0);
        // A zombie process counts as ended, too.
        const stat = `/proc/${pid}/stat`;
        return existsSync(stat) && readFileSync(stat, 'utf8').includes(') Z ');
      } catch {
        return true;
      }
    })
    .toBe(true);

test('a worker that is killed leaves neither socket nor browser', async ({ pages }, testInfo) => {
  const outcome = await runProject('killed', testInfo.outputPath(), pages.url);
  expect(outcome.status).toBe(1);
  const said = JSON.parse(outcome.file('said.json')) as { port: number; worker: number; browser: number };
  await gone(said.worker);
  await gone(said.browser);
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(said.port, '127.0.0.1', resolve);
  });
  socket.close();
});

test('runs of repeat: evidence of the one that failed, properties of each', async ({ pages }, testInfo) => {
  const outcome = await runProject('repeated', testInfo.outputPath(), pages.url);
  expect(outcome.status, outcome.stdout).toBe(0);
  const spec = reportOf(outcome).get('two of three');
  const names = attachments(spec, 0);
  expect(names).toContain('run-2-call.png');
  expect(names).not.toContain('run-1-call.png');
  const types = spec?.tests[0]?.annotations.map(({ type }) => type) ?? [];
  for (const run of [1, 2, 3]) expect(types).toContain(`ccscope.run-${run}.backend`);
  expect(outcome.stdout).toContain('two of three run-3');
});
