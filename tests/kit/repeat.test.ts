/** Several runs that are judged together. Their sessions are fakes, so that only the judging is tested. */
import type { Page } from '@playwright/test';

import { ObservedCall } from '../../src/playwright/call.js';
import { makeRepeat, RepeatError, type Repeat, type RunSession } from '../../src/playwright/repeat.js';
import { expect as callExpect } from '../../src/playwright/index.js';
import { callRecord } from '../unit/judge/synthetic.js';
import { expect, test as base } from './support.js';

interface FakeLink {
  sync(): Promise<void>;
}

interface Made {
  repeat: Repeat<FakeLink>;
  /** What was done to the fake sessions, in order. */
  log: string[];
}

const test = base.extend<{ made: Made }>({
  made: async ({}, use, testInfo) => {
    const log: string[] = [];
    let opened = 0;
    const open = (): RunSession<FakeLink> => {
      const name = `session ${++opened}`;
      const noted = (text: string) => () => {
        log.push(`${name} ${text}`);
        return Promise.resolve();
      };
      const link = { sync: () => Promise.resolve() };
      const source = {
        record: { ...callRecord({ connectedS: null }), originEpochMs: Date.now() },
        observe: () => Promise.resolve(),
        pageId: () => undefined,
        onUpdate: () => () => undefined,
        collect: () => Promise.resolve(),
      };
      return {
        page: () => Promise.resolve({} as Page),
        link: () => Promise.resolve(link),
        call: () => Promise.resolve(new ObservedCall(source, link)),
        peers: () => Promise.resolve([{} as Page, {} as Page]),
        finish: noted('finished'),
        attach: (run, failed) => noted(`attached ${run}${failed ? ', failed' : ''}`)(),
        closeContexts: noted('closed'),
      };
    };
    await use({ repeat: makeRepeat({ open, testInfo }), log });
  },
});

/** A body that fails in some runs. */
const failingIn =
  (...runs: number[]) =>
  ({ run }: { run: number }): Promise<{ run: number; text: string }> =>
    runs.includes(run) ? Promise.reject(new Error(`run ${run} is bad`)) : Promise.resolve({ run, text: 'x' });

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('it passed'),
    (error: unknown) => error as Error,
  );
}

test('passes from the share on that is asked for', async ({ made: { repeat } }) => {
  // 80 % of 5 runs are 4 runs.
  const runs = await repeat(5, { pass: '80%' }, failingIn(2));
  expect(runs.passed).toBe(4);
  expect(runs.results.map(({ passed }) => passed)).toEqual([true, false, true, true, true]);
  const error = await failureOf(repeat(5, { pass: 0.8 }, failingIn(2, 4)));
  expect(error).toBeInstanceOf(RepeatError);
  expect(error.message).toContain('4 runs must pass, 3 did');
  expect(error.message).toContain('run 2 is bad');
  // 3 of 5: (0.6 + 0.3842 ± 0.6353) / 1.7683 (Wilson, z = 1.96) = 0.2307 to 0.8824.
  expect(error.message).toContain('3 of 5 passed (60 %; with 95 % confidence 23 % to 88 %)');
});

test('every run has a session of its own, which ends also after a failure', async ({
  made: { repeat, log },
}) => {
  await repeat(2, { pass: 0.5 }, failingIn(1));
  expect(log).toEqual([
    'session 1 finished',
    'session 1 attached run 1, failed',
    'session 1 closed',
    'session 2 finished',
    'session 2 attached run 2',
    'session 2 closed',
  ]);
});

test('may be used twice in a test', async ({ made: { repeat, log } }, testInfo) => {
  const before = testInfo.timeout;
  await repeat(2, {}, failingIn());
  await repeat(2, {}, failingIn());
  expect(testInfo.timeout).toBe(5 * before);
  expect(log.filter((line) => line.includes('attached'))).toEqual([
    'session 1 attached run 1',
    'session 2 attached run 2',
    'session 3 attached run 3',
    'session 4 attached run 4',
  ]);
});

test('stops when the verdict is certain, if asked to', async ({ made: { repeat } }) => {
  expect((await repeat(10, { pass: 0.3, stopEarly: true }, failingIn(1))).results).toHaveLength(4);
  const error = await failureOf(repeat(10, { pass: 0.9, stopEarly: true }, failingIn(1, 2)));
  expect(error).toMatchObject({ runs: { results: { length: 2 } } });
  expect((await repeat(4, { pass: 0.3 }, failingIn(1))).results).toHaveLength(4);
});

test('judges percentiles of what the runs return', async ({ made: { repeat } }) => {
  // The values are 1 to 10. By the nearest-rank method, p90 is the 9th value and p50 the 5th.
  const runs = await repeat(10, { percentiles: { run: { p90: { max: 9 }, p50: { min: 5 } } } }, failingIn());
  expect(runs.percentile('run', 90)).toBe(9);
  expect(runs.values('text')).toEqual([]);
  const high = await failureOf(repeat(10, { percentiles: { run: { p90: { max: 8.9 } } } }, failingIn()));
  expect(high.message).toContain('p90 of run must be at most 8.9: 9');
  const none = await failureOf(repeat(2, { percentiles: { speed: { p50: { max: 1 } } } }, failingIn()));
  expect(none.message).toContain('no run returned it');
});

test('a run that takes too long fails, the next goes on', async ({ made: { repeat } }) => {
  const forever = ({ run }: { run: number }): Promise<undefined> =>
    run === 1 ? new Promise(() => undefined) : Promise.resolve(undefined);
  const runs = await repeat(2, { pass: 0.5, timeout: 300 }, forever);
  expect(runs.results[0]?.error?.message).toContain('Run 1 took longer than 0.3 s');
});

test('a matcher keeps within its run', async ({ made: { repeat } }) => {
  // The matcher allows 15 s for the connection. But the run ends after 3 s, and its last 2 s are reserved for
  // reporting the result.
  const runs = await repeat(1, { pass: 0, timeout: '3s' }, async ({ call }) => {
    await callExpect(call).toConvergeTo('1mbps');
  });
  expect(runs.results[0]?.error?.message).toContain("test's own timeout came before the expectation was met");
  expect(runs.results[0]?.error?.message).toContain('the call is not connected');
});

test('extends the timeout of the test', async ({ made: { repeat } }, testInfo) => {
  const before = testInfo.timeout;
  await repeat(3, { timeout: '20s' }, failingIn());
  expect(testInfo.timeout).toBe(before + 60_000);
});

test('says what is wrong with its options', async ({ made: { repeat } }) => {
  expect((await failureOf(repeat(0, {}, failingIn()))).message).toContain('at least 1 run');
  expect((await failureOf(repeat(1, { pass: 2 }, failingIn()))).message).toContain('a ratio from 0 to 1');
  const bad = { percentiles: { run: { pp: { max: 1 } } } } as object;
  expect((await failureOf(repeat(1, bad, failingIn()))).message).toContain('a percentile such as p90');
  const misspelt = { pas: 0.1 } as object;
  expect((await failureOf(repeat(1, misspelt, failingIn()))).message).toBe(
    'pas: expected one of pass, percentiles, stopEarly, timeout, got "pas"; did you mean pass?',
  );
  const limits = { percentiles: { run: { p90: { maxx: 1 } } } } as object;
  expect((await failureOf(repeat(1, limits, failingIn()))).message).toBe(
    'percentiles.run.p90.maxx: expected one of min, max, got "maxx"; did you mean max?',
  );
});
