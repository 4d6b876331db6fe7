import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core, type SimulationOptions } from '../../../src/core/index.js';
import { compile, judge, parseScenario, quantitiesOf, quantityKey } from '../../../src/scenario/index.js';
import { minimal, problem, varied } from './support.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const withOutage = (outage: object): object => ({ ...minimal, forward: { ...minimal.forward, outage } });

describe('outages of a scenario', () => {
  it('become those of a simulation', () => {
    const outage = { mean_on_ms: 100, mean_off_ms: 20.5, off_phases: 4 };
    expect(compile(parseScenario(withOutage(outage)), 1).forward.outages).toEqual({
      meanOnUs: 100e3,
      meanOffUs: 20.5e3,
      offPhases: 4,
    });
    expect(compile(parseScenario(minimal), 1).forward.outages).toBeUndefined();
  });

  it('may be written as those of a link, and so may reordering and bursts of losses', () => {
    const forward = {
      ...minimal.forward,
      outage: '100ms/20.5msx4',
      reorder: '1%/20ms',
      loss_ratio: 0.02,
      burst_loss_packets: 3,
    };
    expect(compile(parseScenario({ ...minimal, forward }), 1).forward).toMatchObject({
      outages: { meanOnUs: 100e3, meanOffUs: 20.5e3, offPhases: 4 },
      reordering: { ratio: 0.01, delayUs: 20e3 },
      lossRatio: 0.02,
      burstLossPackets: 3,
    });
    const wrong = { ...minimal.forward, outage: '100ms' };
    expect(problem(() => parseScenario({ ...minimal, forward: wrong }))).toMatchObject({
      field: 'scenario.forward.outage',
      expected: 'none, or ON/OFF (the mean times with and without a connection)',
    });
  });

  it.each([
    [{ mean_on_ms: 100 }, 'scenario.forward.outage.mean_off_ms'],
    [{ mean_on_ms: 0.5, mean_off_ms: 20 }, 'scenario.forward.outage.mean_on_ms'],
    [{ mean_on_ms: 100, mean_off_ms: 1e6 }, 'scenario.forward.outage.mean_off_ms'],
    [{ mean_on_ms: 100, mean_off_ms: 20, off_phases: 1.5 }, 'scenario.forward.outage.off_phases'],
    [{ mean_on_ms: 100, mean_off_ms: 20, phases: 2 }, 'scenario.forward.outage.phases'],
  ])('are refused as %j', (outage, field) => {
    expect(problem(() => parseScenario(withOutage(outage)))).toMatchObject({ field });
  });
});

describe('outages of a simulation', () => {
  const options = (change: Partial<SimulationOptions['forward']> = {}): SimulationOptions => ({
    durationUs: 60e6,
    seed: 5,
    forward: { capacityBps: 5e6, oneWayDelayUs: 25e3, ...change },
    flows: [{ kind: 'media', parameters: { min_bitrate_bps: 1e6, max_bitrate_bps: 1e6 } }],
    trace: { tables: ['arrival'] },
  });
  const wifi = { meanOnUs: 100e3, meanOffUs: 20e3 };

  function arrivals(given: SimulationOptions): { sent: Float64Array; arrived: Float64Array } {
    const simulation = core.createSimulation(given);
    simulation.runUntil(Infinity);
    const [batch] = simulation.drain();
    simulation.destroy();
    const [sent = new Float64Array(), arrived = new Float64Array()] = batch?.columns.slice(2, 4) ?? [];
    return { sent: sent.slice(), arrived: arrived.slice() };
  }

  it('delay packets and lose none, the same ones with the same seed', () => {
    const without = arrivals(options());
    const { sent, arrived } = arrivals(options({ outages: wifi }));
    expect(Math.abs(sent.length - without.sent.length)).toBeLessThan(10);
    const longest = Math.max(...sent.map((at, i) => (arrived[i] ?? NaN) - at));
    // Of about 500 outages with a mean of 20 ms, the longest takes about 20 ms * ln(500) = 124 ms.
    expect(longest).toBeGreaterThan(25e3 + 60e3);
    expect(longest).toBeLessThan(25e3 + 400e3);
    expect(arrivals(options({ outages: wifi })).arrived).toEqual(arrived);
    expect(arrivals({ ...options({ outages: wifi }), seed: 6 }).arrived).not.toEqual(arrived);
  });

  it.each([
    [{ meanOnUs: 0, meanOffUs: 20e3 }, 'forward.outages.meanOnUs'],
    [{ meanOnUs: 100e3, meanOffUs: NaN }, 'forward.outages.meanOffUs'],
    [{ meanOnUs: 100e3, meanOffUs: 20e3, offPhases: 0 }, 'forward.outages.offPhases'],
  ])('are refused as %j', (outages, field) => {
    expect(() => core.createSimulation(options({ outages }))).toThrow(
      expect.objectContaining({ field }) as Error,
    );
  });
});

describe('a metric of two cells', () => {
  const gain = {
    metric: 'receive_rate_gain',
    cells: { queue: 'long' },
    against: { queue: 'short' },
    published: 0.2,
    where: 'w',
    read: 'text',
    band: [0.1, 0.3],
    why: 'a rule',
  };
  const queues = { ...varied, expectations: [gain], claims: undefined };

  it('is judged run by run', () => {
    const scenario = parseScenario(JSON.parse(JSON.stringify(queues)));
    const key = quantityKey({ metric: 'receive_rate_bps' });
    const n = scenario.axes?.find(({ name }) => name === 'n')?.values[0]?.name ?? '';
    const results = [
      { cell: { queue: 'short', n }, values: new Map([[key, [1e6, 2e6]]]) },
      { cell: { queue: 'long', n }, values: new Map([[key, [1.2e6, 2.2e6]]]) },
    ];
    const { cells } = judge(scenario, results);
    // The result is the mean of the two runs' gains, 20 % and 10 %, not the gain of the sums, which is 13 %.
    const found = cells[1]?.metrics.find(({ name }) => name === 'receive_rate_gain');
    expect(found?.measured.mean).toBeCloseTo(0.15, 12);
    expect(found).toMatchObject({ unit: 'ratio', verdict: 'within' });
    // The metric compares the rates of two cells, so the rate must be measured in both cells.
    for (const { cell } of results) {
      expect(quantitiesOf(scenario, cell).map(({ metric }) => metric)).toContain('receive_rate_bps');
    }
  });

  it.each([
    [{ ...gain, against: undefined }, 'scenario.expectations.0.against'],
    [{ ...gain, against: { speed: 'x' } }, 'scenario.expectations.0.against'],
    [{ ...gain, metric: 'utilisation' }, 'scenario.expectations.0.against'],
  ])('needs the other cell, and no other metric does: %#', (expectation, field) => {
    const input: unknown = JSON.parse(JSON.stringify({ ...queues, expectations: [expectation] }));
    expect(problem(() => parseScenario(input)).field).toContain(field);
  });

  it('is no metric of one cell', () => {
    const input = { ...minimal, metrics: [{ metric: 'receive_rate_gain' }] };
    expect(problem(() => parseScenario(input))).toMatchObject({ field: 'scenario.metrics.0.metric' });
  });
});
