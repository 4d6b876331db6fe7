/** Budgets: which tests they apply to, when they are broken, and the errors for an invalid file. */
import { describe, expect, it } from 'vitest';

import { checkBudgets, readBudgets } from '../../../src/playwright/report/budgets.js';
import { scratch } from '../../node/support.js';
import { fakeTest, type Attempt } from './fake_tests.js';

const files = scratch();
const read = (budgets: unknown): ReturnType<typeof readBudgets> =>
  readBudgets(files.write('b.json', JSON.stringify({ ccscope_budgets: 1, budgets })));

const CALL = { network: '1mbps, rtt 50ms', utilisation: 0.8, queue_delay_p95_ms: 120, loss_ratio: 0 };
const test = (more: Attempt = {}, title = ['a call', 'recovers (50 %)']): ReturnType<typeof fakeTest> =>
  fakeTest({ title, attempts: [{ properties: CALL, ...more }] });

describe('a limit', () => {
  it('is kept up to its value, on either side', () => {
    const limits = { utilisation_min: 0.8, queue_delay_p95_ms_max: 120, loss_ratio_max: 0 };
    expect(checkBudgets(read([{ limits }]), [test()])).toEqual({ broken: [], unmatched: [] });
    const tighter = { utilisation_min: 0.81, queue_delay_p95_ms_max: 119.9, utilisation_max: 0.79 };
    const { broken } = checkBudgets(read([{ limits: tighter }]), [test()]);
    expect(broken.map(({ limit, allowed, got }) => [limit, allowed, got])).toEqual([
      ['utilisation_min', 'at least 0.81', '0.8'],
      ['utilisation_max', 'at most 0.79', '0.8'],
      ['queue_delay_p95_ms_max', 'at most 119.9', '120'],
    ]);
  });

  it('is broken where its number is missing, unless the test failed itself', () => {
    const budgets = read([{ limits: { time_to_90pct_s_max: 8 } }]);
    const { broken } = checkBudgets(budgets, [test()]);
    expect(broken).toMatchObject([{ limit: 'time_to_90pct_s_max', got: 'no time_to_90pct_s of this call' }]);
    const failed = test({ errors: [{ message: 'no' }] });
    expect(checkBudgets(budgets, [failed]).broken).toEqual([]);
  });

  it('is of the last attempt, and of every run of repeat', () => {
    const budgets = read([{ limits: { queue_delay_p95_ms_max: 100 } }]);
    const better = { ...CALL, queue_delay_p95_ms: 90 };
    const retried = fakeTest({
      attempts: [{ properties: CALL, errors: [{ message: 'no' }] }, { properties: better }],
    });
    expect(checkBudgets(budgets, [retried]).broken).toEqual([]);
    const runs = fakeTest({
      attempts: [{ properties: { 'run-1.queue_delay_p95_ms': 90, 'run-2.queue_delay_p95_ms': 110 } }],
    });
    expect(checkBudgets(budgets, [runs]).broken.map(({ title }) => title)).toEqual([
      'a call › recovers run-2',
    ]);
  });
});

describe('a budget', () => {
  const limits = { queue_delay_p95_ms_max: 1 };
  const broken = (about: object, on = [test()]): number =>
    checkBudgets(read([{ ...about, limits }]), on).broken.length;

  it('is for the tests and networks that it names', () => {
    for (const name of ['*', 'a call › recovers (50 %)', 'a call › *', '*(50 %)', 'a*recovers*'])
      expect(broken({ test: name }), name).toBe(1);
    for (const name of ['a call', 'recovers (50 %)', 'a call › recovers .50 %.', '* nothing'])
      expect(broken({ test: name }), name).toBe(0);
    expect(broken({ network: '1mbps*' })).toBe(1);
    expect(broken({ network: '2mbps*' })).toBe(0);
  });

  it('leaves tests without calls alone, unless it names one', () => {
    const without = fakeTest({ title: ['signs in'], attempts: [{}] });
    expect(broken({}, [without, test()])).toBe(1);
    const named = checkBudgets(read([{ test: 'signs in', limits }]), [without]);
    expect(named.broken).toMatchObject([{ got: 'no call in this test' }]);
    const skipped = fakeTest({ title: ['signs in'], attempts: [{ status: 'skipped' }] });
    expect(broken({ test: 'signs in' }, [skipped])).toBe(0);
  });

  it('that no call fell under is named', () => {
    const { unmatched } = checkBudgets(read([{ limits }, { test: 'gone', limits }]), [test()]);
    expect(unmatched).toEqual([expect.stringContaining('test gone on network * (budgets.1)')]);
  });
});

describe('a file that is wrong', () => {
  const wrong = (budgets: unknown): string => {
    try {
      read(budgets);
    } catch (error) {
      return (error as Error).message;
    }
    return 'taken';
  };

  it('is refused with its field, what was expected and a fix', () => {
    expect(wrong([{ limits: { queue_delay_p95_max: 100 } }])).toMatch(
      /^b\.json\.budgets\.0\.limits\.queue_delay_p95_max: expected one of .*; did you mean queue_delay_p95_ms_max\?$/,
    );
    expect(wrong([{ limits: { loss_ratio_max: 2 } }])).toBe(
      'b.json.budgets.0.limits.loss_ratio_max: expected a number from 0 to 1, got 2; correct this value',
    );
    expect(wrong([{ limits: {} }])).toContain('expected at least one limit');
    expect(wrong([{ test: '', limits: { freezes_max: 0 } }])).toContain('b.json.budgets.0.test: expected');
    expect(wrong([{ limits: { freezes_max: 0 } }])).toBe('taken');
    expect(() => readBudgets(files.path('none.json'))).toThrow(
      /^budgets: expected an existing file, got .*none\.json/,
    );
    expect(() => readBudgets(files.write('c.json', '{'))).toThrow(/^c\.json: expected JSON/);
  });
});
