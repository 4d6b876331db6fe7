/** How the process of `ccscope call` ends: after a signal, or when its Chromium has exited. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from '@playwright/test';

import type { CallReport } from '../../src/command_line/call/types.js';
import { descendants, isBrowser, isRenderer, isRunning, signal, start, type Process } from './command.js';

/** Starts a long call, and waits for its page. */
async function started(args: readonly string[] = []) {
  const command = start(['call', '--duration', '600s', ...args]);
  const below = (): Process[] => descendants(command.child.pid);
  try {
    await expect.poll(() => below().some(isRenderer), { timeout: 40_000 }).toBe(true);
  } catch (error) {
    // A call that keeps running would slow down all tests after this one.
    command.child.kill('SIGKILL');
    throw error;
  }
  return { ...command, browsers: below() };
}
const gone = (processes: readonly Process[]): Promise<void> =>
  expect.poll(() => processes.filter(isRunning)).toEqual([]);

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${name} ends the call and its browser`, async () => {
    const { child, outcome, browsers } = await started();
    child.kill(name);
    expect(await outcome).toMatchObject({ status: 1, stderr: 'interrupted\n' });
    await gone(browsers);
  });
}

test('ends with its browser, even with one that no longer answers', async () => {
  const { child, outcome, browsers } = await started();
  signal(browsers, 'SIGSTOP');
  const askedMs = performance.now();
  child.kill('SIGINT');
  expect(await outcome).toMatchObject({ status: 1, stderr: 'interrupted\n' });
  await gone(browsers);
  // After Ctrl-C, the command waits three seconds for its browser to end; a busy machine may add some
  // seconds. Playwright itself would wait for thirty seconds.
  expect(performance.now() - askedMs).toBeLessThan(20_000);
});

test('ends at once at the second Ctrl-C', async () => {
  const { child, browsers } = await started();
  signal(browsers, 'SIGSTOP');
  await expect.poll(() => (child.exitCode === null ? child.kill('SIGINT') : child.exitCode)).toBe(130);
  await gone(browsers);
});

test('ends when its Chromium is killed, and says so', async () => {
  const { outcome, browsers } = await started();
  signal(browsers.filter(isBrowser), 'SIGKILL');
  const { status, stderr } = await outcome;
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Chromium ended in the middle of the call: .*; run the call again\n$/);
});

test('takes its Chromium with it when it is killed itself', async () => {
  const { child, browsers } = await started();
  child.kill('SIGKILL');
  await gone(browsers);
});

test('reports the runs that were finished when it is interrupted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-call-'));
  const args = ['call', '--duration', '3s', '--runs', '100', '--json', '-'];
  const { child, outcome } = start([...args, '--trace', join(folder, 'trace.ndjson')]);
  // A run's trace is written as soon as the run has been measured.
  await expect.poll(() => existsSync(join(folder, 'trace.gcc-1.ndjson')), { timeout: 40_000 }).toBe(true);
  child.kill('SIGINT');
  const { status, stdout, stderr } = await outcome;
  expect(stderr).toBe('interrupted\n');
  expect(status).toBe(1);
  expect((JSON.parse(stdout) as CallReport).runs).toHaveLength(1);
  rmSync(folder, { recursive: true });
});
