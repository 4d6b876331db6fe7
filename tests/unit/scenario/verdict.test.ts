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

const [yes, no] = [
  { holds: true, p: 0.01 },
  { holds: false, p: 0.4 },
];
const holds = [[yes, yes]];
const fails = [[yes], [yes, no]];
/** A claim with a single run: the difference has the right sign, but a statistical test was not possible. */
const untested = [[{ holds: true, p: null }]];
/** Two claims. The second claim has no case that involves the cell. */
const elsewhere = [[yes], []];

describe('the verdict on a number', () => {
  it.each<[mean: number, claims: { holds: boolean; p: number | null }[][], verdict: string]>([
    [0.9, [], 'within'],
    [0.85, fails, 'within'],
    [0.95, [], 'within'],
    [0.8499, holds, 'ordering'],
    [0.951, holds, 'ordering'],
    [0.951, fails, 'off'],
    [0.951, [], 'off'],
    [0.951, elsewhere, 'off'],
    [0.951, untested, 'off'],
    // A rounding error, as in the mean of ten times 0.95, is tolerated. A real difference of 1e-7 is not.
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

/** The deviations of three runs from their mean: without any scatter, the statistical tests would be trivial. */
const SCATTER = [-1, 0, 1];

/**
 * Cells with given mean delays and fairness, and three runs each. In every cell, the runs' delays deviate
 * from their mean by the same SCATTER; the fairness is equal in all runs. So in a paired comparison of two
 * cells, each pair of runs differs by the difference of the means.
 */
function cells(delays: Record<string, [delay: number, jain?: number]>): CellValues[] {
  return Object.entries(delays).map(([key, [delay, jain = 1]]) => {
    const [queue = '', n = ''] = key.split(' ');
    const cell: CellParams = { queue, n };
    return {
      cell,
      values: new Map([
        [DELAY, SCATTER.map((by) => delay + by)],
        [JAIN, SCATTER.map(() => jain)],
      ]),
    };
  });
}

/** Cells whose runs have the given delays. */
const runs = (delays: Record<string, number[]>): CellValues[] =>
  Object.entries(delays).map(([queue, values]) => ({ cell: { queue }, values: new Map([[DELAY, values]]) }));

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

  it('does not hold where all are equal, where the ends differ by no more than runs scatter, or a value is missing', () => {
    expect(evaluateClaim(rising, cells({ 'short 1': [0], 'short 2': [0], 'short 4': [0] })).holds).toBe(
      false,
    );
    const scatters: Claim = { ...rising, along: 'queue' };
    expect(evaluateClaim(scatters, runs({ a: [50, 60, 70], b: [70, 50, 66] })).holds).toBe(false);
    expect(evaluateClaim(scatters, runs({ a: [50, 60, 70], b: [52, 62, 72.1] })).holds).toBe(true);
    expect(evaluateClaim(rising, cells({ 'short 1': [5], 'short 2': [NaN] })).holds).toBe(false);
  });

  it('is open where no two cells have run', () => {
    expect(evaluateClaim(rising, cells({ 'short 1': [5], 'long 2': [6] })).holds).toBeNull();
  });
});

describe('a claim that one converges faster', () => {
  const faster: Claim = {
    ...{ kind: 'compare', ...about, metric: 'convergence_s', is: '<' },
    ...{ cells: { queue: 'left' }, than: { cell: { queue: 'right' } } },
  };
  const never = (count: number): number[] => new Array<number>(count).fill(NaN);
  const results = (left: number[], right: number[], succeeded = left.map(() => 1)): CellValues[] =>
    Object.entries({ left, right }).map(([queue, values]) => ({
      cell: { queue },
      values: new Map([
        [quantityKey({ metric: 'convergence_s' }), values],
        [JAIN, succeeded],
      ]),
    }));
  const SURE = [5, 7, 9.5, 13.5, 17.5, 13.5, 14, 15, 18.5, 16];
  const RARE = [...never(4), 75, ...never(2), 32, ...never(2)];

  it('counts a run that never converged as the longest time that was measured', () => {
    const [{ values, holds } = { values: [], holds: false }] = evaluateClaim(
      faster,
      results(SURE, RARE),
    ).cases;
    // Nine of the ten slow runs count as 75 s, and one as 32 s.
    expect(values).toEqual([12.95, (9 * 75 + 32) / 10]);
    expect(holds).toBe(true);
  });

  it('fails for one that is fast, but rarely converges', () => {
    const rare = [5, 6, 7, ...never(7)];
    const slow = [30, 31, 32, 33, 34, 35, 36, 37, 38, 39];
    expect(evaluateClaim(faster, results(rare, slow)).holds).toBe(false);
    expect(evaluateClaim(faster, results(never(3), never(3))).holds).toBe(false);
  });

  it('is not below a number if a run never converged, and is if each did', () => {
    const below: Claim = { ...faster, than: 39, cells: { queue: 'left' } };
    const rare = evaluateClaim(below, results([5, 6, 7, ...never(7)], []));
    expect(rare.cases).toMatchObject([{ p: 1, holds: false }]);
    expect(evaluateClaim({ ...below, is: '~', tolerance: 39 }, results([5, 6, ...never(1)], [])).holds).toBe(
      false,
    );
    expect(evaluateClaim(below, results([5, 6, 7], [])).holds).toBe(true);
    // A run without any number has failed.
    expect(evaluateClaim(below, results([5, 6, 7, NaN], [], [1, 1, 1, NaN])).holds).toBe(true);
  });

  it('does not fall along an axis on which fewer and fewer runs converge', () => {
    const along = (ends: Record<string, number[]>): CellValues[] =>
      Object.entries(ends).map(([n, values]) => ({
        cell: { n },
        values: new Map([
          [quantityKey({ metric: 'convergence_s' }), values],
          [JAIN, values.map(() => 1)],
        ]),
      }));
    const falls: Claim = { ...rising, metric: 'convergence_s', direction: 'falling' };
    expect(evaluateClaim(falls, along({ 1: [30, 31, 32], 2: [10, 11, 12] })).holds).toBe(true);
    expect(evaluateClaim(falls, along({ 1: [30, 31, 32], 2: [10, ...never(2)] })).holds).toBe(false);
  });

  it('leaves out runs that have failed, which have no numbers at all', () => {
    const failed = [1, 1, NaN];
    const [{ values } = { values: [] }] = evaluateClaim(
      faster,
      results([5, 6, NaN], [10, NaN, NaN], failed),
    ).cases;
    expect(values).toEqual([5.5, 10]);
  });
});

describe('a claim that compares', () => {
  const base = { kind: 'compare', ...about, metric: 'rtt_mean_ms' } as const;
  const results = cells({ 'short 1': [50], 'short 2': [60], 'long 1': [70], 'long 2': [130] });
  const inA = { ...base, cells: { queue: 'a' } };

  /*
   * The one-sided critical value of Student's t at 5 % with two degrees of freedom is 2.920. So with three runs and a
   * standard deviation of 1, a mean is significantly above a number only if the difference exceeds 2.920 / √3 = 1.686.
   */
  it.each<[is: '<' | '>', than: number, result: boolean]>([
    ['<', 60, false],
    ['<', 61.68, false],
    ['<', 61.69, true],
    ['>', 60, false],
    ['>', 58.32, false],
    ['>', 58.31, true],
  ])('with a number: 60 ± 1 %s %d', (is, than, result) => {
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

  /*
   * The ten patients of W. S. Gosset (Student, Biometrika 6, 1908: hours of sleep gained with two drugs). For the
   * differences, textbooks give t = 4.062 with nine degrees of freedom, and a two-sided p of 0.00283.
   */
  it('run by run, since a run has the same seed in each cell: the p of the paired test', () => {
    const sleep = runs({
      a: [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
      b: [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    });
    const [tested] = evaluateClaim({ ...inA, is: '>', than: { cell: { queue: 'b' } } }, sleep).cases;
    expect(tested?.p).toBeCloseTo(0.002833 / 2, 5);
    expect(tested?.holds).toBe(true);
    const [turned] = evaluateClaim({ ...inA, is: '<', than: { cell: { queue: 'b' } } }, sleep).cases;
    expect(turned?.p).toBeCloseTo(1 - 0.002833 / 2, 5);
  });

  it('is not shown by zero beside zero, nor by a difference that runs scatter by', () => {
    const than = { cell: { queue: 'b' } };
    expect(evaluateClaim({ ...inA, is: '>', than }, runs({ a: [0, 0, 0], b: [0, 0, 0] })).holds).toBe(false);
    expect(evaluateClaim({ ...inA, is: '>', than }, runs({ a: [9, 2, 7], b: [3, 6, 4] })).holds).toBe(false);
  });

  it('by one run is what that run gave, and tests nothing', () => {
    const than = { cell: { queue: 'b' } };
    expect(evaluateClaim({ ...inA, is: '>', than }, runs({ a: [2], b: [1] })).cases).toMatchObject([
      { p: null, holds: true },
    ]);
  });

  it('with another quantity', () => {
    const claim: Claim = {
      ...base,
      is: '>',
      than: { metric: 'jain', times: 47 },
      cells: { queue: 'short', n: '1' },
    };
    expect(evaluateClaim(claim, results).cases).toMatchObject([{ values: [50, 47], holds: true }]);
  });

  it('by a tolerance, which what runs scatter by must not reach on either side', () => {
    const near: Claim = { ...inA, is: '~', than: { cell: { queue: 'b' } }, tolerance: 20 };
    const tested = (a: number[], tolerance = 20) =>
      evaluateClaim({ ...near, tolerance }, runs({ a, b: [50, 50, 50] }));
    const holds = (a: number[], tolerance?: number): boolean | null => tested(a, tolerance).holds;
    expect(holds([69, 70, 71])).toBe(false);
    expect(holds([67, 68, 69])).toBe(true);
    expect(holds([31, 32, 33])).toBe(true);
    expect(holds([10, 50, 90])).toBe(false);
    // Without scatter, a difference equal to the tolerance counts as within the tolerance. With a tolerance of
    // 0, only equal values do.
    expect([holds([70, 70, 70]), holds([71, 71, 71])]).toEqual([true, false]);
    expect([tested([70, 70, 70]), tested([71, 71, 71])].map(({ cases }) => cases[0]?.p)).toEqual([0, 1]);
    expect([holds([50, 50, 50], 0), holds([50, 50, 51], 0)]).toEqual([true, false]);
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
    // The claim holds in `short` and fails in `long`; the failure must not affect verdicts on the numbers of
    // `short`.
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
      measured: { mean: 52, n: 3 },
    });
    expect(judged.statements).toMatchObject([
      { metric: 'rtt_mean_ms', numbers: { within: 1, ordering: 2, off: 0 }, verdict: 'ordering' },
    ]);
    expect(judged.claims).toMatchObject([{ id: 'c', holds: false }]);
    expect(countVerdicts([judged, judged])).toEqual({ within: 2, ordering: 4, off: 0 });
  });

  it('is off where neither the band nor the claim holds', () => {
    const judged = judge(scenario, cells({ 'short 1': [56], 'short 2': [49] }));
    expect(countVerdicts([judged])).toEqual({ within: 0, ordering: 0, off: 2 });
    expect(judged.statements).toMatchObject([{ verdict: 'off' }]);
  });

  it('refuses a number that would rest on a claim of another quantity', () => {
    const [expectation] = scenario.expectations ?? [];
    const unrelated = { ...scenario, expectations: [{ ...expectation, metric: 'jain', band: [50, 55] }] };
    expect(() => parseScenario(unrelated)).toThrow(
      'scenario.expectations.0.claims: expected a claim about jain with the flow, window and path of this expectation',
    );
  });
});
