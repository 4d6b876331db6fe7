/** The core's handles after they were destroyed, and after the core has failed. */
import { beforeEach, describe, expect, it } from 'vitest';

import { CoreError, CoreFailure, loadCore, type Core, type SimulationOptions } from '../../src/core/index.js';

const US = 1e6;
const SIMULATION: SimulationOptions = {
  durationUs: US,
  forward: { capacityBps: 1e6, oneWayDelayUs: 10_000 },
  flows: [{ kind: 'media' }],
};
const ARRIVAL = { seq: 1, sendTimeUs: 0, arrivalTimeUs: 30_000, sizeBytes: 1000 };
const FEEDBACK = {
  ...{ timeUs: 0, receivedRateBps: 1e5, packetsReceived: 1, packetsLost: 0 },
  ...{ echoSendTimeUs: 0, echoDelayUs: 0, values: [3e5, 0] },
};

interface Opened {
  /**
   * Calls of the object's methods. The arguments are valid, so each call succeeds until the object is
   * destroyed.
   */
  calls: Record<string, () => unknown>;
  /** Values that are read from the object, to find out whether a call has changed it. */
  state(): unknown;
  destroy(): void;
}

const KINDS: Record<string, (core: Core) => Opened> = {
  link: (core) => {
    const link = core.createLink({ capacityBps: 1e6 });
    link.enqueue(0, 1000, 0);
    return {
      calls: {
        enqueue: () => link.enqueue(1, 1000, 0),
        poll: () => link.poll(0),
        lateDrops: () => link.lateDrops(),
        nextEventUs: () => link.nextEventUs(),
        set: () => link.set({ capacityBps: 5e6, crossTraffic: { cubic: 1 } }, 0),
        'set of nothing': () => link.set({}, 0),
        stats: () => link.stats(0),
      },
      state: () => link.stats(0),
      destroy: () => link.destroy(),
    };
  },
  'receiver half': (core) => {
    const half = core.createReceiver();
    return {
      calls: {
        pushArrival: () => half.pushArrival(ARRIVAL),
        pushInbound: () =>
          half.pushInbound({ timeUs: 0, packetsReceived: 1, packetsLost: 0, bytesReceived: 1000 }),
        takeFeedback: () => half.takeFeedback(),
        parameter: () => half.parameter('alpha'),
        setParameter: () => half.setParameter('alpha', 0.5),
        setPreset: () => half.setPreset('gcc'),
        drain: () => half.drain(),
      },
      state: () => half.parameter('alpha'),
      destroy: () => half.destroy(),
    };
  },
  'sender half': (core) => {
    const half = core.createSender();
    return {
      calls: {
        pushFeedback: () => half.pushFeedback(FEEDBACK, 0),
        pushReceiverReport: () => half.pushReceiverReport(0, 1, 0),
        pushSent: () => half.pushSent(0, 1000),
        run: () => half.run(0),
        density: () => half.density(),
        parameter: () => half.parameter('alpha'),
        setParameter: () => half.setParameter('alpha', 0.5),
        setPreset: () => half.setPreset('gcc'),
        drain: () => half.drain(),
      },
      state: () => [half.parameter('alpha'), half.run(0)],
      destroy: () => half.destroy(),
    };
  },
  simulation: (core) => {
    const simulation = core.createSimulation(SIMULATION);
    return {
      calls: {
        nowUs: () => simulation.nowUs,
        events: () => simulation.events,
        runUntil: () => simulation.runUntil(US),
        metrics: () => simulation.metrics(),
        density: () => simulation.density(),
        drain: () => simulation.drain(),
      },
      state: () => [simulation.nowUs, simulation.events],
      destroy: () => simulation.destroy(),
    };
  },
};

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}

let core: Core;
beforeEach(async () => {
  core = await loadCore();
});

describe.each(Object.entries(KINDS))('a %s', (_, open) => {
  it('takes every call while it lives', () => {
    const { calls, destroy } = open(core);
    for (const [name, call] of Object.entries(calls)) expect(thrown(call), name).toBeNull();
    destroy();
  });

  it('refuses every call after its end, and leaves alone what has its memory then', () => {
    const ended = open(core);
    ended.destroy();
    const next = open(core);
    const before = next.state();
    for (const [name, call] of Object.entries(ended.calls)) {
      const error = thrown(call);
      expect(error, name).toBeInstanceOf(CoreError);
      expect(String(error), name).toMatch(/was destroyed; create another one$/);
    }
    expect(next.state()).toEqual(before);
    next.destroy();
  });

  it('is destroyed once, however often it is asked to', () => {
    const ended = open(core);
    ended.destroy();
    const next = open(core);
    ended.destroy();
    const third = open(core);
    // If the memory had been freed twice, `next` and `third` would share this memory, and calls on `third` would
    // change `next`.
    const before = next.state();
    for (const call of Object.values(third.calls)) call();
    expect(next.state()).toEqual(before);
    third.destroy();
    next.destroy();
  });

  it('refuses every call once the core has trapped, and may still be destroyed', () => {
    const opened = open(core);
    const trap = thrown(() => core.module.abi.ccs_link_poll(0x7ffffff0, 0));
    expect(trap).toBeInstanceOf(CoreFailure);
    expect(String(trap)).toMatch(/the core failed in ccs_link_poll \(RuntimeError: .*\); load a new core$/);
    for (const [name, call] of Object.entries(opened.calls)) expect(thrown(call), name).toBe(trap);
    expect(thrown(() => opened.destroy())).toBeNull();
  });
});
