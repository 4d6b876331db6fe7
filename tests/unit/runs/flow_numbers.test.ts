/** The numbers that a page shows about a run's flows. */
import { expect, it } from 'vitest';

import type { FlowMetrics, WindowMetrics } from '../../../src/core/simulation.js';
import { FLOW_COLUMNS, isNearMaximum, pathText } from '../../../src/runs/flow_columns.js';
import { described, hasFlowQueues, type Run } from '../../../src/runs/run.js';
import { medianRttUs } from '../../../src/runs/tcp_rtt.js';
import { parseScenario } from '../../../src/scenario/index.js';
import { TraceData } from '../../../src/trace/index.js';
import { addRow } from '../reasons/support.js';

it('the RTT of TCP is that of the times at which it receives', async () => {
  const trace = new TraceData();
  const rows: readonly (readonly [rtt_us: number, received_bps: number])[] = [
    ...[50e3, 50e3, 50e3].map((us) => [us, 0] as const),
    ...[80e3, NaN, 100e3, 120e3].map((us) => [us, 1e6] as const),
    ...[900e3, 900e3].map((us) => [us, 0] as const),
  ];
  rows.forEach(([rtt_us, received_bps], n) =>
    addRow(trace, 'throughput', { flow: 1, time_us: n * 200e3, rtt_us, received_bps }),
  );
  const store = { view: (query: Parameters<TraceData['view']>[0]) => Promise.resolve(trace.view(query)) };
  const window = { beginUs: 0, endUs: 10e6 } as WindowMetrics;
  expect(await medianRttUs(store, 1, window)).toBe(100e3);
  expect(await medianRttUs(store, 2, window)).toBeNaN();
});

it('a delay has as many digits as its percentiles are accurate to', () => {
  const column = FLOW_COLUMNS.find(({ title }) => title === 'Queuing p50');
  const text = (p50: number) =>
    column?.value({ kind: 'tcp', queueDelayUs: { p50 } } as unknown as FlowMetrics, {} as WindowMetrics);
  expect([3_664, 99_940, 434_700].map(text)).toEqual(['3.7', '99.9', '435']);
});

it('a flow has the maximum of its controller, and the times at which it starts and stops', () => {
  const preset = 'gcc';
  const { flows } = described({
    durationUs: 60e6,
    forward: {},
    flows: [
      { kind: 'media', preset },
      { kind: 'media', preset, parameters: { max_bitrate_bps: 1e6 }, startUs: 5e6, stopUs: 60e6 },
      { kind: 'tcp', stopUs: 40e6 },
    ],
  });
  expect(flows).toMatchObject([
    { maxBitrateBps: 2.5e6 },
    { maxBitrateBps: 1e6, startUs: 5e6 },
    { stopUs: 40e6 },
  ]);
  expect(flows[1]).not.toHaveProperty('stopUs');
  expect(flows[2]).not.toHaveProperty('maxBitrateBps');
});

it('a call whose mean target is near its maximum is limited by it', () => {
  const near = (targetRateBps: number, maximum?: number) =>
    isNearMaximum({ targetRateBps } as FlowMetrics, maximum);
  expect(near(2.37e6, 2.5e6)).toBe(true);
  expect(near(1.7e6, 2.5e6)).toBe(false);
  expect(near(NaN, 2.5e6)).toBe(false);
  expect(near(1e6)).toBe(false);
});

it('the text about the path says who uses it', () => {
  const forward = { utilisation: 0.53, capacityBps: 1e6, queueDelayUs: { p50: 1e3, p95: 2e3 }, drops: {} };
  const flow = (name: string, direction = 'forward') => ({ name, direction, kind: 'media' });
  const text = (...flows: object[]) => pathText({ forward, flows, jain: 1 } as unknown as WindowMetrics);
  expect(text(flow('a'), flow('b'))).toMatch(
    /^all flows use 53.0 % of the mean capacity, 1.00 Mbps · queuing/,
  );
  expect(text(flow('call'), flow('back', 'backward'))).toMatch(
    /^call uses 53.0 % of the mean capacity, 1.00 Mbps/,
  );
});

it.each([
  ['fq_codel', true],
  ['sfq:300ms', true],
  ['codel', false],
  [undefined, false],
])('the bottleneck with the queue %s has a queue for each flow: %s', (queue, has) => {
  const scenario = parseScenario({
    ...{ ccscope_scenario: 1, id: 'queues', title: 'Queues', description: 'A call.', duration_s: 10 },
    forward: { capacity: '1mbps', one_way_delay_ms: 20, ...(queue !== undefined && { queue }) },
    flows: [{ kind: 'media', name: 'call', preset: 'gcc' }],
  });
  expect(hasFlowQueues({ scenario, cell: {} } as Run)).toBe(has);
});
