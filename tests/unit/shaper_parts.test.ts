import { afterEach, describe, expect, it, vi } from 'vitest';

import { capacitySource } from '../../src/shaper/capacity.js';
import { CapacityFeeds } from '../../src/shaper/capacity_feeds.js';
import type { PathSettings } from '../../src/shaper/path_settings.js';
import type { Capacity } from '../../src/link/settings.js';
import { CapacitySchedule } from '../../src/shaper/packets/capacity_schedule.js';
import { DelayLine } from '../../src/link/delay_line.js';
import { Lateness } from '../../src/shaper/packets/lateness.js';
import { appendPackets, emptyLinkRecord } from '../../src/shaper/link_record.js';
import { PacketLog } from '../../src/link/packet_log.js';

describe('a delay line', () => {
  it('gives packets when they are due; one that is held back is overtaken', () => {
    const line = new DelayLine<string>();
    line.push('a', 100);
    line.push('held back', 300);
    line.push('b', 200);
    line.push('c', 300);
    expect(line.nextUs()).toBe(100);
    expect(line.next(99)).toBeNull();
    expect(line.next(100)).toEqual({ packet: 'a', dueUs: 100 });
    expect(line.next(250)).toEqual({ packet: 'b', dueUs: 200 });
    expect(line.next(250)).toBeNull();
    // Packets that are due at the same time leave in the order in which they arrived.
    expect([line.next(300), line.next(300), line.next(1e9)]).toEqual([
      { packet: 'held back', dueUs: 300 },
      { packet: 'c', dueUs: 300 },
      null,
    ]);
    expect(line.nextUs()).toBe(Infinity);
  });

  it('keeps its order over many packets', () => {
    const line = new DelayLine<number>();
    const out: number[] = [];
    for (let i = 0; i < 5000; i++) {
      line.push(i, i * 10);
      if (i % 3 === 0) for (let due = line.next(i * 9); due; due = line.next(i * 9)) out.push(due.packet);
    }
    for (let due = line.next(1e9); due; due = line.next(1e9)) out.push(due.packet);
    expect(out).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  });
});

describe('the lateness', () => {
  it('is counted to 0.01 ms', () => {
    const lateness = new Lateness();
    expect(lateness.summary()).toEqual({ p50_ms: NaN, p95_ms: NaN, p99_ms: NaN, packets: 0 });
    // Values from 0.011 to 1.001 ms, in steps of 0.01 ms. None of them is on the boundary between two bins.
    for (let i = 100; i >= 1; i--) lateness.add(i / 100 + 0.001);
    expect(lateness.summary()).toEqual({ p50_ms: 0.505, p95_ms: 0.955, p99_ms: 0.995, packets: 100 });
    for (let i = 0; i < 900; i++) lateness.add(1e6);
    expect(lateness.summary().p50_ms).toBeGreaterThan(100);
  });

  it('of late is that since it was last asked for, to the microsecond', () => {
    const lateness = new Lateness();
    expect(lateness.takeRecentP95Ms()).toBeNull();
    for (let i = 100; i >= 1; i--) lateness.add(i / 100);
    expect(lateness.takeRecentP95Ms()).toBe(0.95);
    expect(lateness.takeRecentP95Ms()).toBeNull();
    lateness.add(7);
    expect(lateness.takeRecentP95Ms()).toBe(7);
    lateness.add(-0.02);
    expect(lateness.takeRecentP95Ms()).toBe(0);
    expect(lateness.summary().packets).toBe(102);
  });
});

describe('a capacity over time', () => {
  const steps = (...pairs: number[]) => new Float64Array(pairs);

  it('begins with the first packet, and gives the core a second ahead', () => {
    const schedule = new CapacitySchedule();
    expect(schedule.replace(steps(0, 1e6, 500e3, 2e6, 1.8e6, 3e6), null)).toBe(1e6);
    expect(schedule.upcoming(9e6)).toBeNull();
    schedule.start(10e6);
    expect(schedule.upcoming(10e6)).toEqual([{ atUs: 10.5e6, capacityBps: 2e6 }]);
    expect(schedule.upcoming(10.1e6)).toBeNull();
    expect(schedule.passed(10.4e6)).toEqual([]);
    expect(schedule.passed(10.5e6)).toEqual([{ timeUs: 10.5e6, capacityBps: 2e6 }]);
    expect(schedule.upcoming(10.9e6)).toEqual([{ atUs: 11.8e6, capacityBps: 3e6 }]);
    // After `extend`, steps that were already returned but have not yet taken effect are returned again.
    schedule.extend(steps(1.85e6, 4e6));
    expect(schedule.upcoming(10.95e6)).toEqual([
      { atUs: 11.8e6, capacityBps: 3e6 },
      { atUs: 11.85e6, capacityBps: 4e6 },
    ]);
    expect(schedule.passed(12e6).map(({ capacityBps }) => capacityBps)).toEqual([3e6, 4e6]);
  });

  it('tells of each of many steps once', () => {
    const schedule = new CapacitySchedule();
    const pairs = Array.from({ length: 5000 }, (_, i) => [i * 10e3, 1e6 + i]).flat();
    schedule.replace(steps(...pairs), 0);
    const told: number[] = [];
    for (let nowUs = 0; nowUs < 51e6; nowUs += 100e3) {
      told.push(...schedule.passed(nowUs).map(({ capacityBps }) => capacityBps - 1e6));
      schedule.upcoming(nowUs);
    }
    expect(told).toEqual(Array.from({ length: 4999 }, (_, i) => i + 1));
  });

  it('takes a step that comes late when it comes', () => {
    const schedule = new CapacitySchedule();
    schedule.replace(steps(0, 1e5, 3e6, 1e7), 0);
    expect(schedule.upcoming(1.4e6)).toBeNull();
    expect(schedule.passed(6e6)).toEqual([]);
    expect(schedule.upcoming(6e6)).toEqual([{ atUs: 6e6, capacityBps: 1e7 }]);
    expect(schedule.passed(6e6)).toEqual([{ timeUs: 6e6, capacityBps: 1e7 }]);
  });

  it.each([
    ['before the first packet', null],
    ['with a start', 2e6],
  ])('takes the last of several late steps, and the others never: %s', (_, startUs) => {
    const schedule = new CapacitySchedule();
    // The core has the first step before the gap. An outage has come and gone within the gap.
    const times = [0.5e6, 3e6, 4e6, 5e6, 8e6, 8.5e6, 9e6];
    const capacities = [2e5, 3e5, 0, 4e5, 5e5, 0, 6e5];
    schedule.replace(steps(0, 1e5, ...times.flatMap((atUs, i) => [atUs, capacities[i] ?? NaN])), startUs);
    schedule.start(2e6);
    expect(schedule.upcoming(2.1e6)).toEqual([{ atUs: 2.5e6, capacityBps: 2e5 }]);
    expect(schedule.upcoming(9.5e6)).toEqual([
      { atUs: 9.5e6, capacityBps: 4e5 },
      { atUs: 10e6, capacityBps: 5e5 },
      { atUs: 10.5e6, capacityBps: 0 },
    ]);
    expect(schedule.passed(9.5e6)).toEqual([
      { timeUs: 2.5e6, capacityBps: 2e5 },
      { timeUs: 9.5e6, capacityBps: 4e5 },
    ]);
    expect(schedule.upcoming(10.2e6)).toEqual([
      { atUs: 10.5e6, capacityBps: 0 },
      { atUs: 11e6, capacityBps: 6e5 },
    ]);
    expect(schedule.passed(12e6).map(({ timeUs }) => timeUs)).toEqual([10e6, 10.5e6, 11e6]);
  });

  it('is not asked for each moment of a pause of hours', () => {
    let asked = 0;
    const source = capacitySource((seconds) => {
      asked++;
      return 1e6 + Math.floor(seconds);
    }, 'capacity');
    source.next(3e6);
    const before = asked;
    const pairs = source.next(8 * 3600e6);
    expect(asked - before).toBeLessThanOrEqual(1001);
    expect(pairs.at(-1)).toBe(1e6 + 8 * 3600);
    source.next(8 * 3600e6 + 200e3);
    expect(asked - before).toBeLessThanOrEqual(1021);
  });

  it('is what it is now, for a link that is told so', () => {
    const schedule = new CapacitySchedule();
    const source = capacitySource('3mbps,4mbps@2s,5mbps@2.5s', 'capacity');
    expect(schedule.replace(source.next(0), null)).toBe(3e6);
    expect(schedule.advance(5e6)).toBeUndefined();
    schedule.start(5e6);
    expect([6.9e6, 7e6, 7.1e6, 9e6, 10e6].map((nowUs) => schedule.advance(nowUs))).toEqual([
      undefined,
      4e6,
      undefined,
      5e6,
      undefined,
    ]);
  });
});

describe('the record of a link', () => {
  it('has what the log took, piece by piece', () => {
    const log = new PacketLog();
    const { forward } = emptyLinkRecord('shaper');
    if (forward === null) throw new Error('a shaper records');
    const at = (i: number) => ({
      packetId: i,
      sizeBytes: 100,
      offeredUs: i,
      departUs: i + 1,
      deliverUs: i + 2,
    });
    for (let piece = 0; piece < 5; piece++) {
      for (let i = 0; i < 2000; i++) log.delivered({ ...at(piece * 2000 + i), queueDelayUs: 7 }, piece);
      log.dropped({ offeredUs: 1, sizeBytes: 50, timeUs: 2, reason: 'queue-full', flow: 9 });
      appendPackets(forward.packets, log.take());
      expect(log.length).toBe(0);
    }
    const { packets } = forward;
    expect(packets.rows).toBe(10_005);
    expect([...packets.departUs.subarray(3998, 4003)]).toEqual([3998, 3999, 4000, 2, 4001]);
    expect([...packets.flow.subarray(4000, 4003)]).toEqual([1, 9, 2]);
    expect([...packets.reason.subarray(4000, 4003)]).toEqual([0, 2, 0]);
    expect(packets.queueDelayUs[4001]).toBeNaN();
  });
});

describe('the functions that give the capacity of a link', () => {
  afterEach(() => vi.useRealTimers());

  const rising = (seconds: number): number => 1e6 + Math.floor(seconds * 10) * 1e5;
  const settings = (capacity: Capacity): PathSettings => ({
    forward: { options: {}, capacity: capacitySource(capacity, 'capacity') },
    backward: { options: {} },
  });

  it.each<[changes: Capacity[], goesOn: boolean]>([
    [[rising], true],
    [[rising, '500kbps'], false],
    [['500kbps', rising], true],
  ])('go on if the last of the changes that overlap has one: %o', (changes, goesOn) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const feeds = new CapacityFeeds();
    const told = vi.fn<typeof feeds.onSteps>();
    feeds.onSteps = told;
    // All changes begin before the shaping thread has answered the first of them.
    const begun = changes.map((capacity) => feeds.begin(settings(capacity)));
    for (const { commit } of begun) commit();
    // The schedule started a second ago, so the function is due for the second after the steps known so far.
    feeds.started('forward', -1e6);
    vi.advanceTimersByTime(1000);
    expect(told.mock.calls.length > 0).toBe(goesOn);
    feeds.close();
  });

  it('go on if the change that was to replace them is refused, but not after the link was closed', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const feeds = new CapacityFeeds();
    const told = vi.fn<typeof feeds.onSteps>();
    feeds.onSteps = told;
    feeds.begin(settings(rising)).commit();
    feeds.started('forward', -1e6);
    const refused = [feeds.begin(settings('500kbps')), feeds.begin(settings((seconds) => 2e6 + seconds))];
    // Until the answer, nothing is added to a schedule that may be another one by then.
    vi.advanceTimersByTime(1000);
    expect(told).not.toHaveBeenCalled();
    for (const { revert } of refused) revert();
    vi.advanceTimersByTime(1000);
    expect(told.mock.calls[0]?.[1].slice(0, 2)).toEqual(Float64Array.of(3.1e6, 4.1e6));
    told.mockClear();
    const last = feeds.begin(settings('500kbps'));
    feeds.close();
    last.revert();
    feeds.started('forward', -60e6);
    vi.advanceTimersByTime(1000);
    expect(told).not.toHaveBeenCalled();
  });

  it('go on if only the later of two changes is refused', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const feeds = new CapacityFeeds();
    const told = vi.fn<typeof feeds.onSteps>();
    feeds.onSteps = told;
    feeds.begin(settings(() => 5e5)).commit();
    const [accepted, refused] = [feeds.begin(settings(rising)), feeds.begin(settings('500kbps'))];
    accepted.commit();
    refused.revert();
    feeds.started('forward', -1e6);
    vi.advanceTimersByTime(1000);
    expect(told.mock.calls[0]?.[1].slice(0, 2)).toEqual(Float64Array.of(3.1e6, 4.1e6));
    feeds.close();
  });
});
