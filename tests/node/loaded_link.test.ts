import { beforeAll, describe, expect, it } from 'vitest';

import {
  createLink,
  loadCoreModule,
  type CoreModule,
  type Link,
  type LinkOptions,
} from '../../src/core/index.js';
import { refused } from '../support/refused.js';

let core: CoreModule;
beforeAll(async () => {
  core = await loadCoreModule();
});

const CAPACITY_BPS = 5e6;
/** A link whose queue holds exactly one bandwidth-delay product. */
const BDP: LinkOptions = {
  capacityBps: CAPACITY_BPS,
  oneWayDelayUs: 25_000,
  queue: { kind: 'droptail', limitMs: 50 },
};

/** The rate of the cross traffic between two times, in bit/s. */
function crossBps(link: Link, fromS: number, toS: number): number {
  const before = link.stats(fromS * 1e6).crossDepartedBytes;
  return ((link.stats(toS * 1e6).crossDepartedBytes - before) * 8) / (toS - fromS);
}

describe('cross traffic of a link', () => {
  // A buffer of one bandwidth-delay product is enough to fill the link (RFC 9438, section 5.1; RFC 5681).
  it.each([{ cubic: 1 }, { newReno: 1 }, { cubic: 2, newReno: 1 }])('%j fills it', (crossTraffic) => {
    const link = createLink(core, { ...BDP, crossTraffic });
    const bps = crossBps(link, 20, 80);
    expect(bps).toBeGreaterThanOrEqual(0.95 * CAPACITY_BPS);
    expect(bps).toBeLessThanOrEqual(CAPACITY_BPS * (1 + 1e-3));
    const { crossDrops, offeredPackets, departedBytes, drops } = link.stats(80e6);
    expect(crossDrops).toBeGreaterThan(5);
    expect({ offeredPackets, departedBytes, drops }).toEqual({
      offeredPackets: 0,
      departedBytes: 0,
      drops: 0,
    });
    expect(link.poll(80e6)).toEqual([]);
    expect(link.lateDrops()).toEqual([]);
    link.destroy();
  });

  it('delays the packets of the caller in a FIFO and takes their room', () => {
    const [alone, beside] = [undefined, { cubic: 2 }].map((crossTraffic) => {
      const link = createLink(core, { ...BDP, ...(crossTraffic && { crossTraffic }) });
      let dropped = 0;
      for (let id = 0; id < 6000; id += 1) dropped += Number(link.enqueue(id, 1250, id * 10_000) !== null);
      const waits = link.poll(100e6).map(({ queueDelayUs }) => queueDelayUs);
      expect(waits.length + dropped).toBe(6000);
      link.destroy();
      return { dropped, meanUs: waits.reduce((sum, wait) => sum + wait, 0) / waits.length };
    });
    expect(alone).toEqual({ dropped: 0, meanUs: 0 });
    expect(beside?.dropped).toBeGreaterThan(5);
    expect(beside?.meanUs).toBeGreaterThan(15_000);
    expect(beside?.meanUs).toBeLessThan(52_400);
  });

  it('comes, changes and goes with set', () => {
    const link = createLink(core, BDP);
    expect(crossBps(link, 0, 10)).toBe(0);
    expect(link.nextEventUs()).toBe(Infinity);
    link.set({ crossTraffic: { cubic: 1 } }, 10e6);
    expect(link.nextEventUs()).toBeLessThanOrEqual(10.05e6);
    expect(crossBps(link, 15, 25)).toBeGreaterThan(0.9 * CAPACITY_BPS);
    link.set({ capacityBps: 1e6 }, 25e6);
    expect(crossBps(link, 30, 40)).toBeGreaterThan(0.9e6);
    expect(crossBps(link, 40, 50)).toBeLessThan(1.01e6);
    link.set({ crossTraffic: {} }, 50e6);
    // Within a second, the packets that were in the queue at the change have left.
    expect(crossBps(link, 51, 60)).toBe(0);
    expect(link.nextEventUs()).toBe(Infinity);
    link.destroy();
  });

  it('has the RTT that it is given where the link has no delay', () => {
    const { oneWayDelayUs: _, ...bare } = BDP;
    const [usual, given, longer] = [BDP, { ...bare, crossRttUs: 50_000 }, { ...bare, crossRttUs: 1e6 }].map(
      (options) => {
        const link = createLink(core, { ...options, crossTraffic: { cubic: 1 } });
        const bps = crossBps(link, 0, 30);
        link.destroy();
        return bps;
      },
    );
    expect(Math.abs((given ?? 0) - (usual ?? 0))).toBeLessThan(1e3);
    expect(longer).toBeLessThan(0.9 * (usual ?? 0));
  });

  it('is kept apart from the caller’s flows by FQ-CoDel, as they are from each other', () => {
    const waits = [0, 1].map((second) => {
      const link = createLink(core, { ...BDP, queue: { kind: 'fq_codel' }, crossTraffic: { cubic: 3 } });
      // Flow 0 sends 0.5 Mbps. Bursts add 3 Mbps on average. The bursts belong to flow 0 in the first run, and to
      // flow 1 in the second run.
      for (let id = 0; id < 4000; id += 1) {
        const burst = id % 2 === 1 ? 6 : 1;
        for (let k = 0; k < burst; k += 1)
          link.enqueue(10 * id + k, 1250, id * 10_000, id % 2 === 1 ? second : 0);
      }
      const own = link.poll(100e6).filter(({ packetId }) => packetId % 20 === 0);
      link.destroy();
      const sorted = own.map(({ queueDelayUs }) => queueDelayUs).sort((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.9)] ?? NaN;
    });
    // In the second run, at most five packets are ahead of a packet of flow 0: one of each of the four other
    // flows, and the packet in transmission. Each takes 2.4 ms.
    expect(waits[1]).toBeLessThan(5 * 2.4e3);
    expect(waits[0]).toBeGreaterThan(2 * (waits[1] ?? NaN));
  });
});

describe('losses in bursts and outages of a link', () => {
  it('lose as many packets in fewer runs', () => {
    const runs = [1, 5].map((burstLossPackets) => {
      const link = createLink(core, { capacityBps: 1e9, lossRatio: 0.1, burstLossPackets });
      const fates = Array.from({ length: 50_000 }, (_, id) => link.enqueue(id, 100, id * 1000) !== null);
      link.destroy();
      const lost = fates.filter(Boolean).length;
      return { ratio: lost / 50_000, mean: lost / fates.filter((is, i) => is && !fates[i - 1]).length };
    });
    // tests/native/random_loss_test.cc derives the standard errors. They are 0.0013 (`ratio`) and 0.005
    // (`mean`) in the first run, and 0.0038 and 0.14 in the second run.
    expect(runs[0]?.ratio).toBeCloseTo(0.1, 2);
    expect(runs[0]?.mean).toBeCloseTo(1 / 0.9, 1);
    expect(Math.abs((runs[1]?.ratio ?? NaN) - 0.1)).toBeLessThan(0.018);
    expect(Math.abs((runs[1]?.mean ?? NaN) - 5)).toBeLessThan(0.7);
  });

  it('hold packets back from now on, and no longer when they are set to null', () => {
    const link = createLink(core, { capacityBps: 10e6, outages: { meanOnUs: 100e3, meanOffUs: 20e3 } });
    const held = (fromS: number, toS: number): number => {
      let late = 0;
      for (let us = fromS * 1e6; us < toS * 1e6; us += 1000) link.enqueue(us, 125, us);
      for (const { offeredUs, departUs } of link.poll(toS * 1e6))
        late += Number(departUs - offeredUs > 100.5);
      return late / ((toS - fromS) * 1000);
    };
    // Outages take a sixth of the time. After each outage, the queue needs another ninth of the outage's length
    // to empty.
    expect(held(3600, 3660)).toBeGreaterThan(0.12);
    link.set({ outages: null }, 3660e6);
    link.poll(3661e6);
    expect(held(3661, 3670)).toBe(0);
    link.set({ outages: { meanOnUs: 20e3, meanOffUs: 20e3, offPhases: 3 } }, 3670e6);
    expect(held(3670, 3690)).toBeGreaterThan(0.4);
    link.destroy();
  });
});

describe('what a link refuses', () => {
  const bad: [Partial<LinkOptions>, string][] = [
    [{ burstLossPackets: 0.5 }, 'burstLossPackets'],
    [{ burstLossPackets: NaN }, 'burstLossPackets'],
    [{ outages: { meanOnUs: 100e3, meanOffUs: 5 } }, 'meanOffUs'],
    [{ outages: { meanOnUs: 0, meanOffUs: 20e3 } }, 'meanOnUs'],
    [{ outages: { meanOnUs: 100e3, meanOffUs: 20e3, offPhases: 101 } }, 'offPhases'],
    [{ crossTraffic: { cubic: -1 } }, 'crossTraffic'],
    [{ crossTraffic: { cubic: 1.5 } }, 'crossTraffic'],
    [{ crossTraffic: { newReno: 65 } }, 'crossTraffic'],
    [{ crossRttUs: -1 }, 'crossRttUs'],
    [{ crossRttUs: NaN }, 'crossRttUs'],
  ];
  it.each(bad)('%j', (options, field) => {
    expect(refused(() => createLink(core, { ...BDP, ...options })).field).toBe(field);
    const link = createLink(core, BDP);
    expect(refused(() => link.set(options, 0)).field).toBe(field);
    expect(link.enqueue(0, 1250, 0)).toBeNull();
    link.destroy();
  });

  it('a flow that could be the cross traffic’s', () => {
    const link = createLink(core, BDP);
    expect(refused(() => link.enqueue(0, 1250, 0, -1)).field).toBe('flow');
    expect(refused(() => link.enqueue(0, 1250, 0, 2 ** 31)).field).toBe('flow');
    expect(link.enqueue(0, 1250, 0, 2 ** 31 - 1)).toBeNull();
    link.destroy();
  });
});
