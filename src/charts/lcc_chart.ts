import { column, formatMs } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Series } from './series.js';
import { TimeChart } from './time_chart.js';

const series: readonly Series[] = [
  {
    id: 'lcc_epoch',
    label: 'D_i',
    description: 'Mean one-way delay of each epoch',
    ...column('lcc', 'epoch_delay_us', 1e-3),
    format: formatMs,
    colour: 'grey',
    look: 'points',
    scaled: false,
  },
  {
    id: 'lcc_smallest',
    label: 'least',
    description: 'The least one-way delay that was seen',
    ...column('lcc', 'smallest_delay_us', 1e-3),
    format: formatMs,
    colour: 'ink',
    look: 'dotted',
  },
  {
    id: 't_a',
    label: 'T_A',
    description: 'Delay target: what the average delay is to be',
    ...column('lcc', 'target_delay_us', 1e-3),
    format: formatMs,
    colour: 'green',
    look: 'dashed',
  },
  {
    id: 't_c',
    label: 'T_c',
    description: 'Delay control parameter: the delay whose expected rate is sent next',
    ...column('lcc', 'control_delay_us', 1e-3),
    format: formatMs,
    colour: 'orange',
    look: 'step',
  },
  {
    id: 'd_ave',
    label: 'D_ave',
    description: 'Weighted average of the one-way delay',
    ...column('lcc', 'average_delay_us', 1e-3),
    format: formatMs,
    colour: 'blue',
    look: 'line',
    width: 2,
  },
];

/** LCC's delays compared with its target (LCC II-C). */
export class LccChart extends TimeChart {
  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme) {
    super(container, axis, theme, {
      series,
      left: { unit: 'ms', tick: (value) => String(value), atLeast: [0, 50] },
    });
  }
}
