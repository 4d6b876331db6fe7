/** How much of a test's own time is left. */
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

/** When a matcher has to be done, Unix epoch ms: somewhat before the test's own timeout. */
export function testDeadlineMs(): number {
  const info = runningTest();
  if (!info || info.timeout === 0) return Infinity;
  return (begins.get(info) ?? Date.now()) + info.timeout - RESERVE_MS;
}
