import { beforeAll, describe, expect, it } from 'vitest';

import {
  CoreError,
  createLink,
  loadCoreModule,
  type CoreModule,
  QUEUE_KINDS,
  queueArguments,
  type LinkOptions,
  type QueueOptions,
} from '../../src/core/index.js';

let core: CoreModule;
beforeAll(async () => {
  core = await loadCoreModule();
});

/** The field of the CoreError that `act` throws. */
function refusedField(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof CoreError) return error.field;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the link through the ABI', () => {
  it('delivers at the times that size, capacity and delay give', () => {
    const link = createLink(core, { capacityBps: 1e6, oneWayDelayUs: 25_000 });
    for (let id = 0; id < 3; id++) expect(link.enqueue(id, 1250, 1000)).toBeNull();
    expect(link.nextEventUs()).toBe(36_000);
    expect(link.poll(35_999)).toEqual([]);
    expect(link.poll(46_000)).toEqual([
      { packetId: 0, sizeBytes: 1250, offeredUs: 1000, departUs: 11_000, deliverUs: 36_000, queueDelayUs: 0 },
      {
        packetId: 1,
        sizeBytes: 1250,
        offeredUs: 1000,
        departUs: 21_000,
        deliverUs: 46_000,
        queueDelayUs: 10_000,
      },
    ]);
    expect(link.stats(46_000)).toMatchObject({
      packetsInside: 1,
      departedBytes: 3750,
      deliveredBytes: 2500,
      drops: 0,
    });
    expect(link.poll(1e6).map(({ packetId }) => packetId)).toEqual([2]);
    expect(link.nextEventUs()).toBe(Infinity);
    link.destroy();
  });

  it('tells a packet that is held back in its place, with the time when it arrives', () => {
    const link = createLink(core, {
      capacityBps: 1e6,
      oneWayDelayUs: 5000,
      reordering: { ratio: 1, delayUs: 15_000 },
    });
    link.enqueue(0, 1250, 0);
    link.poll(12_000);
    link.set({ reordering: null }, 12_000);
    link.enqueue(1, 1250, 12_000);
    // The first packet arrives at 10 + 5 + 15 = 30 ms. The second packet departs later, at 22 ms, but arrives
    // earlier, at 22 + 5 = 27 ms.
    expect(link.poll(27_000)).toMatchObject([
      { packetId: 0, departUs: 10_000, deliverUs: 30_000 },
      { packetId: 1, departUs: 22_000, deliverUs: 27_000 },
    ]);
    expect(
      refusedField(() => createLink(core, { capacityBps: 1e6, reordering: { ratio: 1.1, delayUs: 1 } })),
    ).toBe('ratio');
    expect(refusedField(() => link.set({ reordering: { ratio: 0.1, delayUs: 61e6 } }, 30_000))).toBe(
      'delayUs',
    );
    link.destroy();
  });

  it('says why a packet is dropped', () => {
    const full = createLink(core, { capacityBps: 1e6, queue: { kind: 'droptail', limitPackets: 1 } });
    expect([0, 1, 2].map((id) => full.enqueue(id, 1250, 0))).toEqual([null, null, 'queue-full']);
    const lossy = createLink(core, { capacityBps: 1e6, lossRatio: 1 });
    expect(lossy.enqueue(0, 1250, 0)).toBe('random-loss');
  });

  it('tells later of drops behind jitter', () => {
    const link = createLink(core, {
      capacityBps: 1e4,
      jitterUs: 1000,
      queue: { kind: 'droptail', limitPackets: 1 },
    });
    for (let id = 0; id < 5; id++) expect(link.enqueue(id, 1250, 0)).toBeNull();
    expect(link.poll(500_000)).toEqual([]);
    expect(link.lateDrops().map(({ packetId, reason }) => [packetId, reason])).toEqual([
      [2, 'queue-full'],
      [3, 'queue-full'],
      [4, 'queue-full'],
    ]);
    link.poll(600_000);
    expect(link.lateDrops()).toEqual([]);
  });

  it('changes in the middle of a packet, and keeps a schedule', () => {
    const link = createLink(core, { capacityBps: 1e6, schedule: [{ atUs: 4000, capacityBps: 5e5 }] });
    link.enqueue(0, 1250, 0);
    expect(link.poll(1e6)[0]?.departUs).toBe(16_000);
    link.enqueue(1, 1250, 1e6);
    link.set({ capacityBps: 0 }, 1e6);
    expect(link.poll(2e6)).toEqual([]);
    link.set({ capacityBps: 2e6, oneWayDelayUs: 1000 }, 3e6);
    expect(link.poll(4e6)[0]).toMatchObject({ departUs: 3_005_000, deliverUs: 3_006_000 });
  });

  it('has taken the steps that were due when a schedule is replaced, whether it was polled or not', () => {
    for (const isPolled of [true, false]) {
      const link = createLink(core, { capacityBps: 8e6, schedule: [{ atUs: 10e6, capacityBps: 1e6 }] });
      if (isPolled) link.poll(11e6);
      link.set({ schedule: [{ atUs: 20e6, capacityBps: 2e6 }] }, 12e6);
      expect(link.stats(12e6).capacityBps).toBe(1e6);
      expect(link.stats(21e6).capacityBps).toBe(2e6);
      link.destroy();
    }
  });

  it('gives the same packets the same fate for the same seed', () => {
    const fates = [1, 1, 2].map((seed) => {
      const link = createLink(core, { capacityBps: 1e6, lossRatio: 0.3, jitterUs: 5000, seed });
      const lost = Array.from({ length: 200 }, (_, id) => link.enqueue(id, 100, id * 5000) !== null);
      return JSON.stringify([lost, link.poll(10e6)]);
    });
    expect(fates[0]).toBe(fates[1]);
    expect(fates[0]).not.toBe(fates[2]);
  });

  const bad: [Partial<LinkOptions>, string][] = [
    [{ capacityBps: 0 }, 'capacityBps'],
    [{ capacityBps: -1e6 }, 'capacityBps'],
    [{ capacityBps: NaN }, 'capacityBps'],
    [{ capacityBps: Infinity }, 'capacityBps'],
    [{ oneWayDelayUs: -1 }, 'oneWayDelayUs'],
    [{ oneWayDelayUs: 1e9 }, 'oneWayDelayUs'],
    [{ lossRatio: 1.01 }, 'lossRatio'],
    [{ lossRatio: NaN }, 'lossRatio'],
    [{ jitterUs: -1 }, 'jitterUs'],
    [{ burstBytes: 0 }, 'burstBytes'],
    [{ seed: 1.5 }, 'seed'],
    [{ seed: -1 }, 'seed'],
    [{ queue: { kind: 'droptail', limitMs: 0 } }, 'queue.limitMs'],
    [{ queue: { kind: 'droptail', limitPackets: NaN } }, 'queue.limitPackets'],
    [{ queue: { kind: 'droptail', limitMs: 300, limitBytes: 5 } }, 'queue'],
    [{ queue: { kind: 'codel', targetMs: 0 } }, 'queue.targetMs'],
    [{ queue: { kind: 'codel', limitPackets: 1.5 } }, 'queue.limitPackets'],
    [{ queue: { kind: 'pie', preset: 'red' as 'pie' } }, 'queue.preset'],
    [{ queue: { kind: 'pie', alpha: 1 } as unknown as QueueOptions }, 'queue.alpha'],
    [{ queue: { kind: 'sfq', limitMs: 0 } }, 'queue.limitMs'],
    [{ queue: { kind: 'no-such-queue' } as unknown as QueueOptions }, 'queue.kind'],
    [{ schedule: [{ atUs: NaN, capacityBps: 1 }] }, 'schedule'],
    [
      {
        schedule: [
          { atUs: 5, capacityBps: 1e6 },
          { atUs: 4, capacityBps: 1e6 },
        ],
      },
      'schedule',
    ],
  ];
  it.each(bad)('refuses %j', (options, field) => {
    expect(refusedField(() => createLink(core, { capacityBps: 1e6, ...options }))).toBe(field);
  });

  it('goes on unharmed after a refused change or packet', () => {
    const link = createLink(core, { capacityBps: 1e6 });
    expect(refusedField(() => link.set({ capacityBps: -1 }, 0))).toBe('capacityBps');
    expect(refusedField(() => link.set({ lossRatio: 2 }, 0))).toBe('lossRatio');
    expect(refusedField(() => link.enqueue(0, 0, 0))).toBe('sizeBytes');
    expect(refusedField(() => link.enqueue(0, 100, NaN))).toBe('nowUs');
    link.enqueue(0, 1250, 0);
    expect(link.poll(1e6)[0]?.departUs).toBe(10_000);
  });

  it('keeps its schedule when another one is refused in its middle', () => {
    const link = createLink(core, { capacityBps: 1e6, schedule: [{ atUs: 5000, capacityBps: 5e5 }] });
    const backwards = [
      { atUs: 1000, capacityBps: 2e6 },
      { atUs: 500, capacityBps: 2e6 },
    ];
    expect(refusedField(() => link.set({ schedule: backwards }, 0))).toBe('schedule');
    link.enqueue(0, 1250, 0);
    // One half of the packet was sent at 1 Mbps, the other half at 0.5 Mbps.
    expect(link.poll(1e6)[0]?.departUs).toBe(15_000);
  });

  it('has the bits of the native build', () => {
    // tests/native/link_abi_test.cc sends the same packets and expects the same number.
    const link = createLink(core, {
      capacityBps: 1e6,
      schedule: [{ atUs: 700_000, capacityBps: 333_333 }],
      queue: { kind: 'droptail', limitMs: 50 },
      oneWayDelayUs: 25_000,
      lossRatio: 0.05,
      jitterUs: 5000,
      seed: 42,
    });
    const reasons = [null, 'random-loss', 'queue-full'];
    const values: number[] = [];
    for (let i = 0; i < 500; i++) {
      values.push(reasons.indexOf(link.enqueue(i, 100 + ((i * 37) % 1300), i * 3001.3)));
    }
    for (const d of link.poll(1e8)) {
      values.push(d.packetId, d.sizeBytes, d.offeredUs, d.departUs, d.deliverUs, d.queueDelayUs);
    }
    for (const d of link.lateDrops()) {
      values.push(d.packetId, d.sizeBytes, d.offeredUs, d.timeUs, reasons.indexOf(d.reason));
    }
    const bytes = new Uint8Array(Float64Array.from(values).buffer);
    const hash = bytes.reduce((fnv, byte) => Math.imul(fnv ^ byte, 16777619), 2166136261) >>> 0;
    expect(hash).toBe(2667528219);
  });

  it('does not grow in a steady state', () => {
    const link = createLink(core, { capacityBps: 1e6, queue: { kind: 'droptail', limitMs: 100 } });
    const run = (from: number) => {
      for (let id = from; id < from + 20_000; id++) {
        link.enqueue(id, 1200, id * 8000);
        link.poll(id * 8000);
      }
    };
    run(0);
    const before = core.memoryBytes;
    run(20_000);
    expect(core.memoryBytes).toBe(before);
  });
});

describe('the queue disciplines through the ABI', () => {
  it('are passed as all their values in the order of the schema', () => {
    expect(queueArguments({ kind: 'droptail' })).toEqual({ kind: 0, values: [300, 0, 0] });
    expect(queueArguments({ kind: 'droptail', limitBytes: 5000 })).toEqual({ kind: 0, values: [0, 5000, 0] });
    expect(queueArguments({ kind: 'codel', targetMs: 13 })).toEqual({
      kind: 1,
      values: [13, 100, 1000, 1514, 0],
    });
    expect(queueArguments({ kind: 'pie' })).toEqual({
      kind: 2,
      values: [0, 20, 30, 1000, 100, 0.125, 1.25, 10_000, 0, 1514],
    });
    expect(queueArguments({ kind: 'pie', preset: 'pie-rfc8033', targetMs: 10 })).toEqual({
      kind: 2,
      values: [1, 10, 15, 1000, 150, 0.125, 1.25, 16_384, 0, 1514],
    });
    expect(queueArguments({ kind: 'sfq' })).toEqual({ kind: 3, values: [300, 0, 0, 127, 1024, 0, 1514] });
    expect(queueArguments({ kind: 'fq_codel', backlogOf: 'own' })).toEqual({
      kind: 4,
      values: [5, 100, 10_240, 1024, 1514, 1514, 1, 64],
    });
  });

  // 1.25 Mbps over a link of 1 Mbps for 20 s: about 500 of the 2500 packets must be dropped.
  const overloaded: [QueueOptions, string, number][] = [
    [{ kind: 'droptail', limitMs: 300 }, 'queue-full', 300],
    [{ kind: 'codel' }, 'codel', 300],
    [{ kind: 'pie' }, 'pie', 300],
    [{ kind: 'pie', preset: 'pie-rfc8033' }, 'pie', 450],
    [{ kind: 'sfq' }, 'overlimit', 310],
    [{ kind: 'fq_codel' }, 'codel', 300],
  ];
  it.each(overloaded)('%j drops by its own rule', (queue, reason, mostMs) => {
    const link = createLink(core, { capacityBps: 1e6, queue });
    const reasons = new Map<string, number>();
    const count = (name: string) => reasons.set(name, (reasons.get(name) ?? 0) + 1);
    const delaysUs: number[] = [];
    for (let id = 0; id < 2500; id++) {
      const refused = link.enqueue(id, 1250, id * 8000);
      if (refused !== null) count(refused);
      delaysUs.push(...link.poll(id * 8000).map(({ queueDelayUs }) => queueDelayUs));
      for (const drop of link.lateDrops()) count(drop.reason);
    }
    expect([...reasons.keys()]).toEqual([reason]);
    const dropped = reasons.get(reason) ?? 0;
    expect(dropped).toBeGreaterThan(400);
    expect(dropped).toBeLessThan(600);
    expect(delaysUs.length).toBeGreaterThan(1900);
    expect(Math.max(...delaysUs)).toBeLessThanOrEqual(mostMs * 1000);
    expect(link.stats(2499 * 8000)).toMatchObject({ droppedPackets: dropped, lostPackets: 0 });
    link.destroy();
  });

  it('take over what waits when the discipline changes', () => {
    const link = createLink(core, { capacityBps: 1e6, queue: { kind: 'droptail', limitPackets: 100 } });
    for (let id = 0; id < 50; id++) link.enqueue(id, 1250, 0);
    // DropTail, the first kind, comes last.
    for (const kind of [...QUEUE_KINDS].reverse()) link.set({ queue: { kind } }, 1000);
    const ids = link.poll(60e6).map(({ packetId }) => packetId);
    const dropped = link.lateDrops().map(({ packetId }) => packetId);
    expect([...ids, ...dropped].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, id) => id));
    expect(ids.length).toBeGreaterThan(25);
  });
});
