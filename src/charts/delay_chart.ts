import { column, formatMs } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Series } from './series.js';
import { TimeChart } from './time_chart.js';

const series: readonly Series[] = [
  {
    id: 'queue',
    label: 'Queuing delay',
    description: 'How long a packet waits at the bottleneck',
    ...column('queue', 'queue_delay_us', 1e-3),
    format: formatMs,
    colour: 'red',
    look: 'line',
    width: 2,
  },
  {
    id: 'rtt',
    label: 'RTT',
    description: 'Round-trip time as the sender measures it',
    ...column('rate', 'rtt_us', 1e-3),
    format: formatMs,
    colour: 'blue',
    look: 'dashed',
  },
];

/** Delays: the queue at the bottleneck and the round trip. */
export class DelayChart extends TimeChart {
  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme) {
    super(container, axis, theme, {
      series,
      left: { unit: 'ms', tick: (value) => String(value), atLeast: [0, 100] },
    });
  }
}
