import { column, formatRate } from './columns.js';
import type { ChartTheme } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import { rowsWhere, type Series } from './series.js';
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

/** A controller that only watches. `flow` identifies its rows in the table `rate`. */
export interface Shadow {
  flow: number;
  name: string;
}

/**
 * Styles of shadows, which no other line of this chart has. If there are more shadows than styles, the styles repeat.
 */
const SHADOW_LOOKS: readonly Pick<Series, 'colour' | 'look'>[] = [
  { colour: 'red', look: 'long-dash' },
  { colour: 'purple', look: 'dash-dot' },
  { colour: 'orange', look: 'long-dash' },
  { colour: 'green', look: 'dash-dot' },
  { colour: 'grey', look: 'long-dash' },
  { colour: 'red', look: 'dash-dot' },
];

/** The line of a controller that only watches; `index` chooses its style. */
export const shadowSeries = ({ flow, name }: Shadow, index: number): Series => ({
  id: shadowId(flow),
  label: name,
  description: `Rate that ${name} would ask for: it only watches`,
  ...column(rowsWhere('rate', 'flow', flow), 'target_bps'),
  format: formatRate,
  ...(SHADOW_LOOKS[index % SHADOW_LOOKS.length] ?? { colour: 'grey', look: 'dash-dot' }),
  width: 2,
});

/** Traffic that shares the call's bottleneck. `flow` identifies its rows in the table `throughput`. */
export interface Beside {
  flow: number;
  name: string;
}

/**
 * The colours of the lines for traffic beside the call. These lines are wide and dotted, which distinguishes them
 * from all other series.
 */
const BESIDE: readonly Series['colour'][] = ['red', 'purple', 'orange', 'grey'];

/** The rate of a TCP connection beside the call. */
const besideSeries = ({ flow, name }: Beside, index: number): Series => ({
  id: besideId(flow),
  label: name,
  description: `What ${name} beside the call gets through the bottleneck`,
  ...column(rowsWhere('throughput', 'flow', flow), 'received_bps'),
  format: formatRate,
  colour: BESIDE[index % BESIDE.length] ?? 'grey',
  look: 'dotted',
  width: 3,
});

export const besideId = (flow: number): string => `beside-${flow}`;

export const shadowId = (flow: number): string => `shadow-${flow}`;

export interface RateChartOptions {
  /** Whether the value axis extends to the capacity. Default: true. */
  fitCapacity?: boolean;
  /** The shadows (controllers that only watch) whose targets are also drawn. */
  shadows?: readonly Shadow[];
  /** The traffic that shares the bottleneck with the call. */
  beside?: readonly Beside[];
  /**
   * Whether the controller is GCC. Default: true. Only GCC has the rates A_r and A_s. GCC reports the
   * received rate in the table `group`, other controllers in the table `feedback`.
   */
  gcc?: boolean;
  /** Whether the capacity is that of the backward path. Its series then has the id that it has in FlowRateChart. */
  backward?: boolean;
}

const ofGcc: readonly string[] = ['a_r', 'a_s'];

/** The series for a controller that is not GCC. */
const general = series
  .filter(({ id }) => !ofGcc.includes(id))
  .map((one) => {
    if (one.id === 'received') return { ...one, ...column('feedback', 'received_rate_bps') };
    return one.id === 'target' ? { ...one, label: 'Target', description: 'Rate asked of the encoder' } : one;
  });

/** Rates: the target, the sent rate, the received rate, and the capacity of the link. */
export class RateChart extends TimeChart {
  constructor(
    container: HTMLElement,
    axis: TimeAxis,
    theme: ChartTheme,
    { fitCapacity = true, shadows = [], beside = [], gcc = true, backward = false }: RateChartOptions = {},
  ) {
    const own = (gcc ? series : general).map((one) =>
      one.id === 'capacity' ? { ...one, id: backward ? 'capacity-back' : one.id, scaled: fitCapacity } : one,
    );
    super(container, axis, theme, {
      series: [...own, ...beside.map(besideSeries), ...shadows.map(shadowSeries)],
      left: { unit: 'Mbps', tick: (value) => (value / 1e6).toFixed(1), atLeast: [0, 1e6] },
    });
  }
}
