import { describe, expect, it } from 'vitest';

import {
  countVerdicts,
  evaluateClaim,
  judge,
  parseScenario,
  quantitiesOf,
  quantityKey,
  verdictOf,
  type CellParams,
  type CellValues,
  type Claim,
} from '../../../src/scenario/index.js';
import { varied } from './support.js';

const holds = [{ holds: true }];
const fails = [{ holds: true }, { holds: false }];

describe('the verdict on a number', () => {
  it.each<[mean: number, claims: { holds: boolean }[], verdict: string]>([
    [0.9, [], 'within'],
    [0.85, fails, 'within'],
    [0.95, [], 'within'],
    [0.8499, holds, 'ordering'],
    [0.951, holds, 'ordering'],
    [0.951, fails, 'off'],
    [0.951, [], 'off'],
    // The mean of ten times 0.95 in floating point; a real difference is not forgiven.
    [0.95 + 4e-16, [], 'within'],
    [0.85 - 4e-16, [], 'within'],
    [0.95 + 1e-7, [], 'off'],
    [NaN, holds, 'off'],
  ])('%d in 0.85 to 0.95, claims %j: %s', (mean, claims, verdict) => {
    expect(verdictOf(mean, [0.85, 0.95], claims)).toBe(verdict);
  });
});

const DELAY = quantityKey({ metric: 'rtt_mean_ms' });
const JAIN = quantityKey({ metric: 'jain' });

/** Cells whose delay and fairness are given. */
function cells(delays: Record<string, [delay: number, jain?: number]>): CellValues[] {
  return Object.entries(delays).map(([key, [delay, jain = 1]]) => {
    const [queue = '', n = ''] = key.split(' ');
    const cell: CellParams = { queue, n };
    return {
      cell,
      values: new Map([
        [DELAY, [delay - 1, delay + 1]],
        [JAIN, [jain]],
      ]),
    };
  });
}

const about = { id: 'c', says: 'so it is', where: 'section 1' };
const rising: Claim = { kind: 'monotone', ...about, metric: 'rtt_mean_ms', along: 'n', direction: 'rising' };

describe('a claim that something rises', () => {
  it('holds in each combination of the other axes by itself', () => {
    const results = cells({
      'short 1': [50],
      'short 2': [60],
      'short 4': [60],
      'long 1': [80],
      'long 2': [70],
    });
    const { holds: all, cases } = evaluateClaim(rising, results);
    expect(cases.map((each) => [each.values, each.holds])).toEqual([
      [[50, 60, 60], true],
      [[80, 70], false],
    ]);
    expect(all).toBe(false);
  });

  it('may step back by its tolerance', () => {
    const results = cells({ 'short 1': [50], 'short 2': [48], 'short 4': [60] });
    expect(evaluateClaim({ ...rising, tolerance: 2 }, results).holds).toBe(true);
    expect(evaluateClaim({ ...rising, tolerance: 1.9 }, results).holds).toBe(false);
  });

  it('turns round for what falls', () => {
    const falling: Claim = { ...rising, direction: 'falling' };
    expect(evaluateClaim(falling, cells({ 'short 1': [5], 'short 2': [4] })).holds).toBe(true);
    expect(evaluateClaim(falling, cells({ 'short 1': [4], 'short 2': [5] })).holds).toBe(false);
  });

  it('does not hold where a value is missing, and is open where no two cells have run', () => {
    expect(evaluateClaim(rising, cells({ 'short 1': [5], 'short 2': [NaN] })).holds).toBe(false);
    expect(evaluateClaim(rising, cells({ 'short 1': [5], 'long 2': [6] })).holds).toBeNull();
  });
});

describe('a claim that compares', () => {
  const base = { kind: 'compare', ...about, metric: 'rtt_mean_ms' } as const;
  const results = cells({ 'short 1': [50], 'short 2': [60], 'long 1': [70], 'long 2': [130] });

  it.each<[is: '<' | '<=' | '>' | '>=', than: number, result: boolean]>([
    ['<', 60, false],
    ['<', 60.1, true],
    ['<=', 60, true],
    ['>', 60, false],
    ['>', 59.9, true],
    ['>=', 60, true],
  ])('with a number: 60 %s %d', (is, than, result) => {
    const claim: Claim = { ...base, is, than, cells: { queue: 'short', n: '2' } };
    expect(evaluateClaim(claim, results).holds).toBe(result);
  });

  it('with the same quantity in another cell', () => {
    const claim: Claim = { ...base, is: '<', than: { cell: { queue: 'long' } }, cells: { queue: 'short' } };
    expect(evaluateClaim(claim, results).cases.map(({ values }) => values)).toEqual([
      [50, 70],
      [60, 130],
    ]);
    expect(evaluateClaim({ ...claim, than: { cell: { queue: 'long' }, times: 0.5 } }, results).holds).toBe(
      false,
    );
  });

  it('with another quantity', () => {
    const claim: Claim = {
      ...base,
      is: '>',
      than: { metric: 'jain', times: 49 },
      cells: { queue: 'short', n: '1' },
    };
    expect(evaluateClaim(claim, results).cases).toMatchObject([{ values: [50, 49], holds: true }]);
  });

  it('by a tolerance', () => {
    const claim: Claim = {
      ...base,
      is: '~',
      than: { cell: { queue: 'long' } },
      cells: { queue: 'short', n: '1' },
      tolerance: 20,
    };
    expect(evaluateClaim(claim, results).holds).toBe(true);
    expect(evaluateClaim({ ...claim, tolerance: 19 }, results).holds).toBe(false);
  });
});

describe('an experiment', () => {
  const scenario = parseScenario({
    ...varied,
    expectations: [
      {
        metric: 'rtt_mean_ms',
        cells: { queue: 'short' },
        published: 55,
        where: 'section 1',
        read: 'text',
        band: [50, 55],
        why: 'a rule',
        claims: ['c'],
      },
    ],
    claims: [rising],
    metrics: [{ metric: 'jain' }],
    pictures: [{ kind: 'boxes', distribution: 'rtt', group_by: 'queue' }],
  });

  it('measures what is expected, claimed, shown and pictured, each once', () => {
    const names = (queue: string): string[] =>
      quantitiesOf(scenario, { queue, n: '1' }).map(({ metric }) => metric);
    const boxes = ['rtt_p5_ms', 'rtt_p25_ms', 'rtt_p50_ms', 'rtt_p75_ms', 'rtt_p95_ms'];
    expect(names('short')).toEqual(['rtt_mean_ms', 'jain', ...boxes]);
    expect(names('long')).toEqual(['jain', 'rtt_mean_ms', ...boxes]);
  });

  it('has a verdict for each published number, from the cases of its claims that its cell is part of', () => {
    // Rises in `short`, falls in `long`: that is no fault of the numbers in `short`.
    const results = cells({
      'short 1': [49],
      'short 2': [52],
      'short 4': [56],
      'long 1': [9],
      'long 2': [8],
    });
    const judged = judge(scenario, results);
    const first = judged.cells.map((cell) => cell.metrics[0]);
    expect(first.map((metric) => metric?.verdict)).toEqual([
      'ordering',
      'within',
      'ordering',
      undefined,
      undefined,
    ]);
    expect(first[1]).toMatchObject({
      name: 'rtt_mean_ms',
      unit: 'ms',
      published: 55,
      band: [50, 55],
      measured: { mean: 52, n: 2 },
    });
    expect(judged.claims).toMatchObject([{ id: 'c', holds: false }]);
    expect(countVerdicts([judged, judged])).toEqual({ within: 2, ordering: 4, off: 0 });
  });

  it('is off where neither the band nor the claim holds', () => {
    const judged = judge(scenario, cells({ 'short 1': [56], 'short 2': [49] }));
    expect(countVerdicts([judged])).toEqual({ within: 0, ordering: 0, off: 2 });
  });
});
