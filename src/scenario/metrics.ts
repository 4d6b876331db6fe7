/** The metrics that scenarios may name, with the unit of each and how it is computed. */
import type { Distribution, FlowMetrics, PathMetrics, WindowMetrics } from '../core/simulation.js';
import { flowGroups, type FlowGroup } from './compile.js';
import type { Quantity, Scenario } from './scenario.js';

/** `ratio`: a fraction, shown as a percentage. `1`: an index or a quotient, shown as a plain number. */
export type MetricUnit = 'ratio' | '1' | 'bps' | 'ms' | 's';

export interface MetricSpec {
  readonly name: string;
  readonly unit: MetricUnit;
  /**
   * The data that the metric is computed from: some flows, one path, a whole window, or the trace rows of some
   * flows. `relative`: the values of another metric in this cell and in a second cell.
   */
  readonly scope: 'flow' | 'path' | 'window' | 'trace' | 'relative';
  readonly description: string;
}

type FlowValue = (flows: readonly FlowMetrics[], window: WindowMetrics) => number;
type Entry = MetricSpec &
  (
    | { scope: 'flow'; value: FlowValue }
    | { scope: 'path'; value: (path: PathMetrics) => number }
    | { scope: 'window'; value: (window: WindowMetrics) => number }
    | { scope: 'trace' }
    | { scope: 'relative'; of: string; relate: (value: number, other: number) => number }
  );

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const total =
  (of: (flow: FlowMetrics) => number): FlowValue =>
  (flows) =>
    sum(flows.map(of));
const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : NaN);

const directionsOf = (flows: readonly FlowMetrics[]): Set<FlowMetrics['direction']> =>
  new Set(flows.map(({ direction }) => direction));

/** The flows that sent data within the window, in the directions of `flows`. */
function rivals(flows: readonly FlowMetrics[], window: WindowMetrics): FlowMetrics[] {
  const directions = directionsOf(flows);
  return window.flows.filter((flow) => directions.has(flow.direction) && flow.sentPackets > 0);
}

/** The capacity of the directions of `flows`; NaN if one of them has no bottleneck. */
function capacityOf(flows: readonly FlowMetrics[], window: WindowMetrics): number {
  const capacities = [...directionsOf(flows)].map((direction) => window[direction].capacityBps);
  return capacities.every((bps) => bps > 0) ? sum(capacities) : NaN;
}

const flowMetric = (name: string, unit: MetricUnit, description: string, value: FlowValue): Entry => ({
  name,
  unit,
  scope: 'flow',
  description,
  value,
});

const FLOW: readonly Entry[] = [
  flowMetric(
    'utilisation',
    'ratio',
    'received rate over the capacity of the path (ToN V); of several flows, the sum, over the capacity of the directions that they use',
    (flows, window) => ratio(sum(flows.map((flow) => flow.receiveRateBps)), capacityOf(flows, window)),
  ),
  flowMetric(
    'fair_share_ratio',
    '1',
    'received rate over the capacity divided by the number of flows that sent; of several flows, the mean',
    (flows, window) =>
      sum(
        flows.map((flow) =>
          ratio(flow.receiveRateBps, capacityOf([flow], window) / rivals([flow], window).length),
        ),
      ) / flows.length,
  ),
  flowMetric(
    'goodput_share',
    'ratio',
    'goodput over the goodput of all flows of the same direction; of several flows, the sums, over the directions that they use',
    (flows, window) =>
      ratio(
        sum(flows.map((flow) => flow.goodputBps)),
        sum(rivals(flows, window).map((flow) => flow.goodputBps)),
      ),
  ),
  flowMetric('loss_ratio', 'ratio', 'bytes lost over bytes sent (ToN V)', (flows) =>
    ratio(sum(flows.map((flow) => flow.lostBytes)), sum(flows.map((flow) => flow.sentBytes))),
  ),
  flowMetric('packet_loss_ratio', 'ratio', 'packets lost over packets sent', (flows) =>
    ratio(sum(flows.map((flow) => flow.lostPackets)), sum(flows.map((flow) => flow.sentPackets))),
  ),
  flowMetric(
    'receive_rate_bps',
    'bps',
    'what arrived, on the wire; of several flows, the sum',
    total((flow) => flow.receiveRateBps),
  ),
  flowMetric(
    'send_rate_bps',
    'bps',
    'what was sent, on the wire; of several flows, the sum',
    total((flow) => flow.sendRateBps),
  ),
  flowMetric(
    'goodput_bps',
    'bps',
    'payload that arrived for the first time; of several flows, the sum',
    total((flow) => flow.goodputBps),
  ),
  flowMetric(
    'target_rate_bps',
    'bps',
    'mean of the controller’s target rate at the ends of the rate intervals; of several flows, the sum',
    total((flow) => flow.targetRateBps),
  ),
  flowMetric(
    'receive_rate_sd_bps',
    'bps',
    'standard deviation of the received rate over the rate intervals; of several flows, the mean',
    (flows) => sum(flows.map((flow) => flow.receiveRateSdBps)) / flows.length,
  ),
  flowMetric(
    'loss_bound_share',
    'ratio',
    "share of the rate intervals at whose end GCC's loss-based rate A_s is what bounds it, being below A_r; of several flows, the mean",
    (flows) => sum(flows.map((flow) => flow.lossBoundShare)) / flows.length,
  ),
  flowMetric(
    'utilisation_mean',
    'ratio',
    'mean over the rate intervals of R / b, what arrived over the mean capacity of that time (CMP III); of several flows, the sum',
    total((flow) => flow.capacityShareMean),
  ),
  flowMetric(
    'utility',
    '1',
    'the objective function of ToN eq. 17 with a = 2, b = 1 and delta = 0.15: the sum of -1/x - 0.15 ln y over the flows, where x is the received rate in Mbps and y is the mean queuing delay at the bottleneck in ms',
    (flows) => sum(flows.map(utility)),
  ),
  flowMetric(
    'convergence_s',
    's',
    'the time from the start of a flow until it first receives 90 % of its fair share of the capacity; with several flows, the longest such time',
    (flows) => Math.max(...flows.map((flow) => flow.convergenceUs)) / 1e6,
  ),
];

/**
 * The lower limit for the mean queuing delay in the metric `utility`. The utility contains the logarithm of this
 * delay, and the logarithm of 0 is infinite.
 */
const LEAST_WAIT_MS = 0.1;

function utility({ receiveRateBps, queueDelayUs }: FlowMetrics): number {
  const waitMs = Math.max(LEAST_WAIT_MS, queueDelayUs.mean / 1e3);
  return -1 / (receiveRateBps / 1e6) - 0.15 * Math.log(waitMs);
}

const STATISTICS = ['mean', 'sd', 'min', 'max', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;
export type Statistic = (typeof STATISTICS)[number];
/** The percentiles that a box plot shows, from the lower whisker to the upper one. */
export const BOX: readonly Statistic[] = ['p5', 'p25', 'p50', 'p75', 'p95'];

/** The mean of a statistic over several distributions, weighted by their sample counts, in ms. */
function pooled(distributions: readonly Distribution[], statistic: Statistic): number {
  const some = distributions.filter(({ count }) => count > 0);
  const weighted = sum(some.map((each) => each[statistic] * each.count));
  return ratio(weighted, sum(some.map(({ count }) => count))) / 1e3;
}

function delayMetrics(
  name: string,
  description: string,
  of: (flow: FlowMetrics) => Distribution,
): readonly Entry[] {
  return STATISTICS.map((statistic) =>
    flowMetric(`${name}_${statistic}_ms`, 'ms', `${statistic} of ${description}`, (flows) =>
      pooled(flows.map(of), statistic),
    ),
  );
}

const DELAYS: readonly Entry[] = [
  ...delayMetrics(
    'probe_queue_delay',
    'RTT − RTT_min of RTCP probes (ToN V, AQM 3); with several flows, the mean over all their samples',
    (flow) => flow.probeQueueDelayUs,
  ),
  ...delayMetrics(
    'rtt',
    'the RTT of the same probes; with several flows, the mean over all their samples',
    (flow) => flow.rttUs,
  ),
  ...delayMetrics(
    'queue_delay',
    'how long each packet waited at the bottleneck; with several flows, the mean over all their samples',
    (flow) => flow.queueDelayUs,
  ),
  ...delayMetrics(
    'owd_queue_delay',
    'the one-way delay of each packet minus the propagation delay, that is, queuing, transmission and jitter (CMP III, LCC III-A); with several flows, the mean over all their samples',
    (flow) => flow.owdQueueDelayUs,
  ),
  ...delayMetrics(
    'e2e_queue_delay',
    'the same, but counted from when the encoder produced the packet, so it includes the wait in the pacer, as in the simulator of CMP; with several flows, the mean over all their samples',
    (flow) => flow.e2eQueueDelayUs,
  ),
];

const PATH: readonly Entry[] = [
  {
    name: 'path_utilisation',
    unit: 'ratio',
    scope: 'path',
    description: 'what went through the bottleneck over what could have',
    value: (path) => path.utilisation,
  },
  {
    name: 'capacity_bps',
    unit: 'bps',
    scope: 'path',
    description: 'mean capacity',
    value: (path) => path.capacityBps,
  },
  {
    name: 'drop_ratio',
    unit: 'ratio',
    scope: 'path',
    description: 'packets dropped, for whatever reason, over packets dropped or delivered',
    value: (path) => {
      const drops = sum(Object.values(path.drops));
      return ratio(drops, drops + path.deliveredPackets);
    },
  },
  ...STATISTICS.map((statistic): Entry => ({
    name: `path_queue_delay_${statistic}_ms`,
    unit: 'ms',
    scope: 'path',
    description: `${statistic} of the waiting time of all packets`,
    value: (path) => pooled([path.queueDelayUs], statistic),
  })),
];

const WINDOW: readonly Entry[] = [
  ['jain', "Jain's index of the media flows' received rates over the window", (w: WindowMetrics) => w.jain],
  [
    'jain_mean',
    "mean over the rate intervals of Jain's index of the media flows that are active then (ToN V)",
    (w: WindowMetrics) => w.jainMean,
  ],
  [
    'jain_all',
    "Jain's index of all flows of the forward path, TCP included",
    (w: WindowMetrics) => w.jainAll,
  ],
  ['jain_all_mean', 'the mean of jain_all over the rate intervals', (w: WindowMetrics) => w.jainAllMean],
].map(([name, description, value]) => ({ name, unit: '1', scope: 'window', description, value }) as Entry);

const TRACE: readonly Entry[] = [
  {
    name: 'delay_gradient_max',
    unit: '1',
    scope: 'trace',
    description:
      'largest m(t) of the arrival filter over the time between two groups, until the first packet is lost: m_M of ToN eq. 24; of several flows, the largest',
  },
  {
    name: 'delay_variation_modes',
    unit: '1',
    scope: 'trace',
    description:
      'modes of the delay variation d_m of groups (GRP): maxima of its density, estimated with normal kernels of 1 ms, that stand out of it by a quarter and hold 1 % of the groups; of several flows, the most',
  },
];

const changeOf = (of: string): Entry => ({
  name: of.replace(/_ms$/, '_change_ms'),
  unit: 'ms',
  scope: 'relative',
  of,
  relate: (value, other) => value - other,
  description: `${of} less that of the cell \`against\`, run by run`,
});

const RELATIVE: readonly Entry[] = [
  {
    name: 'receive_rate_gain',
    unit: 'ratio',
    scope: 'relative',
    of: 'receive_rate_bps',
    relate: (value, other) => value / other - 1,
    description: 'receive_rate_bps over that of the cell `against`, less 1, run by run',
  },
  changeOf('owd_queue_delay_p50_ms'),
  changeOf('owd_queue_delay_p95_ms'),
];

const ENTRIES = new Map(
  [...FLOW, ...DELAYS, ...PATH, ...WINDOW, ...TRACE, ...RELATIVE].map((entry) => [entry.name, entry]),
);

/** All metrics, by name. */
export const METRICS: ReadonlyMap<string, MetricSpec> = ENTRIES;

/** The default flow: the first media flow or, without media flows, the first flow. */
export function defaultFlow(scenario: Scenario): string {
  const [first] = scenario.flows;
  return (scenario.flows.find(({ kind }) => kind === 'media') ?? first)?.name ?? '';
}

/** The flows of the simulation that a quantity is about. */
export function selectedFlows(scenario: Scenario, quantity: Pick<Quantity, 'flow'>): FlowGroup[] {
  const wanted = quantity.flow ?? defaultFlow(scenario);
  return flowGroups(scenario).filter(({ name }) => wanted === '*' || name === wanted);
}

/**
 * The value of a quantity in one run. `scenario` is the scenario of the run's cell. NaN if the cell has no
 * such flow, or if the metric is undefined, such as a utilisation without a bottleneck. Also NaN for trace
 * metrics, which `traceMetric` computes, and for metrics that are computed from two cells.
 */
export function measure(quantity: Quantity, scenario: Scenario, windows: readonly WindowMetrics[]): number {
  const entry = ENTRIES.get(quantity.metric);
  const window = windows.find(({ name }) => name === (quantity.window ?? 'run'));
  if (entry === undefined || window === undefined) return NaN;
  if (entry.scope === 'trace' || entry.scope === 'relative') return NaN;
  if (entry.scope === 'window') return entry.value(window);
  if (entry.scope === 'path') return entry.value(window[quantity.path ?? 'forward']);
  const groups = selectedFlows(scenario, quantity);
  const numbers = new Set(groups.flatMap(({ flows }) => flows));
  const flows = window.flows.filter(({ flow }) => numbers.has(flow));
  if (flows.length === 0) return NaN;
  return entry.value(flows, window);
}

/**
 * For a metric that is computed from two cells: `of` is the metric that is measured in both cells, and `relate`
 * computes the value from the two measurements. Null for all other metrics.
 */
export function relation(
  metric: string,
): { of: string; relate: (value: number, other: number) => number } | null {
  const entry = ENTRIES.get(metric);
  return entry?.scope === 'relative' ? entry : null;
}

/** Identifies a quantity within a cell. Expectations, claims and figures about the same quantity share one key. */
export function quantityKey({ metric, flow = '', window = 'run', path = 'forward' }: Quantity): string {
  const { scope } = METRICS.get(metric) ?? {};
  const about = scope === 'path' ? path : scope === 'window' ? '' : flow;
  return [metric, about, window].join('|');
}

/** Formats a value with its unit: `90.3 %`, `1.25 Mbps`, `12.1 ms`. */
export function metricText(name: string, value: number): string {
  if (Number.isNaN(value)) return '–';
  const unit = METRICS.get(name)?.unit;
  if (unit === 'ratio') return `${(value * 100).toFixed(Math.abs(value) < 0.1 ? 2 : 1)} %`;
  if (unit === 'bps')
    return value >= 1e6 ? `${(value / 1e6).toFixed(2)} Mbps` : `${(value / 1e3).toFixed(0)} kbps`;
  if (unit === 'ms') return `${value.toFixed(1)} ms`;
  if (unit === 's') return `${value.toFixed(1)} s`;
  return value.toFixed(Math.abs(value) < 1 ? 3 : 2);
}
