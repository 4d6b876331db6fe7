/** The numbers that a page shows about a run: about each flow, and about the path. */
import { formatRate, formatRatio } from '../charts/index.js';
import type { FlowMetrics, WindowMetrics } from '../core/simulation.js';

/** A time in milliseconds. From 100 ms on it has no decimals, since percentiles are accurate to 0.2 %. */
const ms = (us: number): string => (Number.isFinite(us) ? (us / 1e3).toFixed(us < 100e3 ? 1 : 0) : '–');
const seconds = (us: number): string => (Number.isFinite(us) ? (us / 1e6).toFixed(1) : '–');
const share = (ratio: number): string => (Number.isFinite(ratio) ? formatRatio(ratio) : '–');
const index = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : '–');

export interface FlowColumn {
  title: string;
  unit: string;
  about: string;
  /** Whether the page also shows `about` as text, because the title alone does not explain the numbers. */
  isExplained?: boolean;
  value: (flow: FlowMetrics, window: WindowMetrics) => string;
}

/** The table columns for a flow's numbers in a time window, from left to right. */
export const FLOW_COLUMNS: readonly FlowColumn[] = [
  {
    title: 'Received',
    unit: '',
    about: 'Rate that arrived, on the wire, while the flow ran',
    value: (flow) => formatRate(flow.receiveRateBps),
  },
  {
    title: 'Share of the link',
    unit: '',
    about:
      'Received rate over the mean capacity of its path. The rate of a flow is the mean of the time in which it ran, so shares of flows that ran at different times can sum up to more than 100 %',
    isExplained: true,
    value: (flow, window) => share(flow.receiveRateBps / window[flow.direction].capacityBps),
  },
  {
    title: 'Loss',
    unit: '',
    about: 'Bytes lost over bytes sent',
    value: (flow) => share(flow.lossRatio),
  },
  {
    title: 'Target',
    unit: '',
    about: 'Mean of the controller’s target rate at the ends of the rate intervals',
    value: (flow) => formatRate(flow.targetRateBps),
  },
  {
    title: 'Queuing p50',
    unit: 'ms',
    about: 'Median of RTT − RTT_min of RTCP probes; of TCP, of the packets’ one-way queuing delay',
    isExplained: true,
    value: (flow) => ms(queuing(flow).p50),
  },
  {
    title: 'p95',
    unit: 'ms',
    about: '95th percentile of the same',
    value: (flow) => ms(queuing(flow).p95),
  },
  {
    title: 'RTT p50',
    unit: 'ms',
    about: 'Median round-trip time; for a call, from its RTCP probes; for TCP, its smoothed RTT (SRTT)',
    isExplained: true,
    value: (flow) => ms(flow.rttUs.p50),
  },
  {
    title: 'Reached its share',
    unit: 's',
    about:
      'From the flow’s start until it first received 90 % of its equal share of the capacity, even if it fell below that later; – stands for never',
    isExplained: true,
    value: (flow) => seconds(flow.convergenceUs),
  },
];

/** The queuing delay of a flow. For media, it is measured with RTCP probes; for TCP, with all packets. */
export const queuing = (flow: FlowMetrics): FlowMetrics['queueDelayUs'] =>
  flow.kind === 'media' ? flow.probeQueueDelayUs : flow.queueDelayUs;

/** A mean target of at least this part of the controller's maximum is near the maximum. */
const NEAR_MAXIMUM = 0.9;

/** Whether a call's mean target is near the controller's maximum, which may then limit the call's rate. */
export const isNearMaximum = ({ targetRateBps }: FlowMetrics, maxBitrateBps = Infinity): boolean =>
  targetRateBps >= NEAR_MAXIMUM * maxBitrateBps;

/** A line of text about the forward path and its flows. */
export function pathText({ forward, jain, flows }: WindowMetrics): string {
  const drops = Object.values(forward.drops).reduce((sum, count) => sum + count, 0);
  const media = flows.filter(({ kind }) => kind === 'media').length;
  const [first, ...others] = flows.filter(({ direction }) => direction === 'forward');
  const users = others.length === 0 && first !== undefined ? `${first.name} uses` : 'all flows use';
  return [
    `${users} ${share(forward.utilisation)} of the mean capacity, ${formatRate(forward.capacityBps)}`,
    `queuing p50 ${ms(forward.queueDelayUs.p50)} ms, p95 ${ms(forward.queueDelayUs.p95)} ms`,
    `${drops} dropped`,
    ...(media > 1 ? [`Jain’s index ${index(jain)}`] : []),
  ].join(' · ');
}
