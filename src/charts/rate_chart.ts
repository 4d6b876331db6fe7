import { column, formatRate } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Series } from './series.js';
import { TimeChart } from './time_chart.js';

const series: readonly Series[] = [
  {
    id: 'capacity',
    label: 'Capacity',
    description: 'What the bottleneck can carry',
    ...column('queue', 'capacity_bps'),
    format: formatRate,
    colour: 'ink',
    look: 'step',
    width: 2,
  },
  {
    id: 'a_r',
    label: 'A_r',
    description: 'Rate of the delay-based controller, at the receiver',
    ...column('rate', 'a_r_bps'),
    format: formatRate,
    colour: 'orange',
    look: 'dashed',
  },
  {
    id: 'a_s',
    label: 'A_s',
    description: 'Rate of the loss-based controller, at the sender',
    ...column('rate', 'a_s_bps'),
    format: formatRate,
    colour: 'purple',
    look: 'dotted',
  },
  {
    id: 'target',
    label: 'Target A',
    description: 'Rate asked of the encoder: the lower of A_r and A_s',
    ...column('rate', 'target_bps'),
    format: formatRate,
    colour: 'blue',
    look: 'step',
    width: 2,
  },
  {
    id: 'sent',
    label: 'Sent',
    description: 'Rate that leaves the sender',
    ...column('rate', 'sent_bps'),
    format: formatRate,
    colour: 'sky',
    look: 'line',
  },
  {
    id: 'received',
    label: 'Received R_r',
    description: 'Rate that arrives at the receiver',
    ...column('group', 'received_rate_bps'),
    format: formatRate,
    colour: 'green',
    look: 'line',
    width: 2,
  },
  {
    id: 'browser',
    label: 'Browser',
    description: 'What the browser’s own controller believes it may send',
    ...column('rate', 'browser_estimate_bps'),
    format: formatRate,
    colour: 'grey',
    look: 'dashed',
  },
];

/** Rates: what is asked for, what is sent, what arrives, what the link can carry. */
export class RateChart extends TimeChart {
  /** `fitCapacity`: whether the value axis reaches up to the capacity. */
  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme, { fitCapacity = true } = {}) {
    super(container, axis, theme, {
      series: series.map((one) => (one.id === 'capacity' ? { ...one, scaled: fitCapacity } : one)),
      left: { unit: 'Mbps', tick: (value) => (value / 1e6).toFixed(1), atLeast: [0, 1e6] },
    });
  }
}
