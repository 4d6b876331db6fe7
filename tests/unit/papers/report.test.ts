import { describe, expect, it } from 'vitest';

import { csvOfFigure } from '../../../src/app/chart_files.js';
import type { BarFigure } from '../../../src/figures/figure.js';
import { experimentReport, type ExperimentReport } from '../../../src/papers/report.js';
import { claimText, publishedText } from '../../../src/papers/text.js';
import { judge, parseScenario, quantityKey, type CellValues } from '../../../src/scenario/index.js';
import { varied } from '../scenario/support.js';

const RTT = quantityKey({ metric: 'rtt_mean_ms' });
const LOSS = quantityKey({ metric: 'loss_ratio' });

const from = { where: 'Fig. 1', read: 'text', why: 'for a test' } as const;
const scenario = parseScenario({
  ...varied,
  expectations: [
    {
      ...{ metric: 'rtt_mean_ms', published: 50, band: [40, 60], claims: ['lower'], ...from },
      note: [{ cells: { queue: 'long' }, text: 'The queue is long.' }],
    },
    {
      ...{ metric: 'loss_ratio', published: 0, band: [0, 0.01], ...from },
      ...{ published_is: 'words', says: 'hardly any' },
    },
  ],
  claims: [
    {
      ...{ kind: 'compare', id: 'lower', says: 'A short queue has a shorter RTT.', where: 'Fig. 1' },
      ...{ metric: 'rtt_mean_ms', cells: { queue: 'short' }, is: '<', than: { cell: { queue: 'long' } } },
    },
    {
      ...{ kind: 'compare', id: 'same', says: 'The loss is the same.', where: 'Fig. 1' },
      ...{ metric: 'loss_ratio', cells: { queue: 'short' }, is: '~', tolerance: 0.01, than: 0.02 },
    },
    {
      ...{ kind: 'monotone', id: 'rises', says: 'The RTT rises.', where: 'Fig. 1' },
      ...{ metric: 'rtt_mean_ms', along: 'n', direction: 'rising', cells: { queue: 'long' } },
    },
  ],
});

const cell = (queue: string, n: string, rtt: readonly number[], loss: readonly number[]): CellValues => ({
  cell: { queue, n },
  values: new Map([
    [RTT, rtt],
    [LOSS, loss],
  ]),
});

function reportOn(runs: number): ExperimentReport {
  const some = (values: readonly number[]): number[] => values.slice(0, runs);
  const results = [
    cell('short', '1', some([58, 60, 61]), some([0, 0.001, 0])),
    cell('long', '1', some([80, 82, 84]), some([0.009, 0.012, 0.01])),
    cell('long', '2', some([70, 71, 75]), some([0, 0, 0])),
  ];
  return experimentReport(scenario, judge(scenario, results), { runs, cpuSeconds: 1 });
}

describe('the report of an experiment', () => {
  it('marks and counts means whose interval reaches across an edge of the band, but not beyond what is possible', () => {
    const { cells, summary } = reportOn(3);
    expect(cells.map(({ metrics }) => metrics.map((one) => [one.verdict, one.across_edge]))).toEqual([
      // The interval 59.7 ± 3.8 ms extends across 60 ms, the edge of the band. A loss cannot be below 0, so 0.03 ±
      // 0.14 % extends across no edge.
      [
        ['within', true],
        ['within', false],
      ],
      [
        ['ordering', false],
        ['off', true],
      ],
      [
        ['off', false],
        ['within', false],
      ],
    ]);
    expect(summary.across_edge).toBe(2);
  });

  it('calls nothing an ordering after a single run, which tests nothing', () => {
    const { cells, claims } = reportOn(1);
    expect(claims[0]).toMatchObject({ holds: true, p: null });
    expect(cells[1]?.metrics[0]?.verdict).toBe('off');
  });

  it('has the note of the cell', () => {
    const notes = reportOn(3).cells.map(({ metrics }) => metrics[0]?.note);
    expect(notes).toEqual([undefined, 'The queue is long.', 'The queue is long.']);
  });

  it('says how each claim is tested, and in which cells it fails', () => {
    const { claims } = reportOn(3);
    expect(claims.map(({ test }) => test)).toEqual([
      'rtt mean: below its value with queue long',
      'loss ratio: about 2.00 %, at most 1.00 % from it',
      'rtt mean: along n the last value is above the first, and no step between means goes the other way',
    ]);
    expect(claims.map(({ failing }) => failing.map((each) => each.cell))).toEqual([
      [],
      ['queue short, n 1'],
      ['queue long'],
    ]);
    const { failing, cases, ...rest } = claims[2] as (typeof claims)[number];
    const two = { ...rest, cases: { hold: 1, of: 2 }, failing, p: 0.99 };
    expect(claimText(two)).toMatch(/^1 of 2 cases, p 0\.990; not: queue long \(p 0\.\d+\)$/);
    expect(cases).toEqual({ hold: 0, of: 1 });
  });

  it('tells a number of the paper from one that stands for its words', () => {
    const { cells, statements } = reportOn(3);
    expect(cells[0]?.metrics.map(publishedText)).toEqual([
      '50 ms',
      'hardly any (words; 0 % stands for them)',
    ]);
    expect(statements.map((each) => each.published_is)).toEqual(['number', 'words']);
  });
});

describe('the CSV of a figure with bars', () => {
  it('tells the paper’s number from our band, and says what made the values', () => {
    const figure: BarFigure = {
      ...{ kind: 'bars', title: 'Share', y: { label: 'share', unit: '' }, x: 'queue', groups: ['150 ms'] },
      metric: 'fair_share_ratio',
      series: [
        {
          label: 'C 1 Mbps',
          bars: [
            {
              ...{ mean: 1.75, sd: 0.05, n: 10, ci95: 0.04, verdict: 'off' },
              published: { number: 1, low: 0.73, high: 1.27 },
            },
          ],
        },
      ],
    };
    const text = csvOfFigure(figure, { experiment: { id: 'ton-fig12', seed: 1 }, version: '1.2.3' });
    expect(text.split('\r\n')).toEqual([
      'series,metric,unit,group,mean,sd,ci95_half,n,published,band_low,band_high,verdict,experiment,seed,ccscope',
      'C 1 Mbps,fair_share_ratio,,150 ms,1.75,0.05,0.04,10,1,0.73,1.27,off,ton-fig12,1,1.2.3',
      '',
    ]);
  });
});
