import { describe, expect, it } from 'vitest';

import {
  compareCells,
  parseScenario,
  quantityKey,
  summarise,
  type CellValues,
} from '../../../src/scenario/index.js';
import { rank } from '../../../src/scenario/comparison.js';
import { minimal, problem } from './support.js';

const QUANTITIES = [
  { column: 'utilisation', metric: 'utilisation', best: 'most' },
  { column: 'loss', metric: 'loss_ratio', window: 'late', best: 'least' },
  { column: 'delay', metric: 'queue_delay_p50_ms', flow: '*' },
] as const;

const compared = {
  ...minimal,
  windows: [{ name: 'late', begin_s: 5, end_s: 10 }],
  axes: [
    {
      name: 'delay',
      label: 'one-way delay',
      values: [20, 80].map((ms) => ({ name: `${ms}ms`, set: { 'forward.one_way_delay_ms': ms } })),
    },
    {
      name: 'controller',
      values: [
        { name: 'gcc', label: 'GCC', set: { 'flows.gcc.preset': 'gcc' } },
        { name: 'nada', label: 'NADA', set: { 'flows.gcc.preset': 'nada-rfc8698' } },
        { name: 'lcc', label: 'LCC', set: { 'flows.gcc.preset': 'lcc' } },
      ],
    },
  ],
  comparison: { along: 'controller', quantities: QUANTITIES },
};
const scenario = parseScenario(compared);

/** The values of a cell. Each list in `runs` is for one quantity, with one number per run. */
function cell(delay: string, controller: string, ...runs: readonly (readonly number[])[]): CellValues {
  const values = QUANTITIES.map((quantity, i): [string, readonly number[]] => [
    quantityKey(quantity),
    runs[i] ?? [],
  ]);
  return { cell: { delay, controller }, values: new Map(values) };
}

const standings = (best: 'most' | 'least' | undefined, ...runs: number[][]): string[] =>
  rank(runs.map(summarise), best);

describe('who is best', () => {
  it('is who has the highest or the lowest mean', () => {
    expect(standings('most', [1, 1.1], [9, 9.1], [5, 5.1])).toEqual(['none', 'best', 'none']);
    expect(standings('least', [1, 1.1], [9, 9.1], [5, 5.1])).toEqual(['best', 'none', 'none']);
  });

  it('is shared with whose interval overlaps the interval of the best', () => {
    // Student's t for two runs is 12.7, so the intervals are 1 ± 12.7 * 0.1, 2 ± 12.7 * 0.1 and 9 ± 12.7 * 0.1.
    // The first two overlap; the third does not overlap the first.
    expect(standings('least', [0.9, 1.1], [1.9, 2.1], [8.9, 9.1])).toEqual(['best', 'close', 'none']);
    // A single run has no interval.
    expect(standings('least', [1], [1.01], [9])).toEqual(['best', 'none', 'none']);
  });

  it('is nobody where all do the same, and several who do equally well', () => {
    expect(standings('least', [0, 0], [0, 0])).toEqual(['none', 'none']);
    expect(standings('least', [0, 0], [0, 0], [1, 1])).toEqual(['best', 'best', 'none']);
    expect(standings(undefined, [1, 1], [2, 2])).toEqual(['none', 'none']);
  });

  it('is not who did it in fewer runs, and not who never did', () => {
    expect(standings('least', [3, NaN, NaN], [5, 6, 7], [9, 9.1, 9.2])).toEqual(['none', 'best', 'none']);
    expect(standings('least', [NaN], [NaN])).toEqual(['none', 'none']);
  });
});

describe('what a scenario compares', () => {
  const cases = compareCells(scenario, [
    cell('20ms', 'gcc', [0.8, 0.82], [0.01, 0.03], [5, 7]),
    cell('20ms', 'lcc', [0.9, 0.92], [0, 0], [3, 3]),
    cell('20ms', 'nada', [0.6, 0.602], [0.02, 0.02], [1, 1]),
    cell('80ms', 'gcc', [0.5, 0.5], [0, 0], [NaN, 4]),
  ]);

  it('is a case for each combination of the other axes, its rows in the order of the axis', () => {
    expect(cases.map(({ params, label }) => [params, label])).toEqual([
      [{ delay: '20ms' }, 'one-way delay 20ms'],
      [{ delay: '80ms' }, 'one-way delay 80ms'],
    ]);
    expect(cases.map(({ rows }) => rows.map(({ label }) => label))).toEqual([
      ['GCC', 'NADA', 'LCC'],
      ['GCC'],
    ]);
  });

  it('has the numbers of the runs', () => {
    const [first, second] = cases;
    expect(first?.columns).toEqual([
      { title: 'utilisation', metric: 'utilisation', unit: 'ratio', best: 'most' },
      { title: 'loss', metric: 'loss_ratio', unit: 'ratio', window: 'late', best: 'least' },
      { title: 'delay', metric: 'queue_delay_p50_ms', unit: 'ms', flow: '*' },
    ]);
    const means = first?.rows.map(({ values }) => values.map(({ measured }) => measured.mean));
    const expected = [
      [0.81, 0.02, 6],
      [0.601, 0.02, 1],
      [0.91, 0, 3],
    ];
    expected.forEach((row, i) => row.forEach((mean, j) => expect(means?.[i]?.[j]).toBeCloseTo(mean, 12)));
    // For two runs, half of the interval is 12.7 times half of the runs' difference. For the utilisation, that
    // is 0.127 for GCC and LCC, and 0.013 for NADA.
    expect(first?.rows.map(({ values }) => values.map(({ standing }) => standing))).toEqual([
      ['close', 'close', 'none'],
      ['none', 'none', 'none'],
      ['best', 'best', 'none'],
    ]);
    expect(second?.rows[0]?.values[2]?.measured).toMatchObject({ mean: 4, n: 1 });
  });

  it('is nothing where it compares nothing', () => {
    expect(compareCells(parseScenario(minimal), [])).toEqual([]);
  });

  it.each([
    [{ along: 'preset', quantities: QUANTITIES }, 'scenario.comparison.along'],
    [{ along: 'controller', quantities: [] }, 'scenario.comparison.quantities'],
    [
      { along: 'controller', quantities: [{ column: 'x', metric: 'utilization' }] },
      'scenario.comparison.quantities.0.metric',
    ],
    [{ along: 'controller', quantities: [QUANTITIES[0], QUANTITIES[0]] }, 'scenario.comparison.quantities'],
    [
      { along: 'controller', quantities: [{ ...QUANTITIES[0], best: 'big' }] },
      'scenario.comparison.quantities.0.best',
    ],
  ])('is refused with its path: %j', (comparison, field) => {
    expect(problem(() => parseScenario({ ...compared, comparison })).field).toBe(field);
  });
});
