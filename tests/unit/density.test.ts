import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core, type Density, type SenderHalf, type Simulation } from '../../src/core/index.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const made: (Simulation | SenderHalf)[] = [];
afterEach(() => made.splice(0).forEach((each) => each.destroy()));
const keep = <T extends Simulation | SenderHalf>(each: T): T => {
  made.push(each);
  return each;
};

/** Simulates a controller over the link of lcc-2018: 1 Mbps, with a delay of 50 ms each way. */
const simulate = (controller: 'lcc' | 'gcc'): Simulation =>
  keep(
    core.createSimulation({
      durationUs: 60e6,
      forward: { capacityBps: 1e6, oneWayDelayUs: 50e3, queue: { kind: 'droptail', limitMs: 10_000 } },
      flows: [
        { kind: 'media', controller },
        { kind: 'tcp', startUs: 59e6 },
      ],
    }),
  );

/** Returns the value; throws if there is none. */
function there<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a value');
  return value;
}

function integral({ ratesBps, delaysUs, values }: Density): number {
  const step = (axis: readonly number[]): number => (there(axis.at(-1)) - there(axis[0])) / (axis.length - 1);
  return values.reduce((sum, value) => sum + value, 0) * step(ratesBps) * step(delaysUs);
}

describe('density of a simulated flow', () => {
  it('is a density over rates and delays that occur on the link', () => {
    const simulation = simulate('lcc');
    simulation.runUntil(58e6);
    const density = there(simulation.density(0, { rates: 128, delays: 96 }));
    expect(density.values).toHaveLength(128 * 96);
    expect(integral(density)).toBeCloseTo(1, 2);
    const top = density.values.indexOf(Math.max(...density.values));
    const [rate, delay] = [
      there(density.ratesBps[top % 128]),
      there(density.delaysUs[Math.floor(top / 128)]),
    ];
    // LCC's operating region. The rate is at most slightly above the capacity. The delay is between the
    // propagation delay and the limit of eq. 8.
    expect(rate).toBeGreaterThan(600e3);
    expect(rate).toBeLessThan(1.2e6);
    expect(delay).toBeGreaterThan(45e3);
    expect(delay).toBeLessThan(100e3);
  });

  it('takes the ends of its axes', () => {
    const simulation = simulate('lcc');
    simulation.runUntil(20e6);
    const density = there(
      simulation.density(0, { rates: 3, delays: 2, rateBps: [5e5, 1.5e6], delayUs: [0, 2e5] }),
    );
    expect(density.ratesBps).toEqual([5e5, 1e6, 1.5e6]);
    expect(density.delaysUs).toEqual([0, 2e5]);
  });

  it('is null before the first feedback and for other controllers', () => {
    expect(simulate('lcc').density()).toBeNull();
    const gcc = simulate('gcc');
    gcc.runUntil(5e6);
    expect(gcc.density()).toBeNull();
  });

  it('names what is refused', () => {
    const simulation = simulate('lcc');
    simulation.runUntil(5e6);
    expect(() => simulation.density(1)).toThrow(/^flow: /);
    expect(() => simulation.density(0, { rates: 1 })).toThrow(/^rates: /);
    expect(() => simulation.density(0, { delays: 2.5 })).toThrow(/^delays: /);
    expect(() => simulation.density(0, { rateBps: [2, 1] })).toThrow(/^rateBps: /);
    expect(() => simulation.density(0, { delayUs: [0, Infinity] })).toThrow(/^delayUs: /);
  });
});

describe('density of a sender half', () => {
  it('has its mode at the only pair', () => {
    const sender = keep(core.createSender({ controller: 'lcc', parameters: { start_bitrate_bps: 400e3 } }));
    expect(sender.density()).toBeNull();
    // On the sender's clock the RTT is 80 ms. The receiver's clock is hours ahead, which must not matter.
    const feedback = { timeUs: 1e10, receivedRateBps: 4e5, packetsReceived: 5, packetsLost: 0 };
    const echo = { echoSendTimeUs: 1000, echoDelayUs: 10e3 };
    sender.pushFeedback({ ...feedback, ...echo, values: [1e10, 1e10, 0] }, 91e3);
    const density = there(sender.density({ rates: 101, delays: 101 }));
    const top = density.values.indexOf(Math.max(...density.values));
    expect(density.ratesBps[top % 101]).toBeCloseTo(400e3, 3);
    expect(density.delaysUs[Math.floor(top / 101)]).toBeCloseTo(40e3, 3);
  });
});
