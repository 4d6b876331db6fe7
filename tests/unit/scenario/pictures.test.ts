import { describe, expect, it } from 'vitest';

import { folded } from '../../../src/charts/figures/folded.js';
import { limits } from '../../../src/charts/figures/limits.js';
import { tableSpec } from '../../../src/core/schema.js';
import type { TraceBatch } from '../../../src/core/index.js';
import { publishedMark, type CellResults } from '../../../src/figures/cell_results.js';
import { densityFigure } from '../../../src/figures/density_figures.js';
import { describeFigure, type Bar, type BarFigure, type Figure } from '../../../src/figures/figure.js';
import {
  cellsOf,
  instantiate,
  parseScenario,
  type Quantity,
  type Scenario,
} from '../../../src/scenario/index.js';
import { pictureFigures } from '../../../src/figures/pictures.js';
import {
  cumulative,
  curvePoints,
  meanSeries,
  shownUnit,
  traceSeries,
  unitFactor,
} from '../../../src/figures/trace_columns.js';

/** A batch of the table `throughput`. */
function throughput(
  ...rows: [flow: number, timeS: number, receivedBps: number, rttUs?: number][]
): TraceBatch {
  const columns = tableSpec('throughput').columns.map(({ name }) =>
    Float64Array.from(rows, ([flow, timeS, bps, rtt = NaN]) => {
      const values: Record<string, number> = { flow, time_us: timeS * 1e6, received_bps: bps, rtt_us: rtt };
      return values[name] ?? NaN;
    }),
  );
  return { table: 'throughput', rows: rows.length, columns };
}

describe('columns of a trace', () => {
  it('come per flow; short absences are left out, long ones stay as a gap', () => {
    const rows: [number, number, number][] = [
      [1, 0, NaN],
      [1, 1, 10],
      [0, 1, 1],
      [1, 2, NaN],
      [1, 3, 30],
      [1, 4, NaN],
      [1, 5, NaN],
      [1, 6, 60],
      [1, 7, NaN],
    ];
    const [first, second, ...more] = traceSeries(
      [throughput(...rows.slice(0, 4)), throughput(...rows.slice(4))],
      'throughput',
      'received_bps',
    );
    expect(more).toEqual([]);
    expect([first?.flow, [...(first?.values ?? [])]]).toEqual([0, [1]]);
    expect([second?.flow, [...(second?.values ?? [])]]).toEqual([1, [10, 30, NaN, NaN, 60]]);
    expect([...(second?.timeUs ?? [])]).toEqual([1e6, 3e6, 4e6, 5e6, 6e6]);
    expect(curvePoints(second as NonNullable<typeof second>, 1e-3, 100)).toEqual([
      [1, 0.01],
      [3, 0.03],
      [4, null],
      [5, null],
      [6, 0.06],
    ]);
  });

  it('are shown in units without endless digits', () => {
    expect([
      shownUnit('received_bps'),
      shownUnit('received_bps', 'bps'),
      shownUnit('received_bps', 'Mbps'),
    ]).toEqual(['kbps', 'kbps', 'Mbps']);
    expect(unitFactor('received_bps', 'Mbps')).toBe(1e-6);
    expect([shownUnit('rtt_us'), unitFactor('rtt_us', 'ms')]).toEqual(['ms', 1e-3]);
    expect([shownUnit('fraction_lost'), unitFactor('fraction_lost', '%')]).toEqual(['%', 100]);
    expect([shownUnit('gamma_ms'), shownUnit('signal')]).toEqual(['ms', '']);
  });

  it('of several flows have a mean over those that are there', () => {
    const batch = throughput([0, 1, 10], [0, 2, 20], [1, 2, 40], [1, 3, 60]);
    const mean = meanSeries(traceSeries([batch], 'throughput', 'received_bps'));
    expect([...(mean?.timeUs ?? [])]).toEqual([1e6, 2e6, 3e6]);
    expect([...(mean?.values ?? [])]).toEqual([10, 30, 60]);
    expect(meanSeries([])).toBeNull();
  });

  it('have a distribution: the share of samples that are at most x', () => {
    const values = Float64Array.of(40, 10, NaN, 30, 20);
    const series = { flow: 0, timeUs: new Float64Array(5), values };
    expect(cumulative(series, 1, 4)).toEqual([
      [10, 25],
      [20, 50],
      [30, 75],
      [40, 100],
    ]);
    expect(cumulative(series, 1, 2)).toEqual([
      [20, 50],
      [40, 100],
    ]);
  });
});

const scenario: Scenario = parseScenario({
  ccscope_scenario: 1,
  id: 'pictured',
  title: 'Pictured',
  description: 'Pictures of every kind.',
  duration_s: 10,
  forward: { capacity: '1mbps' },
  flows: [
    { kind: 'media', name: 'gcc' },
    { kind: 'tcp', name: 'tcp' },
  ],
  axes: [
    {
      name: 'capacity',
      label: 'C',
      values: [
        { name: '1mbps', label: '1 Mbps', at: 1, set: { 'forward.capacity': '1mbps' } },
        { name: '2mbps', label: '2 Mbps', at: 2, set: { 'forward.capacity': '2mbps' } },
      ],
    },
    {
      name: 'queue',
      values: [
        { name: 'droptail', set: { 'forward.queue': 'droptail:300ms' } },
        { name: 'codel', set: { 'forward.queue': 'codel' } },
      ],
    },
  ],
  expectations: [
    {
      metric: 'utilisation',
      cells: { queue: 'codel' },
      published: 0.9,
      where: 'Fig. 1',
      read: 'figure',
      band: [0.85, 0.95],
      why: 'a test',
    },
    {
      metric: 'rtt_p95_ms',
      cells: { capacity: '1mbps' },
      published: 130,
      says: 'about 130 ms',
      where: 'Fig. 1',
      read: 'text',
      band: [105, 155],
      why: 'a test',
    },
  ],
});

const mean = (params: Readonly<Record<string, string>>): number =>
  (params['capacity'] === '1mbps' ? 0.5 : 0.75) + (params['queue'] === 'codel' ? 0.2 : 0);

/** Results of every cell: numbers that differ from cell to cell, and trace rows of two flows at 1 s and 2 s. */
const cells = cellsOf(scenario).map((params): CellResults => ({
  params,
  scenario: instantiate(scenario, params),
  summary: ({ metric }: Quantity) => ({
    mean: metric.startsWith('rtt') ? Number(/\d+/.exec(metric)?.[0] ?? NaN) : mean(params),
    sd: 0.01,
    ci95: [0, 1],
    n: 3,
  }),
  trace: [throughput([0, 1, 8e5, 50e3], [1, 1, 2e5, 60e3], [0, 2, 6e5, 70e3], [1, 2, 4e5, 80e3])],
  densities: new Map(),
}));

function draw(picture: NonNullable<Scenario['pictures']>[number]): Figure[] {
  return pictureFigures({ ...scenario, pictures: [picture] }, cells).flatMap(({ columns }) => columns.flat());
}

describe('pictures', () => {
  it('know what was published, by the usual flow or its name', () => {
    const codel = { capacity: '1mbps', queue: 'codel' };
    const mark = { value: 90, number: 90, low: 85, high: 95 };
    expect(publishedMark(scenario, { metric: 'utilisation' }, codel, 100)).toEqual(mark);
    expect(publishedMark(scenario, { metric: 'utilisation', flow: 'gcc' }, codel, 100)).toEqual(mark);
    expect(publishedMark(scenario, { metric: 'utilisation', flow: 'tcp' }, codel)).toBeUndefined();
    expect(publishedMark(scenario, { metric: 'utilisation', window: 'late' }, codel)).toBeUndefined();
    expect(
      publishedMark(scenario, { metric: 'utilisation' }, { ...codel, queue: 'droptail' }),
    ).toBeUndefined();
    // The paper states this result in words (`says`), not as a plain number. So the mark has the band and a number,
    // but no value to draw.
    const worded = { number: 130, low: 105, high: 155 };
    expect(publishedMark(scenario, { metric: 'rtt_p95_ms' }, codel)).toEqual(worded);
    const inWords = (scenario.expectations ?? []).map((each) => ({
      ...each,
      published_is: 'words' as const,
    }));
    expect(publishedMark({ ...scenario, expectations: inWords }, { metric: 'rtt_p95_ms' }, codel)).toEqual({
      low: 105,
      high: 155,
    });
  });

  it('group bars by one axis, with a series for each value of another', () => {
    const [figure, ...more] = draw({
      kind: 'bars',
      title: 'Utilisation',
      metric: 'utilisation',
      group_by: 'queue',
      series: 'capacity',
    }) as BarFigure[];
    expect(more).toEqual([]);
    expect(figure?.groups).toEqual(['droptail', 'codel']);
    expect(figure?.y).toEqual({ label: 'utilisation', unit: '%', min: 0 });
    expect(figure?.series.map(({ label, bars }) => [label, ...bars.map((bar) => bar?.mean)])).toEqual([
      ['C 1 Mbps', 50, 70],
      ['C 2 Mbps', 75, 95],
    ]);
    const marks = figure?.series[0]?.bars.map((bar: Bar | null) => bar?.published);
    expect(marks).toEqual([undefined, { value: 90, number: 90, low: 85, high: 95 }]);
    expect(describeFigure(figure as Figure)).toBe(
      'Bars of utilisation over queue (droptail, codel). C 1 Mbps: 50 to 70 %; C 2 Mbps: 75 to 95 %.',
    );
  });

  it('have a panel for each value of an axis that has no place in them', () => {
    const figures = draw({ kind: 'bars', metric: 'utilisation', group_by: 'queue' });
    expect(figures.map(({ title }) => title)).toEqual(['utilisation – C 1 Mbps', 'utilisation – C 2 Mbps']);
  });

  it('draw boxes from percentiles', () => {
    const [figure] = draw({ kind: 'boxes', distribution: 'rtt', group_by: 'capacity', series: 'queue' });
    if (figure?.kind !== 'boxes') throw new Error('no box plot');
    const box = { p5: 5, p25: 25, p50: 50, p75: 75, p95: 95 };
    expect(figure.series[0]?.boxes).toEqual([
      { ...box, published: [{ at: 'p95', mark: { number: 130, low: 105, high: 155 } }] },
      box,
    ]);
  });

  it('draw lines over the numbers of an axis', () => {
    const [figure] = draw({ kind: 'lines', metric: 'utilisation', x: 'capacity', series: 'queue' });
    if (figure?.kind !== 'curves') throw new Error('no curves');
    expect(figure.series.map(({ label, points }) => [label, points])).toEqual([
      [
        'droptail',
        [
          [1, 50],
          [2, 75],
        ],
      ],
      [
        'codel',
        [
          [1, 70],
          [2, 95],
        ],
      ],
    ]);
    expect(figure.published).toEqual([
      { x: 1, series: 1, value: 90, number: 90, low: 85, high: 95 },
      { x: 2, series: 1, value: 90, number: 90, low: 85, high: 95 },
    ]);
  });

  it('draw traces: a column for each cell, a flow in one colour, the same scale', () => {
    const panels = [{ title: 'Rates', lines: [{ table: 'throughput', column: 'received_bps' }] }];
    const [picture] = pictureFigures(
      { ...scenario, pictures: [{ kind: 'time_series', cells: { queue: 'codel' }, panels }] },
      cells,
    );
    expect(picture?.columns.map((column) => column.map(({ title }) => title))).toEqual([
      ['Rates – C 1 Mbps, queue codel'],
      ['Rates – C 2 Mbps, queue codel'],
    ]);
    const [figure] = picture?.columns[0] ?? [];
    if (figure?.kind !== 'curves') throw new Error('no curves');
    expect(figure.y).toEqual({ label: 'Rates', unit: 'kbps', min: 0, max: 800 });
    expect(figure.series).toEqual([
      {
        label: 'gcc',
        look: 'line',
        colour: 0,
        points: [
          [1, 800],
          [2, 600],
        ],
      },
      {
        label: 'tcp',
        look: 'line',
        colour: 1,
        points: [
          [1, 200],
          [2, 400],
        ],
      },
    ]);
  });

  it('draw distributions with the percentiles that were published as numbers', () => {
    const numbers = {
      ...scenario,
      expectations: [{ ...scenario.expectations?.[1], says: undefined }],
    } as Scenario;
    const picture = {
      kind: 'cdf',
      cells: { queue: 'codel' },
      table: 'throughput',
      column: 'rtt_us',
      flow: 'gcc',
    } as const;
    const [drawn] = pictureFigures({ ...numbers, pictures: [picture] }, cells);
    const [figure] = drawn?.columns[0] ?? [];
    if (figure?.kind !== 'curves') throw new Error('no curves');
    expect(figure.series[0]).toEqual({
      label: 'C 1 Mbps, queue codel',
      points: [
        [50, 50],
        [70, 100],
      ],
    });
    expect(figure.published).toEqual([{ x: 130, series: 0, value: 95 }]);
  });
});

describe('a density', () => {
  // At 60 ms, the density at 500 kbps is twice that at 250 kbps. At 80 ms, it is above 0 only at 750 kbps. At 100 ms,
  // it is 0.
  const density = {
    ratesBps: [250e3, 500e3, 750e3],
    delaysUs: [60e3, 80e3, 100e3],
    values: Float64Array.of(1e-9, 2e-9, 0, 0, 0, 4e-9, 0, 0, 0),
  };
  const figure = densityFigure(density, 'Fig. 1');

  it('is relative to its peak, with the rate that is expected at each delay', () => {
    expect(figure.density).toEqual({
      x: [60, 80, 100],
      y: [250, 500, 750],
      values: [0.25, 0.5, 0, 0, 0, 1, 0, 0, 0],
    });
    // At 60 ms, the expected rate is (250 + 2 * 500) / 3 kbps.
    expect(figure.series[0]?.points).toEqual([
      [60, 416.7],
      [80, 750],
      [100, null],
    ]);
    expect([figure.x.min, figure.x.max, figure.y.min, figure.y.max]).toEqual([60, 100, 250, 750]);
  });

  it('says in words where it is highest', () => {
    expect(describeFigure(figure)).toContain('Densest at one-way delay 80 ms, sending rate 750 kbps.');
  });

  it('is drawn of the flows that are asked for, where there is one', () => {
    const learnt = cells.map((cell, i) => ({ ...cell, densities: new Map(i === 1 ? [[0, density]] : []) }));
    const picture = { kind: 'density' } as const;
    const drawn = pictureFigures({ ...scenario, pictures: [picture] }, learnt);
    expect(drawn).toHaveLength(1);
    expect(drawn[0]?.columns.flat().map(({ kind }) => kind)).toEqual(['curves']);
  });
});

describe('the scale of a picture', () => {
  const bars = (mark: Bar['published'], mean = 10, sd = 2): Figure => ({
    kind: 'bars',
    title: '',
    x: '',
    y: { label: '', unit: '', min: 0 },
    groups: [''],
    series: [{ label: '', bars: [{ mean, sd, ...(mark && { published: mark }) }] }],
  });

  it.each<[string, Figure, [number, number]]>([
    ['holds the deviation', bars(undefined), [0, 12]],
    ['does not begin below 0 for it', bars(undefined, 1, 2), [0, 3]],
    ['holds what was published', bars({ value: 30 }), [0, 30]],
    ['holds a band that is near', bars({ low: 8, high: 18 }), [0, 18]],
    ['holds a band above all that was measured from its beginning', bars({ low: 15, high: 20 }), [0, 20]],
    ['lets a band go on that is far', bars({ low: 8, high: 100 }), [0, 12]],
    ['is of some height where all is 0', bars(undefined, 0, 0), [0, 1]],
    ['shows a band where all is 0', bars({ low: 0, high: 0.05 }, 0, 0), [0, 0.05]],
  ])('%s', (_, figure, [min, max]) => {
    expect(limits(figure)).toEqual({ suggestedMin: min, suggestedMax: max });
  });

  it('ends where a share with its deviation does, not at 120 %', () => {
    const share = { ...bars(undefined, 98, 5), y: { label: 'utilisation', unit: '%', min: 0 } };
    expect(limits(share)).toEqual({ suggestedMin: 0, max: 103 });
  });

  it('has names of several lines where they are long', () => {
    expect(folded('one-way delay from the encoder, less propagation (ms)', 30)).toEqual([
      'one-way delay from the',
      'encoder, less propagation (ms)',
    ]);
    expect(folded('GCC', 12)).toEqual(['GCC']);
    expect(folded('utilisation 0.5', 6)).toEqual(['utilisation', '0.5']);
  });
});
