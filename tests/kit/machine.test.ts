/** A failing matcher names the machine as the cause if, and only if, the machine is too busy. */
import { expect, expectRouted, test } from './support.js';

test.use({ linkOptions: { capacity: '10mbps' }, evidence: 'off', frameTiming: 'transform' });

/** Blocks the thread of the observer's worker again and again, as a busy machine does. */
function takeThread(): void {
  setInterval(() => {
    const untilMs = performance.now() + 250;
    while (performance.now() < untilMs);
  }, 300);
}

test('a call whose callbacks come late @measures', async ({ call, page }) => {
  await page.goto('/loop.html');
  await expectRouted(call);
  /**
   * The cause that a failing matcher names. The matcher fails on every machine: it expects a higher rate than the
   * page sends.
   */
  const causeOf = async (): Promise<string> => {
    const over = { over: '6s', timeout: '10s' } as const;
    const failure = await expect(call)
      .toHaveUtilisation({ min: 0.9 }, over)
      .catch((error: unknown) => String(error));
    return /Cause:\s+(\S+):/.exec(failure ?? '')?.[1] ?? 'none';
  };
  expect(['machine-overloaded', 'none']).not.toContain(await causeOf());

  await Promise.all(page.workers().map((worker) => worker.evaluate(takeThread)));
  await expect.poll(() => call.record.late.slice(-5).every(({ lateMs }) => lateMs > 40)).toBe(true);
  expect(await causeOf()).toBe('machine-overloaded');
  const { cause } = call.judgements.at(-1)?.judgement ?? {};
  expect(cause?.evidence).toMatch(/callbacks come \d+ ms late.*; so .*frames are stamped late/);
  expect(cause?.fix).toMatch(/^Close other programs on this machine/);
});
