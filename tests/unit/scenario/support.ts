import { ConfigError } from '../../../src/scenario/index.js';
import type { Distribution, FlowMetrics, PathMetrics, WindowMetrics } from '../../../src/core/simulation.js';

/** Returns the ConfigError that `act` must throw. */
export function problem(act: () => unknown): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** A scenario with only the required fields. */
export const minimal = {
  ccscope_scenario: 1,
  id: 'test',
  title: 'A test',
  description: 'One flow.',
  duration_s: 10,
  forward: { capacity: '1mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
  flows: [{ kind: 'media', name: 'gcc' }],
};

/** A scenario with two axes, which make 2 x 3 cells. */
export const varied = {
  ...minimal,
  axes: [
    {
      name: 'queue',
      values: [
        { name: 'short', set: { 'forward.queue': 'droptail:100ms' } },
        { name: 'long', set: { 'forward.queue': 'droptail:700ms' } },
      ],
    },
    {
      name: 'n',
      values: [1, 2, 4].map((n) => ({ name: String(n), at: n, set: { 'flows.gcc.count': n } })),
    },
  ],
};

/** A distribution with this count, mean and 95th percentile; its other numbers are 0. */
export function distribution(count: number, meanUs: number, p95Us = meanUs): Distribution {
  const rest = { sd: 0, min: 0, max: 0, p5: 0, p25: 0, p50: 0, p75: 0, p99: 0 };
  return { count, mean: meanUs, p95: p95Us, ...rest };
}

export function flowMetrics(flow: number, some: Partial<FlowMetrics> = {}): FlowMetrics {
  return {
    flow,
    name: `flow ${flow}`,
    kind: 'media',
    direction: 'forward',
    sentPackets: 100,
    sentBytes: 100_000,
    receivedPackets: 100,
    receivedBytes: 100_000,
    lostPackets: 0,
    lostBytes: 0,
    lossRatio: 0,
    sendRateBps: 0,
    receiveRateBps: 0,
    goodputBps: 0,
    targetRateBps: 0,
    receiveRateSdBps: 0,
    lossBoundShare: 0,
    capacityShareMean: 0,
    frames: 0,
    freezes: 0,
    longestFreezeUs: 0,
    convergenceUs: NaN,
    probeQueueDelayUs: distribution(0, NaN),
    rttUs: distribution(0, NaN),
    queueDelayUs: distribution(0, NaN),
    owdQueueDelayUs: distribution(0, NaN),
    e2eQueueDelayUs: distribution(0, NaN),
    ...some,
  };
}

export function pathMetrics(some: Partial<PathMetrics> = {}): PathMetrics {
  return {
    capacityBps: 1e6,
    utilisation: 0,
    queueDelayUs: distribution(0, NaN),
    deliveredPackets: 0,
    deliveredBytes: 0,
    drops: {},
    ...some,
  };
}

export function windowMetrics(flows: FlowMetrics[], some: Partial<WindowMetrics> = {}): WindowMetrics {
  return {
    name: 'run',
    beginUs: 0,
    endUs: 10e6,
    forward: pathMetrics(),
    backward: pathMetrics({ capacityBps: NaN }),
    flows,
    jain: NaN,
    jainMean: NaN,
    jainAll: NaN,
    jainAllMean: NaN,
    ...some,
  };
}
