import { describe, expect, it } from 'vitest';

import { compareCells, verdict } from '../../../src/command_line/matrix/verdicts.js';
import { matrixText } from '../../../src/command_line/matrix/text.js';
import { cell } from './support.js';

const native = { controller: 'native' };

describe('a verdict', () => {
  const least = { metric: 'utilisation', at_least: -0.02 } as const;
  const most = { metric: 'queue_delay_p95_ms', at_most: 20 } as const;

  it.each([
    [least, -0.021, false],
    [least, -0.02, true],
    [least, 0.88 - 0.9, true],
    [least, 0.3, true],
    [most, 20, true],
    [most, 20.1, false],
    [most, -100, true],
    [most, Infinity, false],
    [most, -Infinity, true],
    [most, NaN, null],
  ])('%j of a difference of %d: %s', (target, difference, holds) => {
    expect(verdict(target, difference).holds).toBe(holds);
  });

  it('has no number for a time that was never reached', () => {
    expect(verdict(most, Infinity).difference).toBeNull();
  });
});

describe('cells beside their baseline', () => {
  const targets = [
    { metric: 'utilisation', at_least: -0.02 },
    { metric: 'time_to_90pct_s', at_most: 1 },
    { metric: 'utilisation', over: 'links', at_least: 0.02 },
  ] as const;

  it('differ by their medians', () => {
    const { comparisons } = compareCells(
      [
        cell({}, { utilisation: 0.5 }, { utilisation: 0.95, drops: 4 }, { utilisation: 0.92, drops: 7 }),
        cell(native, { utilisation: 0.9, drops: 1 }, { utilisation: 0.8 }, { utilisation: 0.99, drops: 6 }),
      ],
      'native',
      targets,
    );
    expect(comparisons).toHaveLength(1);
    expect(comparisons[0]).toMatchObject({ controller: 'gcc', against: 'native', link: 'narrow' });
    expect(comparisons[0]?.differences.utilisation).toBeCloseTo(0.02, 9);
    expect(comparisons[0]?.differences.drops).toBe(3);
    expect(comparisons[0]?.verdicts.map(({ holds }) => holds)).toEqual([true, true]);
  });

  it.each([
    ['neither ever', null, null, 0, true],
    ['the controller never', null, 5, null, false],
    ['the baseline never', 5, null, null, true],
    ['later', 6.5, 5, 1.5, false],
    ['a little later', 5.9, 5, 0.9, true],
  ])('start %s', (_, ours, theirs, difference, holds) => {
    const { comparisons } = compareCells(
      [cell({}, { time_to_90pct_s: ours }), cell(native, { time_to_90pct_s: theirs })],
      'native',
      targets,
    );
    const start = comparisons[0]?.verdicts[1];
    if (difference === null) expect(start?.difference).toBeNull();
    else expect(start?.difference).toBeCloseTo(difference, 9);
    expect(start?.holds).toBe(holds);
  });

  it('are judged over the links of each set, and over all', () => {
    const link = (name: string, set: 'training' | 'test', gain: number) => [
      cell({ link: name, set }, { utilisation: 0.8 + gain }),
      cell({ link: name, set, ...native }, { utilisation: 0.8 }),
    ];
    const cells = [
      ...[link('a', 'training', 0.05), link('b', 'training', 0.03), link('c', 'training', -0.05)],
      ...[link('d', 'test', 0.01), link('e', 'test', 0)],
    ].flat();
    const { over_links } = compareCells(cells, 'native', targets);
    expect(
      over_links.map(({ set, cells: n, holding, verdicts }) => [
        set,
        n,
        holding[0]?.holds_in,
        verdicts[0]?.holds,
      ]),
    ).toEqual([
      ['training', 3, 2, true],
      ['test', 2, 2, false],
      [null, 5, 4, false],
    ]);
    expect(over_links[0]?.differences.utilisation).toBeCloseTo(0.03, 9);
    expect(over_links[2]?.differences.utilisation).toBeCloseTo(0.01, 9);
  });

  it('have nothing to be compared with where the baseline took no part', () => {
    expect(compareCells([cell({}, {})], 'native', targets)).toEqual({ comparisons: [], over_links: [] });
    const apart = [cell({}, {}), cell({ ...native, link: 'wide' }, {})];
    expect(compareCells(apart, 'native', targets).comparisons).toEqual([]);
  });

  it('are named in the text where a target fails, and where it is not known whether it does', () => {
    const of = (frozen: number | null) => {
      const cells = [
        cell({}, { utilisation: 0.5, freeze_count: frozen }),
        cell(native, { freeze_count: frozen }),
      ];
      const freezes = { metric: 'freeze_count', at_most: 1 } as const;
      const compared = compareCells(cells, 'native', [...targets, freezes]);
      return matrixText({
        ...{ title: 'Two', description: null, matrix: 'two', ccscope: '1.2.3', created: '2026-01-31' },
        ...{ runs: 1, duration_s: 42, complete: true, notes: [], failures: [] },
        ...{ baseline: 'native', cells, ...compared },
      });
    };
    expect(of(0)).toMatch(/ utilisation$/m);
    expect(of(null)).toMatch(/ utilisation, freezes \(not known\)$/m);
  });
});
