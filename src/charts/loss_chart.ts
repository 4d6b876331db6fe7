import { column, formatCount, formatRatio } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Series } from './series.js';
import { TimeChart } from './time_chart.js';

const series: readonly Series[] = [
  {
    id: 'loss',
    label: 'Loss ratio',
    description: 'Share of packets lost, as the loss-based controller sees it (left axis)',
    ...column('rate', 'fraction_lost'),
    format: formatRatio,
    colour: 'red',
    look: 'step',
    width: 2,
  },
  {
    id: 'drops',
    label: 'Dropped',
    description: 'Packets dropped at the bottleneck since the left edge of the chart (right axis)',
    ...column('queue', 'drops'),
    fromFirst: true,
    format: formatCount,
    colour: 'orange',
    look: 'step',
    side: 'right',
  },
];

/** The labels if there are several flows: the loss ratio belongs to one flow, the drops to all flows. */
const labelsOf = (flow: string): Readonly<Record<string, string>> => ({
  loss: `Loss ratio of ${flow}`,
  drops: 'Dropped, all flows',
});

/** Loss: the ratio that is reported to the sender, and the drops at the bottleneck. */
export class LossChart extends TimeChart {
  /** `flow` is the name of the flow whose loss is drawn, if there are several flows. */
  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme, flow?: string) {
    super(container, axis, theme, {
      series:
        flow === undefined
          ? series
          : series.map((one) => ({ ...one, label: labelsOf(flow)[one.id] ?? one.label })),
      left: { unit: '%', tick: (value) => (value * 100).toFixed(0), atLeast: [0, 0.1] },
      right: {
        unit: 'packets',
        tick: (value) => (value >= 1e4 ? `${value / 1e3}k` : Number.isInteger(value) ? String(value) : ''),
        atLeast: [0, 10],
      },
    });
  }
}
