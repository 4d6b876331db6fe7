import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import {
  CoreError,
  loadCore,
  type ControllerFault,
  type Core,
  type HalfOptions,
  type Simulation,
  type SimulationOptions,
  type UserController,
  type UserReceiverHalf,
  type UserSenderHalf,
} from '../../src/core/index.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const made: { destroy(): void }[] = [];
afterEach(() => made.splice(0).forEach((each) => each.destroy()));

const TARGET_BPS = 400e3;
const START_BPS = 300e3;

/**
 * A controller that sends a message every 100 ms and requests TARGET_BPS. `wrong` replaces some of its
 * functions.
 */
function steady(
  wrong: {
    receiver?: Partial<UserReceiverHalf>;
    sender?: Partial<UserSenderHalf>;
  } & Partial<UserController> = {},
): UserController {
  const { receiver, sender, ...makers } = wrong;
  return {
    name: 'steady',
    createReceiver: () => {
      let nextUs = 0;
      return {
        onArrival: ({ arrivalTimeUs }) => {
          if (arrivalTimeUs < nextUs) return null;
          nextUs = arrivalTimeUs + 100e3;
          return [1, 2, 3];
        },
        ...receiver,
      };
    },
    createSender: () => ({ onFeedback: () => undefined, rate: () => ({ targetBps: TARGET_BPS }), ...sender }),
    ...makers,
  };
}

function simulation(controller: UserController, options: Partial<SimulationOptions> = {}): Simulation {
  const created = core.createSimulation({
    durationUs: 20e6,
    forward: { capacityBps: 1e6, oneWayDelayUs: 25e3 },
    flows: [{ kind: 'media', controller }],
    trace: { tables: ['rate', 'feedback', 'arrival'] },
    ...options,
  });
  made.push(created);
  return created;
}

/** The values of a column in a simulation's trace. */
function column(of: Simulation, table: string, index: number): number[] {
  const batches = of.drain().filter((batch) => batch.table === table);
  return batches.flatMap(({ columns }) => [...(columns[index] ?? [])]);
}

const RATE_TARGET = 4;

describe('a user controller in a simulation', () => {
  it('is in charge of its flow', () => {
    const run = simulation(steady());
    run.runUntil(Infinity);
    expect(run.faults()).toEqual([]);
    const [whole] = run.metrics();
    expect(whole?.flows[0]?.targetRateBps).toBeCloseTo(TARGET_BPS, -2);
    expect(new Set(column(run, 'rate', RATE_TARGET))).toEqual(new Set([TARGET_BPS]));
  });
});

const unprintable = Object.assign(new Error(), {
  toString: () => {
    throw new Error();
  },
});

describe('what a user controller does wrong', () => {
  const late = 5e6;
  /** The fault of a run whose controller misbehaves; fails if there is none, or more than one. */
  function faultOf(controller: UserController): ControllerFault {
    const run = simulation(controller);
    run.runUntil(Infinity);
    const [fault, ...more] = run.faults();
    expect(more).toEqual([]);
    const targets = new Set(column(run, 'rate', RATE_TARGET));
    expect([...targets].filter((target) => target !== START_BPS && target !== TARGET_BPS)).toEqual([]);
    if (fault === undefined) throw new Error('there was no fault');
    return fault;
  }
  const sender = (rate: (nowUs: number) => unknown): UserController =>
    steady({
      sender: {
        rate: (nowUs) => (nowUs < late ? { targetBps: TARGET_BPS } : rate(nowUs)) as { targetBps: number },
      },
    });

  it.each([
    ['NaN', () => ({ targetBps: NaN }), /targetBps NaN/],
    ['Infinity', () => ({ targetBps: Infinity }), /targetBps Infinity/],
    ['negative', () => ({ targetBps: -1 }), /targetBps -1/],
    ['nothing', () => undefined, /rate\(\) returned undefined/],
    ['text', () => ({ targetBps: '1e6' }), /targetBps 1e6/],
    ['a promise', () => Promise.resolve({ targetBps: 1e6 }), /targetBps undefined/],
    ['bad pacing', () => ({ targetBps: 1e6, pacingBps: NaN }), /pacingBps NaN/],
    [
      'an exception',
      () => {
        throw new Error('boom');
      },
      /rate\(\) threw Error: boom/,
    ],
    [
      'a deep recursion',
      function deep(): unknown {
        return [deep()];
      },
      /rate\(\) threw RangeError/,
    ],
    [
      'an unprintable exception',
      () => {
        throw unprintable;
      },
      /rate\(\) threw something/,
    ],
  ])('%s as rate: named, the last good rate stays', (_, rate, message) => {
    const fault = faultOf(sender(rate));
    expect(fault).toMatchObject({ controller: 'steady', half: 'sender', flow: 0 });
    expect(fault.message).toMatch(message);
    expect(fault.timeUs).toBeGreaterThanOrEqual(late);
    expect(fault.timeUs).toBeLessThan(late + 0.3e6);
  });

  it.each([
    ['text', () => 'values', /onArrival\(\) returned values; expected an array/],
    ['NaN', () => [1, NaN], /onArrival\(\) returned NaN at index 1/],
    ['too many', () => Array.from({ length: 65 }, () => 0), /65 values; expected at most 64/],
    [
      'an exception',
      () => {
        throw new TypeError('no');
      },
      /onArrival\(\) threw TypeError: no/,
    ],
  ])('%s as message', (_, onArrival, message) => {
    const fault = faultOf(steady({ receiver: { onArrival: onArrival as () => number[] } }));
    expect(fault).toMatchObject({ half: 'receiver', flow: 0 });
    expect(fault.message).toMatch(message);
  });

  it('a maker that throws, or makes something else', () => {
    expect(
      faultOf(
        steady({
          createReceiver: () => {
            throw new Error('no');
          },
        }),
      ).message,
    ).toMatch(/threw Error: no/);
    expect(
      faultOf(steady({ createSender: () => ({ rate: 1 }) as unknown as UserSenderHalf })).message,
    ).toMatch(/without the function onFeedback/);
  });

  it('calling the core that waits for it', () => {
    const holder: { run?: Simulation } = {};
    holder.run = simulation(
      steady({
        receiver: {
          onArrival: () => {
            holder.run?.runUntil(1e9);
            return null;
          },
        },
      }),
    );
    holder.run.runUntil(Infinity);
    expect(holder.run.faults()[0]?.message).toMatch(/called the core/);
    expect(holder.run.nowUs).toBe(20e6);
  });

  it('not being a controller: refused by the field', () => {
    const { createReceiver } = steady();
    const half = { name: 'half', createReceiver } as unknown as UserController;
    expect(() => simulation(half)).toThrow(CoreError);
    expect(() => simulation(half)).toThrow(/flows\.0\.controller\.createSender: expected a function/);
  });
});

describe('halves of a user controller', () => {
  it('know their options and are told what arrives', () => {
    const options: HalfOptions[] = [];
    const controller = steady({ createReceiver: (o) => (options.push(o), steady().createReceiver(o)) });
    const parameters = { min_bitrate_bps: 1e5, max_bitrate_bps: 1e6, start_bitrate_bps: 5e5 };
    const receiver = core.createReceiver({ controller, flow: 3, seed: 7, parameters });
    made.push(receiver);
    expect(options).toEqual([
      { minBitrateBps: 1e5, maxBitrateBps: 1e6, startBitrateBps: 5e5, flow: 3, seed: 7 },
    ]);
    receiver.pushArrival({ seq: 1, sendTimeUs: 1000, arrivalTimeUs: 26000, sizeBytes: 1000 });
    expect(receiver.takeFeedback()).toMatchObject({
      timeUs: 26000,
      packetsReceived: 1,
      packetsLost: 0,
      echoSendTimeUs: 1000,
      echoDelayUs: 0,
      values: [1, 2, 3],
    });
    expect(() => receiver.setPreset('gcc')).toThrow(/expected a preset of steady/);
  });
});
