/** How much of a test's time is left. */
import { AsyncLocalStorage } from 'node:async_hooks';

import { test, type TestInfo } from '@playwright/test';

/** A matcher stops this long before the timeout of the test, so that it can still report its result. */
const RESERVE_MS = 2_000;

/** When each test first called `noteTestBegin`. Used as the test's start, which Playwright does not report. */
const begins = new WeakMap<TestInfo, number>();

/** The current test; null outside of tests. */
export function runningTest(): TestInfo | null {
  try {
    return test.info();
  } catch {
    return null;
  }
}

/** Stores the current time as the start of the current test. Only the first call in each test has an effect. */
export function noteTestBegin(): void {
  const info = runningTest();
  if (info && !begins.has(info)) begins.set(info, Date.now());
}

/** The deadline of the current run of `repeat`, in milliseconds since the Unix epoch. */
const runDeadline = new AsyncLocalStorage<number>();

/** Runs a function whose matchers have to finish before `deadlineMs` (milliseconds since the Unix epoch). */
export const withRunDeadline = <T>(deadlineMs: number, run: () => T): T => runDeadline.run(deadlineMs, run);

/**
 * When a matcher has to finish, in milliseconds since the Unix epoch: a little before the timeout of its test
 * or run.
 */
export function testDeadlineMs(): number {
  const runMs = runDeadline.getStore() ?? Infinity;
  const info = runningTest();
  const testMs = !info || info.timeout === 0 ? Infinity : (begins.get(info) ?? Date.now()) + info.timeout;
  return Math.min(runMs, testMs) - RESERVE_MS;
}
