/** Charts of several flows over one bottleneck, with a line for each flow. */
import { at, column, formatMs, formatRate } from './columns.js';
import { rowsWhere, type Series } from './series.js';
import type { ChartTheme, ColourName } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import { TimeChart } from './time_chart.js';

export interface DrawnFlow {
  /** The flow's number in the trace. */
  flow: number;
  name: string;
  kind?: 'media' | 'tcp';
  direction?: 'forward' | 'backward';
  /** The index of the flow's style. It stays the same if other flows are shown or hidden. */
  look: number;
}

const COLOURS: readonly ColourName[] = ['blue', 'orange', 'green', 'purple', 'red', 'sky'];
const LOOKS = ['line', 'dashed', 'dotted'] as const;

/** The colour of the style with this index. */
export const colourOf = (look: number): ColourName => COLOURS[look % COLOURS.length] ?? 'grey';

function lookOf(look: number): Pick<Series, 'colour' | 'look'> {
  return {
    colour: colourOf(look),
    look: LOOKS[Math.floor(look / COLOURS.length) % LOOKS.length] ?? 'line',
  };
}

/**
 * The rows of the table `queue` for each path's bottleneck: the simulator numbers the forward path 0 and the
 * backward path 1.
 */
const bottleneck = rowsWhere('queue', 'link', 0);
const bottleneckBack = rowsWhere('queue', 'link', 1);

export interface FlowRateOptions {
  /** Whether the backward path's capacity is also drawn. */
  backward: boolean;
  /** Whether the value axis extends to the capacities. */
  fitCapacity: boolean;
}

/** The rate that each flow receives, and the capacity of the bottleneck. */
export class FlowRateChart extends TimeChart {
  constructor(
    container: HTMLElement,
    axis: TimeAxis,
    theme: ChartTheme,
    flows: readonly DrawnFlow[],
    { backward, fitCapacity }: FlowRateOptions,
  ) {
    const capacity: Series = {
      id: 'capacity',
      label: 'Capacity',
      description: 'What the bottleneck of the forward path can carry',
      ...column(bottleneck, 'capacity_bps'),
      format: formatRate,
      colour: 'ink',
      look: 'step',
      width: 2,
      scaled: fitCapacity,
    };
    const back: Series = {
      ...capacity,
      id: 'capacity-back',
      label: 'Capacity back',
      description: 'What the bottleneck of the backward path can carry',
      ...column(bottleneckBack, 'capacity_bps'),
      colour: 'grey',
    };
    const received = flows.map(({ flow, name, look }): Series => ({
      id: `received-${flow}`,
      label: name,
      description: `Rate that ${name} receives`,
      ...column(rowsWhere('throughput', 'flow', flow), 'received_bps'),
      format: formatRate,
      ...lookOf(look),
    }));
    super(container, axis, theme, {
      series: [capacity, ...(backward ? [back] : []), ...received],
      left: { unit: 'Mbps', tick: (value) => String(Number((value / 1e6).toFixed(2))), atLeast: [0, 1e5] },
    });
  }
}

export interface FlowDelayOptions {
  /** Whether the bottleneck has a queue for each flow, so that the flows' packets wait for different times. */
  flowQueues: boolean;
}

const RTT_OF = { media: 'from its latest RTCP probe', tcp: 'as TCP smooths it (SRTT)' } as const;

/** How long packets queue at the bottleneck, and each flow's round trip. */
export class FlowDelayChart extends TimeChart {
  constructor(
    container: HTMLElement,
    axis: TimeAxis,
    theme: ChartTheme,
    flows: readonly DrawnFlow[],
    { flowQueues }: FlowDelayOptions = { flowQueues: false },
  ) {
    const queue: Series = {
      id: 'queue',
      label: flowQueues ? 'All queues' : 'Queuing delay',
      description: flowQueues
        ? 'How long the bottleneck of the forward path takes to send all that waits in the queues of all flows. A packet of a flow with a short queue waits less'
        : 'How long a packet that came now would wait at the bottleneck of the forward path',
      ...column(bottleneck, 'queue_delay_us', 1e-3),
      format: formatMs,
      colour: 'ink',
      look: 'line',
      width: 2,
    };
    const waiting = flows.filter(({ direction }) => direction !== 'backward');
    const waits = waiting.map(({ flow, name, look }): Series => ({
      id: `wait-${flow}`,
      label: `Queuing delay ${name}`,
      description: `How long the packets of ${name} that arrived in the last interval waited in its queue, on average`,
      ...column(rowsWhere('throughput', 'flow', flow), 'queue_delay_us', 1e-3),
      format: formatMs,
      ...lookOf(look),
      look: 'dotted',
    }));
    const rtts = flows.map(({ flow, name, kind, look }): Series => ({
      id: `rtt-${flow}`,
      label: `RTT ${name}`,
      description: `Round-trip time of ${name}${kind === undefined ? '' : `, ${RTT_OF[kind]}`}, while it receives`,
      table: rowsWhere('throughput', 'flow', flow),
      columns: ['rtt_us', 'received_bps'],
      value: (columns, row) =>
        at(columns, 'received_bps', row) > 0 ? at(columns, 'rtt_us', row) / 1e3 : NaN,
      format: formatMs,
      ...lookOf(look),
    }));
    super(container, axis, theme, {
      series: [queue, ...(flowQueues ? waits : []), ...rtts],
      left: { unit: 'ms', tick: (value) => String(value), atLeast: [0, 20] },
    });
  }
}
