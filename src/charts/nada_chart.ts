import { column, formatMs } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Series } from './series.js';
import { TimeChart } from './time_chart.js';

const series: readonly Series[] = [
  {
    id: 'nada_queue',
    label: 'Queuing delay',
    description: 'One-way delay above the least that was seen, as NADA measures it',
    ...column('nada', 'queue_delay_ms'),
    format: formatMs,
    colour: 'red',
    look: 'line',
  },
  {
    id: 'warped',
    label: 'Warped',
    description: 'The queuing delay as it counts: warped down where losses show a competing TCP',
    ...column('nada', 'warped_delay_ms'),
    format: formatMs,
    colour: 'orange',
    look: 'dashed',
  },
  {
    id: 'x_curr',
    label: 'x_curr',
    description: 'Aggregated congestion signal: the warped delay and the penalties for losses and marks',
    ...column('nada', 'x_curr_ms'),
    format: formatMs,
    colour: 'blue',
    look: 'step',
    width: 2,
  },
];

/** NADA's congestion signal and its components (RFC 8698, 4.2). */
export class NadaChart extends TimeChart {
  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme) {
    super(container, axis, theme, {
      series,
      left: { unit: 'ms', tick: (value) => String(value), atLeast: [0, 20] },
    });
  }
}
