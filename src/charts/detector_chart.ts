import { at, column, formatMs } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Series, TimeChartSpec } from './series.js';
import { TimeChart } from './time_chart.js';

const UNDERUSE = 1;
const OVERUSE = 2;

const where = (signal: number): Pick<Series, 'table' | 'columns' | 'value'> => ({
  table: 'group',
  columns: ['signal', 'detector_input_ms'],
  value: (columns, row) =>
    at(columns, 'signal', row) === signal ? at(columns, 'detector_input_ms', row) : NaN,
});

const series: readonly Series[] = [
  {
    id: 'd',
    label: 'd_m',
    description: 'One-way delay variation of each group of packets, as measured',
    ...column('group', 'delay_variation_ms'),
    format: formatMs,
    colour: 'grey',
    look: 'points',
    scaled: false,
  },
  {
    id: 'm',
    label: 'm',
    description: 'One-way delay gradient, as the Kalman filter estimates it',
    ...column('group', 'm_ms'),
    format: formatMs,
    colour: 'green',
    look: 'line',
    spiky: true,
  },
  {
    id: 'T',
    label: 'T',
    description: 'Detector input: the gradient times the number of groups, compared with the threshold',
    ...column('group', 'detector_input_ms'),
    format: formatMs,
    colour: 'blue',
    look: 'line',
    width: 2,
    spiky: true,
  },
  {
    id: 'gamma',
    label: '+γ',
    description: 'Adaptive threshold: above it the path is overused',
    ...column('group', 'gamma_ms'),
    format: formatMs,
    colour: 'orange',
    look: 'dashed',
  },
  {
    id: 'minus_gamma',
    label: '−γ',
    description: 'Adaptive threshold: below it the path is underused',
    ...column('group', 'gamma_ms', -1),
    format: formatMs,
    colour: 'orange',
    look: 'dashed',
  },
  {
    id: 'overuse',
    label: 'overuse',
    description: 'Groups at which overuse was signalled',
    ...where(OVERUSE),
    format: formatMs,
    colour: 'red',
    look: 'triangles-up',
  },
  {
    id: 'underuse',
    label: 'underuse',
    description: 'Groups at which underuse was signalled',
    ...where(UNDERUSE),
    format: formatMs,
    colour: 'purple',
    look: 'triangles-down',
  },
];

/**
 * GCC's overuse detector: the measured one-way delay variation d_m, the gradient m that the Kalman filter
 * estimates from it, and the detector's input T, which is compared with the threshold ±γ.
 */
export class DetectorChart extends TimeChart {
  constructor(
    container: HTMLElement,
    axis: TimeAxis,
    theme: ChartTheme,
    plugins: TimeChartSpec['plugins'] = [],
  ) {
    super(container, axis, theme, {
      series,
      left: { unit: 'ms', tick: (value) => String(value), atLeast: [-20, 20] },
      plugins,
    });
  }
}
