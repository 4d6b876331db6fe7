/**
 * Baselines (stored rate curves) are written, compared and updated according to Playwright's flag
 * `--update-snapshots`.
 */
import { existsSync, readFileSync } from 'node:fs';

import type { JSONReport } from '@playwright/test/reporter';

import { runProject, type Outcome } from './run_project.js';
import { expect, test } from './support.js';

interface Run {
  rate: number;
  title: 'matches' | 'does not match';
  update?: 'all' | 'changed' | 'missing' | 'none';
  carries?: 'video' | 'nothing';
}

interface Ran extends Outcome {
  /** The error message of the last attempt; '' if it passed. */
  message: string;
  attempts: number;
}

async function run(folder: string, { rate, title, update, carries = 'video' }: Run): Promise<Ran> {
  process.env['KIT_RATE'] = String(rate);
  process.env['KIT_CARRIES'] = carries;
  const flags = ['-g', `${title}$`];
  const outcome = await runProject('baseline', folder, '', [
    ...flags,
    ...(update ? [`--update-snapshots=${update}`] : []),
  ]);
  const { suites } = JSON.parse(outcome.file('report.json')) as JSONReport;
  const results = suites[0]?.specs[0]?.tests[0]?.results ?? [];
  return { ...outcome, message: results.at(-1)?.error?.message ?? '', attempts: results.length };
}

/** The rate at the end of the stored curve, in kbps, rounded to 10 kbps; null if no curve is stored. */
function storedKbps(folder: string): number | null {
  const path = `${folder}/snapshots/steady.json`;
  if (!existsSync(path)) return null;
  const curve = JSON.parse(readFileSync(path, 'utf8')) as { received_bps: number[]; step_ms: number };
  expect(curve.received_bps).toHaveLength(10_000 / curve.step_ms);
  return Math.round((curve.received_bps.at(-1) ?? NaN) / 1e4) * 10;
}

test('a missing baseline is stored as the flag says', async ({}, testInfo) => {
  const folder = testInfo.outputPath();
  const none = await run(folder, { rate: 4e5, title: 'matches', update: 'none' });
  expect(none.status).toBe(1);
  expect(none.message).toContain("A baseline doesn't exist at");
  expect(storedKbps(folder)).toBeNull();

  const not = await run(folder, { rate: 4e5, title: 'does not match', update: 'missing' });
  expect(not.status).toBe(1);
  expect(not.message).toContain('matchers with ".not" don\'t write them');
  expect(storedKbps(folder)).toBeNull();

  // By default a missing baseline is stored and the test fails; it is not retried.
  const byDefault = await run(folder, { rate: 4e5, title: 'matches' });
  expect(byDefault).toMatchObject({ status: 1, attempts: 1 });
  expect(byDefault.message).toContain('writing actual');
  expect(storedKbps(folder)).toBe(400);

  const missing = await run(testInfo.outputPath('other'), { rate: 3e5, title: 'matches', update: 'missing' });
  expect(missing.status, missing.stdout).toBe(0);
  expect(storedKbps(testInfo.outputPath('other'))).toBe(300);
});

test('a stored baseline is compared with', async ({}, testInfo) => {
  const folder = testInfo.outputPath();
  expect(await run(folder, { rate: 4e5, title: 'matches', update: 'all' })).toMatchObject({ status: 0 });
  expect(await run(folder, { rate: 4.2e5, title: 'matches' })).toMatchObject({ status: 0 });
  expect(storedKbps(folder)).toBe(400);

  const differs = await run(folder, { rate: 6e5, title: 'matches' });
  expect(differs.status).toBe(1);
  // The rate is 600 instead of 400 kbps: it differs by half of the stored rate everywhere.
  expect(differs.message).toContain('rates differ by 50 % (RMS)');
  expect(storedKbps(folder)).toBe(400);
  expect(await run(folder, { rate: 6e5, title: 'does not match' })).toMatchObject({ status: 0 });
  expect(await run(folder, { rate: 4e5, title: 'does not match' })).toMatchObject({ status: 1 });
});

test('a stored baseline is updated as the flag says', async ({}, testInfo) => {
  const folder = testInfo.outputPath();
  expect(await run(folder, { rate: 4e5, title: 'matches', update: 'all' })).toMatchObject({ status: 0 });
  // A curve within the tolerance does not replace the stored curve. A curve beyond the tolerance replaces it.
  expect(await run(folder, { rate: 4.2e5, title: 'matches', update: 'changed' })).toMatchObject({
    status: 0,
  });
  expect(storedKbps(folder)).toBe(400);
  expect(await run(folder, { rate: 6e5, title: 'matches', update: 'changed' })).toMatchObject({ status: 0 });
  expect(storedKbps(folder)).toBe(600);
  expect(await run(folder, { rate: 4e5, title: 'matches', update: 'all' })).toMatchObject({ status: 0 });
  expect(storedKbps(folder)).toBe(400);
});

test('a call that carries nothing is not stored', async ({}, testInfo) => {
  const folder = testInfo.outputPath();
  expect(await run(folder, { rate: 4e5, title: 'matches', update: 'all' })).toMatchObject({ status: 0 });
  for (const update of ['changed', 'all'] as const) {
    const broken = await run(folder, { rate: 8e3, title: 'matches', update, carries: 'nothing' });
    expect(broken.status).toBe(1);
    expect(broken.message).toContain(
      'the baseline was not stored, since there is no verdict: neither media nor data',
    );
    expect(storedKbps(folder)).toBe(400);
  }
});
