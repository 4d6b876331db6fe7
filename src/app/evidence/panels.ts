/** The charts of a call under test, and the lines of each. */
import {
  DetectorChart,
  formatCount,
  formatMs,
  formatRate,
  formatRatio,
  TimeChart,
  type ColourName,
  type Series,
  type TimeAxis,
  type ValueAxis,
} from '../../charts/index.js';
import { at, column } from '../../charts/columns.js';
import type { EvidenceCharts, EvidenceDirection } from '../../calls/evidence_page.js';
import { freezesPlugin, type Look } from './overlay.js';

export interface Panel {
  title: string;
  height: number;
  make(container: HTMLElement, axis: TimeAxis, look: Look): TimeChart;
}

/**
 * Colours of lines for several connections or receivers. If there are more lines than colours, the colours repeat.
 */
const SEVERAL: readonly Pick<Series, 'colour' | 'look'>[] = [
  { colour: 'green', look: 'line' },
  { colour: 'orange', look: 'line' },
  { colour: 'purple', look: 'line' },
  { colour: 'sky', look: 'line' },
  { colour: 'red', look: 'long-dash' },
  { colour: 'grey', look: 'dash-dot' },
];
const lookOf = (index: number): Pick<Series, 'colour' | 'look'> =>
  SEVERAL[index % SEVERAL.length] ?? { colour: 'grey', look: 'line' };

const CAPACITY: Series = {
  id: 'capacity',
  label: 'Capacity',
  description: 'What the link can carry',
  ...column('capacity', 'capacity_bps'),
  format: formatRate,
  colour: 'ink',
  look: 'step',
  width: 2,
};

const rate = (
  id: string,
  label: string,
  description: string,
  table: string,
  colour: ColourName,
  look: Series['look'],
): Series => ({ id, label, description, ...column(table, `${id}_bps`), format: formatRate, colour, look });

function rateSeries({ tables, flows }: EvidenceDirection): Series[] {
  const ofFlows = flows.map(({ id, label }, index): Series => ({
    id: `flow-${id}`,
    label,
    description: `Rate of ${label} out of the link, headers included`,
    ...column('rates', `flow_${id}_bps`),
    format: formatRate,
    ...lookOf(index),
    width: 2,
  }));
  const through: Series = {
    ...rate(
      'link',
      'Through the link',
      'Rate out of the bottleneck, headers included',
      'rates',
      'green',
      'line',
    ),
    width: 2,
  };
  return [
    CAPACITY,
    ...(flows.length > 1 ? ofFlows : [through]),
    rate('received', 'Received', 'Rate that arrived, as getStats counts it', 'media', 'green', 'line'),
    { ...rate('target', 'Target', 'What the encoders are asked for', 'media', 'blue', 'step'), width: 2 },
    rate('estimate', 'Estimate', 'What the sending browser believes it may send', 'media', 'grey', 'dashed'),
  ].filter(({ table, columns }) => columns.every((name) => name in (tables[table] ?? {})));
}

const delaySeries: readonly Series[] = [
  {
    id: 'packets',
    label: 'packets',
    description: 'How long each packet waited in the queue',
    ...column('packets', 'queue_delay_ms'),
    format: formatMs,
    colour: 'sky',
    look: 'points',
  },
  {
    id: 'p50',
    label: 'p50 of 1 s',
    description: 'Median of the packets of one second',
    ...column('delays', 'p50_ms'),
    format: formatMs,
    colour: 'blue',
    look: 'step',
    width: 2,
  },
  {
    id: 'p95',
    label: 'p95 of 1 s',
    description: '95th percentile of the packets of one second',
    ...column('delays', 'p95_ms'),
    format: formatMs,
    colour: 'red',
    look: 'step',
    width: 2,
  },
];

/**
 * The label and the description of the series `packets` if no packets were recorded. The series then shows estimates
 * from frames or round trips.
 */
const ESTIMATES: Pick<Series, 'label' | 'description'> = {
  label: 'estimates',
  description: 'How much longer than the shortest each frame, or each round trip, took',
};

/** The percentiles of the queuing delay over the whole call, as horizontal lines across the chart. */
function percentileSeries({ queueDelayMs }: EvidenceDirection): Series[] {
  const line = (p: 50 | 95, value: number, colour: ColourName): Series => ({
    id: `all-p${p}`,
    label: `p${p} of all`,
    description: `${p === 50 ? 'Median' : '95th percentile'} of the whole call's packets`,
    table: 'delays',
    columns: [],
    value: () => value,
    format: formatMs,
    colour,
    look: 'dotted',
  });
  return queueDelayMs === null ? [] : [line(50, queueDelayMs.p50, 'blue'), line(95, queueDelayMs.p95, 'red')];
}

const lossSeries: readonly Series[] = [
  {
    id: 'loss',
    label: 'Loss ratio of 1 s',
    description: 'Share of the packets offered to the link in one second that it lost (left axis)',
    ...column('loss', 'loss_ratio'),
    format: formatRatio,
    colour: 'red',
    look: 'step',
    width: 2,
  },
  {
    id: 'queue',
    label: 'dropped by the queue',
    description: 'Packets that the queue dropped up to then (right axis)',
    table: 'loss',
    columns: ['queue'],
    value: (columns, row) => at(columns, 'queue', row),
    format: formatCount,
    colour: 'orange',
    look: 'step',
    side: 'right',
  },
  {
    id: 'random',
    label: 'lost at random',
    description: 'Packets that the link lost by chance up to then (right axis)',
    table: 'loss',
    columns: ['random'],
    value: (columns, row) => at(columns, 'random', row),
    format: formatCount,
    colour: 'purple',
    look: 'dashed',
    side: 'right',
  },
];

const videoSeries = ({ receivers }: EvidenceDirection): Series[] =>
  receivers.map(({ id, label }, index) => ({
    id: `fps-${id}`,
    label,
    description: `Frames per second that ${label} decoded`,
    ...column('video', `endpoint_${id}_fps`),
    format: (value) => (Number.isNaN(value) ? '–' : `${value.toFixed(0)} fps`),
    ...lookOf(index),
  }));

const AXES = {
  rate: { unit: 'Mbps', tick: (value: number) => (value / 1e6).toFixed(1), atLeast: [0, 1e5] },
  delay: { unit: 'ms', tick: String, atLeast: [0, 50] },
  loss: { unit: '%', tick: (value: number) => String(Math.round(value * 1000) / 10), atLeast: [0, 0.02] },
  packets: {
    unit: 'packets',
    tick: (value: number) => (Number.isInteger(value) ? String(value) : ''),
    atLeast: [0, 5],
  },
  video: { unit: 'fps', tick: String, atLeast: [0, 30] },
} satisfies Record<string, ValueAxis>;

/** The charts for which a direction has rows, from top to bottom. */
export function panelsOf(charts: EvidenceCharts, direction: EvidenceDirection): Panel[] {
  const { tables } = direction;
  const chart =
    (series: readonly Series[], left: ValueAxis, right?: ValueAxis): Panel['make'] =>
    (container, axis, look) =>
      new TimeChart(container, axis, look.theme, {
        series,
        left,
        ...(right === undefined ? {} : { right }),
        plugins: [freezesPlugin(charts, look)],
      });
  const detector: Panel['make'] = (container, axis, look) =>
    new DetectorChart(container, axis, look.theme, [freezesPlugin(charts, look)]);
  const [each, ...windows] = delaySeries;
  const points = each && { ...each, ...(direction.delaysAreEstimates && ESTIMATES) };
  const delays = [...(points ? [points] : []), ...windows, ...percentileSeries(direction)];
  const delayTitle = direction.delaysAreEstimates ? 'Queuing delay, estimated, ms' : 'Queuing delay, ms';
  const all: (Panel & { needs: string[] })[] = [
    {
      title: 'Rates, Mbps',
      height: 230,
      make: chart(rateSeries(direction), AXES.rate),
      needs: ['rates', 'media'],
    },
    { title: delayTitle, height: 190, make: chart(delays, AXES.delay), needs: ['packets'] },
    { title: 'Loss, %', height: 130, make: chart(lossSeries, AXES.loss, AXES.packets), needs: ['loss'] },
    {
      title: 'Delay gradient m(t) and threshold γ(t) of GCC, watching this call, ms',
      height: 190,
      make: detector,
      needs: ['group'],
    },
    {
      title: 'Video received, frames per second',
      height: 120,
      make: chart(videoSeries(direction), AXES.video),
      needs: ['video'],
    },
  ];
  return all.filter(({ needs }) => needs.some((name) => name in tables));
}
