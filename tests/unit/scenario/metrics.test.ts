import { describe, expect, it } from 'vitest';

import { measure, METRICS, metricText, parseScenario } from '../../../src/scenario/index.js';
import type { WindowMetrics } from '../../../src/core/simulation.js';
import { distribution, flowMetrics, minimal, pathMetrics, windowMetrics } from './support.js';

/**
 * Two media flows and a TCP flow share 4 Mbps. A fourth flow uses the backward direction, whose capacity is
 * 1 Mbps.
 */
const scenario = parseScenario({
  ...minimal,
  flows: [
    { kind: 'media', name: 'gcc', count: 2 },
    { kind: 'tcp', name: 'tcp' },
    { kind: 'media', name: 'back', direction: 'backward' },
  ],
});
const window: WindowMetrics = windowMetrics(
  [
    flowMetrics(0, {
      receiveRateBps: 1e6,
      goodputBps: 0.9e6,
      sentBytes: 1000,
      lostBytes: 100,
      convergenceUs: 2e6,
      probeQueueDelayUs: distribution(10, 20e3, 40e3),
      owdQueueDelayUs: distribution(10, 20e3),
    }),
    flowMetrics(1, {
      receiveRateBps: 0.5e6,
      goodputBps: 0.6e6,
      sentBytes: 3000,
      lostBytes: 0,
      convergenceUs: 5e6,
      probeQueueDelayUs: distribution(30, 60e3, 80e3),
      owdQueueDelayUs: distribution(30, 40e3),
    }),
    flowMetrics(2, { kind: 'tcp', receiveRateBps: 1.5e6, goodputBps: 1.5e6 }),
    flowMetrics(3, { direction: 'backward', receiveRateBps: 0.25e6 }),
  ],
  {
    forward: pathMetrics({
      capacityBps: 4e6,
      utilisation: 0.75,
      deliveredPackets: 90,
      drops: { 'queue-full': 6, 'random-loss': 4 },
      queueDelayUs: distribution(5, 7e3),
    }),
    backward: pathMetrics({ capacityBps: 1e6 }),
    jain: 0.9,
    jainMean: 0.8,
    jainAll: 0.7,
    jainAllMean: 0.6,
  },
);
const windows = [window];

describe('metrics', () => {
  it('belong to the directions of the flows that are there', () => {
    const flows = [
      { kind: 'media', name: 'down', direction: 'backward', count: 0 },
      { kind: 'media', name: 'up' },
    ];
    const own: WindowMetrics = { ...window, flows: [flowMetrics(0, { receiveRateBps: 1e6 })] };
    const value = measure({ metric: 'utilisation', flow: '*' }, parseScenario({ ...minimal, flows }), [own]);
    // 1 of the 4 Mbps of the forward direction
    expect(value).toBeCloseTo(0.25, 9);
  });

  it.each<[metric: string, flow: string | undefined, value: number]>([
    // (1 + 0.5) of 4 Mbps
    ['utilisation', undefined, 0.375],
    ['utilisation', 'tcp', 0.375],
    // 0.25 of the 1 Mbps of the backward direction
    ['utilisation', 'back', 0.25],
    // a mean of 0.75 Mbps, divided by the fair share of 4 / 3 Mbps
    ['fair_share_ratio', 'gcc', 0.5625],
    ['fair_share_ratio', 'tcp', 1.125],
    ['fair_share_ratio', 'back', 0.25],
    // 3.25 of 4 + 1 Mbps, and the mean of 0.75, 0.375, 1.125 and 0.25
    ['utilisation', '*', 0.65],
    ['fair_share_ratio', '*', 0.625],
    // 1.5 of 3 Mbps of goodput
    ['goodput_share', 'gcc', 0.5],
    // 100 of 4000 bytes are lost
    ['loss_ratio', 'gcc', 0.025],
    ['receive_rate_bps', 'gcc', 1.5e6],
    ['convergence_s', 'gcc', 5],
    // (10 * 20 + 30 * 60) / 40
    ['probe_queue_delay_mean_ms', 'gcc', 50],
    ['probe_queue_delay_p95_ms', 'gcc', 70],
    // (10 * 20 + 30 * 40) / 40, from the one-way delays
    ['owd_queue_delay_mean_ms', 'gcc', 35],
    ['path_utilisation', undefined, 0.75],
    ['capacity_bps', undefined, 4e6],
    ['drop_ratio', undefined, 0.1],
    ['path_queue_delay_mean_ms', undefined, 7],
    ['jain', undefined, 0.9],
    ['jain_mean', undefined, 0.8],
    ['jain_all', undefined, 0.7],
    ['jain_all_mean', undefined, 0.6],
  ])('%s of %s', (metric, flow, value) => {
    expect(measure({ metric, ...(flow !== undefined && { flow }) }, scenario, windows)).toBeCloseTo(value, 9);
  });

  it('counts as rivals only who sent', () => {
    const quiet = window.flows.map((flow) => (flow.flow === 2 ? { ...flow, sentPackets: 0 } : flow));
    const value = measure({ metric: 'fair_share_ratio' }, scenario, [{ ...window, flows: quiet }]);
    expect(value).toBeCloseTo(0.375, 9);
  });

  it('is NaN without a value: no samples, no such window, no bottleneck', () => {
    const of = (metric: string, more: object = {}): number => measure({ metric, ...more }, scenario, windows);
    expect(of('probe_queue_delay_mean_ms', { flow: 'back' })).toBeNaN();
    expect(of('utilisation', { window: 'late' })).toBeNaN();
    const open = { ...window, forward: pathMetrics({ capacityBps: NaN }) };
    expect(measure({ metric: 'utilisation' }, scenario, [open])).toBeNaN();
  });

  it('each have a unit that their name carries, or none', () => {
    for (const { name, unit } of METRICS.values()) {
      expect(/_(bps|ms|s)$/.exec(name)?.[1] ?? '').toBe(['bps', 'ms', 's'].includes(unit) ? unit : '');
    }
  });

  it.each([
    ['utilisation', 0.903, '90.3 %'],
    ['loss_ratio', 0.0049, '0.49 %'],
    ['receive_rate_bps', 950_400, '950 kbps'],
    ['receive_rate_bps', 1.25e6, '1.25 Mbps'],
    ['rtt_p95_ms', 130.04, '130.0 ms'],
    ['convergence_s', 12.34, '12.3 s'],
    ['jain', 0.9312, '0.931'],
    ['jain', NaN, '–'],
  ])('%s %d is shown as %s', (metric, value, text) => expect(metricText(metric, value)).toBe(text));
});
