/**
 * The work of one function call is bounded, even after a long time without calls. (A laptop may sleep for
 * hours.)
 */
import { beforeAll, describe, expect, it } from 'vitest';

import {
  CONTROLLER_NAMES,
  CoreError,
  loadCore,
  loadCoreModule,
  type Core,
  type LinkOptions,
  type QueueOptions,
} from '../../src/core/index.js';
import type { CapacityChange } from '../../src/calls/record/record.js';
import { LOG_COLUMNS } from '../../src/link/packet_log.js';
import { ScheduledPaths } from '../../src/shaper/packets/scheduled_paths.js';
import type { Front } from '../../src/shaper/packets/scheduled_path.js';

const S = 1e6;
const TEN_HOURS_S = 36_000;
/**
 * The largest factor by which the work may grow for a longer gap. Unbounded work would grow 3,600 times or
 * more.
 */
const SAME_WORK = 30;
const QUEUES: QueueOptions[] = [
  { kind: 'droptail' },
  { kind: 'codel' },
  { kind: 'pie' },
  { kind: 'pie', preset: 'pie-rfc8033' },
  { kind: 'sfq' },
  { kind: 'fq_codel' },
];

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/** A timeout that is long enough for a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * The largest number of times that the work is measured. Only the fastest try counts, because the CPU time
 * includes other threads of the process, e.g. those of the garbage collector and of the WebAssembly compiler.
 */
const TRIES = 8;
/**
 * Two tries are enough if they took this much CPU time in total, because other threads distort long measurements
 * less.
 */
const LONG_MS = 200;

/** CPU time of the fastest try, in ms. Returns at least 0.1 ms, because shorter times are not meaningful. */
function cpuMs(prepare: () => () => void): number {
  let fastest = Infinity;
  let spent = 0;
  for (let i = 0; i < TRIES && (i < 2 || spent < LONG_MS); i++) {
    const work = prepare();
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    spent += (user + system) / 1e3;
    fastest = Math.min(fastest, (user + system) / 1e3);
  }
  return Math.max(0.1, fastest);
}

/** The work to measure is a poll of a link. The link was busy for two seconds, then idle for `gapS`. */
const pollAfter = (options: LinkOptions, gapS: number) => () => {
  const link = core.createLink(options);
  for (let id = 0; id < 200; id += 1) link.enqueue(id, 1200, id * 1e4);
  link.poll(2 * S);
  return () => {
    link.poll((2 + gapS) * S);
    link.destroy();
  };
};

const outages = { meanOnUs: 1000, meanOffUs: 1000 };
const crossTraffic = { cubic: 64, newReno: 64 };

describe('a poll after ten hours', () => {
  it.each(QUEUES)(
    'with cross traffic behind %j costs what one after seconds costs',
    (queue) => {
      const options = { capacityBps: 1e9, oneWayDelayUs: 25_000, queue, crossTraffic };
      expect(cpuMs(pollAfter(options, TEN_HOURS_S))).toBeLessThan(SAME_WORK * cpuMs(pollAfter(options, 4)));
    },
    PATIENCE_MS,
  );

  it.each(QUEUES)('with outages behind %j costs what one after seconds costs', (queue) => {
    const options = { capacityBps: 1e6, queue, outages };
    expect(cpuMs(pollAfter(options, TEN_HOURS_S))).toBeLessThan(SAME_WORK * cpuMs(pollAfter(options, 10)));
  });

  it(
    'delivers what was under way, and goes on with its load',
    () => {
      const link = core.createLink({ capacityBps: 1e8, oneWayDelayUs: 25_000, crossTraffic, outages });
      for (let id = 0; id < 200; id += 1) link.enqueue(id, 1200, id * 1e4);
      const delivered = link.poll(2 * S).length + link.lateDrops().length;
      const endUs = (2 + TEN_HOURS_S) * S;
      const late = link.poll(endUs);
      const { offeredPackets, deliveredPackets, drops, crossDepartedBytes } = link.stats(endUs);
      expect(offeredPackets).toBe(200);
      expect(deliveredPackets + drops).toBe(200);
      expect(late.length + delivered).toBeLessThanOrEqual(200);
      for (let us = endUs; us < endUs + 20 * S; us += 5e4) link.poll(us);
      const { crossDepartedBytes: after } = link.stats(endUs + 20 * S);
      // Because outages take half of the time, the cross traffic uses only a part of the 100 Mbps.
      expect(((after - crossDepartedBytes) * 8) / 20).toBeGreaterThan(0.2e8);
      link.destroy();
    },
    PATIENCE_MS,
  );

  it(
    'gives the same twice',
    () => {
      const run = (): unknown => {
        const link = core.createLink({
          capacityBps: 1e8,
          oneWayDelayUs: 25_000,
          crossTraffic,
          outages,
          seed: 5,
        });
        link.enqueue(0, 1200, 0);
        const seen = [link.poll(TEN_HOURS_S * S), link.stats((TEN_HOURS_S + 1) * S)];
        link.destroy();
        return seen;
      };
      expect(run()).toEqual(run());
    },
    PATIENCE_MS,
  );

  it(
    'says when to ask next, after the present',
    () => {
      const link = core.createLink({ capacityBps: 1e8, crossTraffic, outages });
      link.enqueue(0, 1200, 0);
      link.poll(TEN_HOURS_S * S);
      expect(link.nextEventUs()).toBeGreaterThan(TEN_HOURS_S * S);
      expect(link.nextEventUs()).toBeLessThanOrEqual((TEN_HOURS_S + 0.05) * S);
      link.destroy();
    },
    PATIENCE_MS,
  );
});

describe('a schedule of capacities, while the process does not run', () => {
  /** One row for each packet: when it was offered, when it departed, and how long it waited. */
  type Row = [offeredUs: number, departUs: number, queueDelayUs: number];

  it.each([
    ['0.1 Mbps, 10 Mbps from 3 s', [0, 1e5, 3 * S, 1e7], [1e7]],
    ['an outage that begins and ends meanwhile', [0, 1e5, 2.9 * S, 0, 3 * S, 1e7], [1e7]],
    ['an outage that goes on', [0, 1e7, 3 * S, 1e5, 4 * S, 0, 7 * S, 1e7], [0, 1e7]],
  ])('lets no packet leave before it came, nor wait less than nothing: %s', async (_, capacity, later) => {
    let nowUs = 0;
    let offer: () => void = () => undefined;
    const front: Front<number> = {
      attach: (__, path) => (offer = () => path.offer('forward', 0, 1200)),
      deliver: () => true,
    };
    const paths = new ScheduledPaths({ core: await loadCoreModule(), front, nowUs: () => nowUs });
    paths.open(null, 1, { forward: { options: {}, capacity: Float64Array.from(capacity) } });
    const rows: Row[] = [];
    const changes: CapacityChange[] = [];
    const report = (): void => {
      for (const { forward } of paths.batches()) {
        const count = forward.packets.length / LOG_COLUMNS;
        const column = (i: number): Float64Array => forward.packets.subarray(i * count, (i + 1) * count);
        const [offered, delay, depart] = [column(0), column(2), column(3)];
        for (let i = 0; i < count; i += 1) rows.push([offered[i] ?? NaN, depart[i] ?? NaN, delay[i] ?? NaN]);
        changes.push(...forward.capacity);
      }
    };
    const run = (fromUs: number, toUs: number): void => {
      for (nowUs = fromUs; nowUs < toUs; nowUs += 25_000) {
        offer();
        if (nowUs % 100_000 === 0) report();
      }
    };
    run(0, 1.475 * S);
    run(6 * S, 9 * S);
    report();
    paths.close();
    expect(rows.filter(([offeredUs]) => offeredUs >= 6 * S).length).toBeGreaterThan(10);
    expect(rows.filter(([offeredUs, departUs]) => departUs < offeredUs)).toEqual([]);
    // A packet that was dropped has no queue delay.
    expect(rows.filter(([, , queueDelayUs]) => queueDelayUs < 0)).toEqual([]);
    const [, ...late] = changes;
    expect(late.map(({ capacityBps }) => capacityBps)).toEqual(later);
    expect(late[0]?.timeUs).toBe(6 * S);
  });
});

describe('a simulation whose flow begins after ten hours', () => {
  it.each([{}, { capacityBps: 1e6 }])('over outages and %j costs what one after seconds costs', (path) => {
    const startingAt = (startS: number) => () => {
      const simulation = core.createSimulation({
        durationUs: (startS + 1) * S,
        forward: { ...path, outages },
        flows: [{ kind: 'media', startUs: startS * S }],
      });
      return () => {
        simulation.runUntil((startS + 1) * S);
        simulation.destroy();
      };
    };
    expect(cpuMs(startingAt(TEN_HOURS_S))).toBeLessThan(SAME_WORK * cpuMs(startingAt(10)));
  });
});

describe('both halves of a controller after ten hours of silence', () => {
  it.each(CONTROLLER_NAMES)('%s: cost what they cost after seconds', (controller) => {
    const silentFor = (gapS: number) => () => {
      const receiver = core.createReceiver({ controller });
      const sender = core.createSender({ controller });
      const push = (seq: number, us: number): void => {
        const times = { sendTimeUs: us, arrivalTimeUs: us + 3e4, rttUs: 6e4 };
        receiver.pushArrival({ seq, sizeBytes: 4000, ...times });
        const counters = { packetsReceived: 4 * seq, packetsLost: 0, bytesReceived: 4000 * seq };
        receiver.pushInbound({ timeUs: us + 3e4, ...counters });
        const feedback = receiver.takeFeedback();
        if (feedback !== null) sender.pushFeedback(feedback, us + 6e4);
        sender.pushSent(us + 6e4, 4000 * seq, 6e4);
        sender.run(us + 6e4);
      };
      for (let seq = 0; seq < 300; seq += 1) push(seq, seq * 33_333);
      return () => {
        for (let seq = 300; seq < 320; seq += 1) push(seq, gapS * S + seq * 33_333);
        receiver.destroy();
        sender.destroy();
      };
    };
    expect(cpuMs(silentFor(TEN_HOURS_S))).toBeLessThan(SAME_WORK * cpuMs(silentFor(1)));
  });

  // NADA divides its window into tenths, and numbers the tenths from the clock's zero, here 1970. With such a
  // short window, the numbers exceed 2^53, where adding 1 to a number does not change it. So a loop that counts
  // through the tenths would never end.
  it('nada: a window of the baseline too short for the clock holds nothing up', () => {
    const half = core.createReceiver({ controller: 'nada', parameters: { base_delay_window_s: 1e-6 } });
    for (let seq = 0; seq < 100; seq += 1) {
      const arrivalTimeUs = 1.76e15 + seq / 4;
      half.pushArrival({ seq, sendTimeUs: arrivalTimeUs - 3e4, arrivalTimeUs, sizeBytes: 1000 });
    }
    expect(half.takeFeedback()).not.toBeNull();
    half.destroy();
  });
});

describe('cross traffic at capacities that could not be computed in real time', () => {
  const refused = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof CoreError) return error.message;
      throw error;
    }
    return 'taken';
  };

  it('is refused, whichever comes first, with both fields and what to do', () => {
    const beside =
      'capacityBps: expected at most 1e9 bit/s while the link has cross traffic; remove crossTraffic first';
    const above =
      'crossTraffic: expected no connections while capacityBps or a step of the schedule is above 1e9 bit/s; lower the capacity first';
    const fast = [{ atUs: 5 * S, capacityBps: 1e10 }];
    expect(refused(() => core.createLink({ capacityBps: 1e10, crossTraffic }))).toBe(above);
    expect(refused(() => core.createLink({ capacityBps: 1e6, schedule: fast, crossTraffic }))).toBe(above);
    const loaded = core.createLink({ capacityBps: 1e9, crossTraffic });
    expect(refused(() => loaded.set({ capacityBps: 1e10 }, 0))).toBe(beside);
    expect(refused(() => loaded.set({ schedule: fast }, 0))).toBe(beside);
    expect(loaded.stats(0).capacityBps).toBe(1e9);
    loaded.destroy();
    const later = core.createLink({ capacityBps: 1e10 });
    expect(refused(() => later.set({ crossTraffic }, 0))).toBe(above);
    later.set({ capacityBps: 1e9, crossTraffic }, 0);
    later.set({ capacityBps: 1e10, crossTraffic: {} }, 0);
    expect(later.stats(1).capacityBps).toBe(1e10);
    later.destroy();
  });

  it('counts the steps ahead, and not those that are over', () => {
    const schedule = [
      { atUs: S, capacityBps: 1e10 },
      { atUs: 2 * S, capacityBps: 1e6 },
    ];
    const link = core.createLink({ capacityBps: 1e6, schedule });
    expect(refused(() => link.set({ crossTraffic }, 1.5 * S))).toMatch(/^crossTraffic: /);
    link.set({ crossTraffic }, 2 * S);
    link.destroy();
  });
});
