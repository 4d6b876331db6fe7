/** Charts of one stream of a call that ccscope only watches. Nothing is known about the call's link and far side. */
import { at, column, formatMs, formatRate, formatRatio } from './columns.js';
import type { ChartTheme } from './theme.js';
import { shadowSeries, type Shadow } from './rate_chart.js';
import type { Series } from './series.js';
import type { TimeAxis } from './time_axis.js';
import { TimeChart } from './time_chart.js';

const received: readonly Series[] = [
  {
    id: 'a_r',
    label: 'A_r',
    description: 'Rate that GCC’s delay-based controller would allow: it only watches',
    ...column('rate', 'a_r_bps'),
    format: formatRate,
    colour: 'orange',
    look: 'dashed',
  },
  {
    id: 'received',
    label: 'Received',
    description: 'Rate at which the stream arrives, as the browser counts it',
    ...column('throughput', 'received_bps'),
    format: formatRate,
    colour: 'green',
    look: 'line',
    width: 2,
  },
];

const sent: readonly Series[] = [
  {
    id: 'a_s',
    label: 'A_s',
    description: 'Rate that GCC’s loss-based controller would allow, all layers together: it only watches',
    ...column('rate', 'a_s_bps'),
    format: formatRate,
    colour: 'purple',
    look: 'dotted',
  },
  {
    id: 'browser',
    label: 'Available',
    description: 'What the browser’s own controller believes it may send',
    ...column('rate', 'browser_estimate_bps'),
    format: formatRate,
    colour: 'grey',
    look: 'dashed',
  },
  {
    id: 'target',
    label: 'Target',
    description: 'Rate that is asked of the encoder',
    ...column('rate', 'target_bps'),
    format: formatRate,
    colour: 'blue',
    look: 'step',
    width: 2,
  },
  {
    id: 'sent',
    label: 'Sent',
    description: 'Rate that leaves the sender, as the browser counts it',
    ...column('rate', 'sent_bps'),
    format: formatRate,
    colour: 'sky',
    look: 'line',
    width: 2,
  },
];

/** Rates of a stream, sent or received, and the targets of the controllers that watch the stream. */
export class StreamRateChart extends TimeChart {
  constructor(
    container: HTMLElement,
    axis: TimeAxis,
    theme: ChartTheme,
    { direction, shadows }: { direction: 'send' | 'receive'; shadows: readonly Shadow[] },
  ) {
    super(container, axis, theme, {
      series: [...(direction === 'send' ? sent : received), ...shadows.map(shadowSeries)],
      left: { unit: 'Mbps', tick: (value) => (value / 1e6).toFixed(1), atLeast: [0, 5e5] },
    });
  }
}

const oneWay: Series = {
  id: 'one_way',
  label: 'One-way delay',
  description: 'How much later frames come than the first one did, against the sender’s RTP clock',
  ...column('group', 'one_way_delay_us', 1e-3),
  format: formatMs,
  colour: 'red',
  look: 'line',
  width: 2,
};

const rtt = (table: 'rate' | 'throughput'): Series => ({
  id: 'rtt',
  label: 'RTT',
  description: 'Round-trip time as the browser measures it',
  ...column(table, 'rtt_us', 1e-3),
  format: formatMs,
  colour: 'blue',
  look: 'dashed',
});

/**
 * A series of the frames with a flag of the table `arrival`. Each is drawn at its one-way delay minus that of the first
 * frame, in ms. Send times come from the sender's RTP clock.
 */
const flagged = (flag: string): Pick<Series, 'table' | 'columns' | 'value' | 'format'> => ({
  table: 'arrival',
  columns: ['send_time_us', flag],
  value: (columns, row) =>
    at(columns, flag, row) === 1
      ? (at(columns, 'time_us', row) - at(columns, 'send_time_us', row)) / 1e3
      : NaN,
  format: formatMs,
});

/** The frames that are marked in the delay chart of a received stream. */
export const frameMarks: readonly Series[] = [
  {
    id: 'key_frames',
    label: 'Key frames',
    description: 'Key frames: they are large, so they take longer',
    ...flagged('key_frame'),
    colour: 'purple',
    look: 'triangles-up',
  },
  {
    id: 'overtaken',
    label: 'Overtaken frames',
    description: 'Frames that later ones overtook: sent again after a loss, or out of order',
    ...flagged('overtaken'),
    colour: 'orange',
    look: 'triangles-down',
  },
  {
    id: 'upper_layers',
    label: 'Upper layers',
    description: 'Frames of upper spatial layers: each follows the frame below it, of the same picture',
    ...flagged('upper_layer'),
    colour: 'sky',
    look: 'points',
  },
];

/**
 * Delays of a stream: the round trip and, for a received stream, the variation of its one-way delay. Key frames,
 * overtaken frames and upper layers are marked.
 */
export class StreamDelayChart extends TimeChart {
  constructor(
    container: HTMLElement,
    axis: TimeAxis,
    theme: ChartTheme,
    { direction }: { direction: 'send' | 'receive' },
  ) {
    super(container, axis, theme, {
      series: direction === 'send' ? [rtt('rate')] : [oneWay, rtt('throughput'), ...frameMarks],
      left: { unit: 'ms', tick: (value) => String(value), atLeast: [0, 100] },
    });
  }
}

const loss: Series = {
  id: 'loss',
  label: 'Loss ratio',
  description: 'Share of packets lost, as the sender’s controller is told of it',
  ...column('rate', 'fraction_lost'),
  format: formatRatio,
  colour: 'red',
  look: 'step',
  width: 2,
};

/** Losses of a stream. */
export class StreamLossChart extends TimeChart {
  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme) {
    super(container, axis, theme, {
      series: [loss],
      left: { unit: '%', tick: (value) => (value * 100).toFixed(0), atLeast: [0, 0.1] },
    });
  }
}
