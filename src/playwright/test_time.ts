/** How much of a test's own time is left. */
import { AsyncLocalStorage } from 'node:async_hooks';

import { test, type TestInfo } from '@playwright/test';

/** Time in which a matcher still says what it saw before Playwright ends the test. */
const RESERVE_MS = 2_000;

/** When each test was first heard of: Playwright does not tell when it began. */
const begins = new WeakMap<TestInfo, number>();

/** The test that runs; null outside of tests. */
export function runningTest(): TestInfo | null {
  try {
    return test.info();
  } catch {
    return null;
  }
}

/** Notes that a test has begun, the first time. */
export function noteTestBegin(): void {
  const info = runningTest();
  if (info && !begins.has(info)) begins.set(info, Date.now());
}

/** One of several runs in a test, with a deadline of its own. */
const runDeadline = new AsyncLocalStorage<number>();

/** Runs a function whose matchers have to be done by a time, Unix epoch ms. */
export const withRunDeadline = <T>(deadlineMs: number, run: () => T): T => runDeadline.run(deadlineMs, run);

/** When a matcher has to be done, Unix epoch ms: somewhat before the timeout of its test or run. */
export function testDeadlineMs(): number {
  const runMs = runDeadline.getStore() ?? Infinity;
  const info = runningTest();
  const testMs = !info || info.timeout === 0 ? Infinity : (begins.get(info) ?? Date.now()) + info.timeout;
  return Math.min(runMs, testMs) - RESERVE_MS;
}
