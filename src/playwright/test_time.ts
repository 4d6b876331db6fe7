/** How much of a test's time is left. */
import { AsyncLocalStorage } from 'node:async_hooks';

import { test, type TestInfo } from '@playwright/test';

/** Margin in which a matcher can still report what it saw before Playwright ends the test. */
const RESERVE_MS = 2_000;

/** When each test was first seen here: Playwright does not tell when it started. */
const begins = new WeakMap<TestInfo, number>();

/** The current test; null outside of tests. */
export function runningTest(): TestInfo | null {
  try {
    return test.info();
  } catch {
    return null;
  }
}

/** Notes that a test has started; for each test only the first note counts. */
export function noteTestBegin(): void {
  const info = runningTest();
  if (info && !begins.has(info)) begins.set(info, Date.now());
}

/** The deadline of the current run of `repeat`, Unix epoch ms. */
const runDeadline = new AsyncLocalStorage<number>();

/** Runs a function whose matchers have to finish by a time, Unix epoch ms. */
export const withRunDeadline = <T>(deadlineMs: number, run: () => T): T => runDeadline.run(deadlineMs, run);

/** When a matcher has to finish, Unix epoch ms: a little before the timeout of its test or run. */
export function testDeadlineMs(): number {
  const runMs = runDeadline.getStore() ?? Infinity;
  const info = runningTest();
  const testMs = !info || info.timeout === 0 ? Infinity : (begins.get(info) ?? Date.now()) + info.timeout;
  return Math.min(runMs, testMs) - RESERVE_MS;
}
