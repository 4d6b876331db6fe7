/** Which calls of a history belong to the same test, and what the test is called. */
import { describe, expect, it } from 'vitest';

import type { HistoryCall, HistoryRun } from '../../../src/trend/history.js';
import { groupTitle, trendText } from '../../../src/trend/text.js';
import { trendOf } from '../../../src/trend/trend.js';

const call = (queue_delay_p95_ms: number, more: Partial<HistoryCall> = {}): HistoryCall => ({
  test: 'a call › recovers',
  project: '',
  run: null,
  network: '1mbps',
  backend: 'shaper',
  outcome: 'passed',
  metrics: { queue_delay_p95_ms },
  ...more,
});

const history = (...runs: (readonly HistoryCall[])[]): HistoryRun[] =>
  runs.map((calls, i) => ({
    ccscope_history: 1,
    ccscope: '0.1.0',
    created: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
    commit: null,
    outcome: 'passed',
    calls: [...calls],
  }));

const groupsOf = (runs: readonly HistoryRun[]) => {
  const { groups } = trendOf(runs);
  return groups.map((group) => [groupTitle(group, groups), group.lines[0]?.values]);
};

const A = { file: 'a.spec.ts' };
const B = { file: 'b/b.spec.ts' };

describe('tests of the same title', () => {
  it('are different tests if they are in different files, and their titles then name the files', () => {
    const runs = history([call(100, A), call(300, B)], [call(110, A), call(310, B)]);
    expect(groupsOf(runs)).toEqual([
      ['a.spec.ts › a call › recovers', [100, 110]],
      ['b/b.spec.ts › a call › recovers', [300, 310]],
    ]);
    const text = trendText(trendOf(runs));
    expect(text).toContain('\na.spec.ts › a call › recovers · 1mbps\n');
    expect(text).toContain('\nb/b.spec.ts › a call › recovers · 1mbps\n');
  });

  it('name no file where the project already tells them apart, or the network', () => {
    const runs = history([call(100, { ...A, project: 'x' }), call(200, { ...B, project: 'y' })]);
    expect(groupsOf(runs).map(([title]) => title)).toEqual([
      'a call › recovers (x)',
      'a call › recovers (y)',
    ]);
    const networks = history([call(100, A), call(200, { ...A, network: 'lte' })]);
    expect(groupsOf(networks).map(([title]) => title)).toEqual(['a call › recovers', 'a call › recovers']);
  });
});

describe('a trend of many tests', () => {
  it('looks at each call a few times, however many tests there are', () => {
    const readsOf = (tests: number): number => {
      let reads = 0;
      const counted = (test: string): HistoryCall =>
        Object.defineProperty(call(100, A), 'test', {
          get: () => {
            reads++;
            return test;
          },
        });
      const run = Array.from({ length: tests }, (_, i) => counted(`test ${i}`));
      expect(trendOf(history(run, run)).groups).toHaveLength(tests);
      return reads / (2 * tests);
    };
    expect(readsOf(200)).toBe(readsOf(20));
  });

  it('does not take a time that Chrome’s own throttling cannot measure for one that was never reached', () => {
    const timed = call(100, { metrics: { queue_delay_p95_ms: 100, time_to_90pct_s: 3 } });
    const lineWith = (backend: string) => {
      const { groups } = trendOf(history([timed], [timed], [timed], [call(100, { backend })]));
      return groups[0]?.lines.find(({ metric }) => metric === 'time_to_90pct_s');
    };
    expect(lineWith('devtools')).toMatchObject({ latest: 3, latest_run: 2, outside: null });
    expect(lineWith('shaper')).toMatchObject({ latest: null, latest_run: 3, outside: 'worse' });
  });
});

describe('a run of an earlier version, which names no files', () => {
  it('continues with the only file that has this test', () => {
    expect(groupsOf(history([call(100)], [call(110, A)]))).toEqual([['a call › recovers', [100, 110]]]);
  });

  it('stands alone if two files have such a test', () => {
    expect(groupsOf(history([call(100)], [call(110, A), call(300, B)]))).toEqual([
      ['a call › recovers', [100, null]],
      ['a.spec.ts › a call › recovers', [null, 110]],
      ['b/b.spec.ts › a call › recovers', [null, 300]],
    ]);
  });
});
