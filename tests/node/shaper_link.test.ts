import { spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { describe, expect, it } from 'vitest';

import type { DirectionRecord } from '../../src/calls/record/record.js';
import { openShaperLink, ShaperError, type LinkSettings, type ShaperLink } from '../../src/shaper/index.js';
import { ConfigError } from '../../src/text/quantities.js';
import { IceAgent } from './ice_agent.js';
import { closeAfterEach, closers, linkWith } from './links.js';

closeAfterEach();

async function agent(ufrag: string, port: number): Promise<IceAgent> {
  const made = await IceAgent.at(ufrag, port);
  closers.push(() => made.close());
  return made;
}

/** Both agents send checks until each has received an answer. `a` is the offerer. */
async function connect(a: IceAgent, b: IceAgent): Promise<void> {
  const before = [a.answers, b.answers] as const;
  await expect
    .poll(() => {
      a.check({ to: b.ufrag, role: 'controlling', nominate: true });
      b.check({ to: a.ufrag, role: 'controlled' });
      return a.answers > before[0] && b.answers > before[1];
    })
    .toBe(true);
}

/** Two connected agents; the first is the offerer. */
async function connected(
  link: ShaperLink,
  ufrags: readonly [string, string] = ['offr', 'answ'],
): Promise<[IceAgent, IceAgent]> {
  ufrags.forEach((ufrag, page) => link.local(ufrag, page));
  const [a, b] = await Promise.all(ufrags.map((ufrag) => agent(ufrag, link.relay.port)));
  if (a === undefined || b === undefined) throw new Error('two agents');
  await connect(a, b);
  return [a, b];
}

function direction(link: ShaperLink, name: 'forward' | 'backward'): DirectionRecord {
  const { [name]: record } = link.record;
  if (record === null) throw new Error(`the record has no ${name}`);
  return record;
}

/** The recorded packets of a direction that have this size. */
function packetsOf(link: ShaperLink, name: 'forward' | 'backward', sizeBytes: number) {
  const { packets } = direction(link, name);
  return Array.from({ length: packets.rows }, (_, i) => ({
    offeredUs: packets.offeredUs[i] ?? NaN,
    sizeBytes: packets.sizeBytes[i] ?? NaN,
    queueDelayUs: packets.queueDelayUs[i] ?? NaN,
    departUs: packets.departUs[i] ?? NaN,
    reason: packets.reason[i] ?? NaN,
    flow: packets.flow[i] ?? NaN,
  })).filter((row) => row.sizeBytes === sizeBytes);
}

async function bound(port = 0): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  await once(socket, 'listening');
  return socket;
}

/** Expects that the port is free, i.e. that a socket can be bound to it. */
async function expectFree(port: number): Promise<void> {
  const socket = await bound(port);
  socket.close();
}

describe('two agents at a relay', () => {
  it('find each other by their fragments; the controlling one goes forward', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 20 });
    const [a, b] = await connected(link);
    a.send('there');
    await expect.poll(() => b.media).toEqual(['there']);
    b.send('backward');
    await expect.poll(() => a.media).toEqual(['backward']);
    expect(new Set(a.checkedBy)).toEqual(new Set(['answ']));
    await link.sync();
    expect(link.record.flows).toEqual([{ flow: 1, offererUfrag: 'offr', answererUfrag: 'answ' }]);
    // The sizes include 28 bytes of headers.
    expect(packetsOf(link, 'forward', 33)).toMatchObject([{ flow: 1, reason: 0 }]);
    expect(packetsOf(link, 'backward', 36)).toMatchObject([{ flow: 1, reason: 0 }]);
    expect(direction(link, 'forward').capacity).toMatchObject([{ capacityBps: 10e6 }]);
    expect(link.record.latenessMs?.packets).toBeGreaterThanOrEqual(4);
    // Lateness is reported once a second, if there were packets.
    await expect.poll(() => link.record.late).toHaveLength(1);
    const [second] = link.record.late;
    expect(second?.lateMs).toBeGreaterThanOrEqual(0);
    expect(second?.lateMs).toBeLessThanOrEqual((link.record.latenessMs?.p99 ?? NaN) + 0.01);
    expect(second?.timeUs).toBeGreaterThanOrEqual(1e6);
  });

  it('have their roles by what they say, not by who comes first', async () => {
    const link = await linkWith({});
    ['aaaa', 'zzzz'].forEach((ufrag, page) => link.local(ufrag, page));
    const answerer = await agent('zzzz', link.relay.port);
    answerer.check({ to: 'aaaa', role: 'controlled' });
    await connect(await agent('aaaa', link.relay.port), answerer);
    await expect
      .poll(() => link.record.flows)
      .toEqual([{ flow: 1, offererUfrag: 'aaaa', answererUfrag: 'zzzz' }]);
  });

  it('are told apart from those of other connections, in one queue', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [a, b] = await connected(link, ['one', 'two']);
    const [c, d] = await connected(link, ['three', 'four']);
    await link.set({ capacity: '1mbps' });
    for (let i = 0; i < 5; i++) {
      a.send(Buffer.alloc(972, 'a'));
      c.send(Buffer.alloc(972, 'c'));
    }
    await expect.poll(() => b.media.length + d.media.length).toBe(10);
    expect(b.media.every((text) => text.startsWith('aa'))).toBe(true);
    expect(d.media.every((text) => text.startsWith('cc'))).toBe(true);
    await link.sync();
    const rows = packetsOf(link, 'forward', 1000);
    expect(rows.map(({ flow }) => flow).sort()).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    // The packets of all connections pass through one bottleneck, one at a time, in 8 ms each.
    for (const [i, { departUs }] of rows.entries()) {
      const before = rows[i - 1];
      if (before) expect(departUs - before.departUs).toBeGreaterThanOrEqual(8000 - 1e-3);
    }
  });

  it('may restart: new fragments from the same address are another flow', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [a, b] = await connected(link);
    ['offr2', 'answ2'].forEach((ufrag, page) => link.local(ufrag, page));
    Object.assign(a, { ufrag: 'offr2' });
    Object.assign(b, { ufrag: 'answ2' });
    await connect(a, b);
    await expect.poll(() => link.record.flows.length).toBe(2);
    a.send('after');
    await expect.poll(() => b.media).toEqual(['after']);
    await link.sync();
    expect(packetsOf(link, 'forward', 33)).toMatchObject([{ flow: 2 }]);
  });

  it('are followed to another address that they nominate', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [a, b] = await connected(link);
    a.send('from the first');
    await expect.poll(() => b.media.length).toBe(1);
    const moved = await agent('offr', link.relay.port);
    await connect(moved, b);
    b.send('to the second');
    await expect.poll(() => moved.media).toEqual(['to the second']);
    expect(a.media).toEqual([]);
  });

  it('are not disturbed by strangers', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [a, b] = await connected(link);
    const stranger = await agent('none', link.relay.port);
    stranger.send('stranger');
    a.send('peer');
    await expect.poll(() => b.media).toEqual(['peer']);
    await link.sync();
    expect(packetsOf(link, 'forward', 36)).toEqual([]);
    expect(link.record.flows).toHaveLength(1);
  });
});

describe('a far side that is no page under test', () => {
  it('is reached at its candidates, shaped, and answers through the relay', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 10 });
    const [page, far] = await Promise.all([agent('page', link.relay.port), agent('farr', 0)]);
    link.local('page', 0);
    link.remote({
      ufrag: 'farr',
      candidates: [{ address: '127.0.0.1', port: 9 }, { address: 'name.local', port: 1 }, far.address],
    });
    await expect
      .poll(() => {
        page.check({ to: 'farr', role: 'controlling', nominate: true });
        return page.answers > 0 && far.checkedBy.length > 0;
      })
      .toBe(true);
    page.send('to the unit');
    await expect.poll(() => far.media).toEqual(['to the unit']);
    far.check({ to: 'page', role: 'controlled' });
    far.send('from the unit');
    await expect.poll(() => page.media).toEqual(['from the unit']);
    await expect.poll(() => far.answers).toBe(1);
    await link.sync();
    expect(link.record.flows).toEqual([{ flow: 1, offererUfrag: 'page', answererUfrag: 'farr' }]);
    expect(packetsOf(link, 'forward', 39)).toMatchObject([{ flow: 1 }]);
    expect(packetsOf(link, 'backward', 41)).toMatchObject([{ flow: 1 }]);
  });

  it('is ignored at a port to which nothing can be sent', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0 });
    const page = await agent('page', link.relay.port);
    link.local('page', 5);
    link.remote({ ufrag: 'farr', candidates: [{ address: '127.0.0.1', port: 0 }] });
    for (let i = 0; i < 20; i++) page.check({ to: 'farr', role: 'controlling', nominate: true });
    // When these two have answers, the link has passed on what came before.
    await connected(link);
    await link.sync();
    expect(link.record.interruptions).toEqual([]);
  });

  it('is refused for what turns out to be a page', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const decoy = await agent('deco', 0);
    link.remote({ ufrag: 'answ', candidates: [decoy.address] });
    link.local('answ', 0);
    link.remote({ ufrag: 'offr', candidates: [] });
    const [a, b] = await connected(link);
    a.send('there');
    await expect.poll(() => b.media).toEqual(['there']);
    expect(decoy.checkedBy).toEqual([]);
  });
});

describe('a far side that sends to the address which the pages tell', () => {
  const local = { address: 'name.local', port: 1 };

  it('is refused there where it is known by another one, and while that may be on its way', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [page, far] = await Promise.all([agent('page', link.relay.port), agent('farr', link.relay.port)]);
    link.local('page', 0);
    page.check({ to: 'farr', role: 'controlled' });
    far.check({ to: 'page', role: 'controlling', nominate: true });
    await link.sync();
    link.remote({ ufrag: 'farr', candidates: [far.address] });
    await expect
      .poll(() => {
        far.check({ to: 'page', role: 'controlling', nominate: true });
        page.check({ to: 'farr', role: 'controlled' });
        return page.answers > 0;
      })
      .toBe(true);
    far.send('to the relay itself');
    expect(far.answers).toBe(0);
    await link.sync();
    expect(packetsOf(link, 'backward', 47)).toEqual([]);
  });

  it('is taken there where it names no address that can be reached', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [page, far] = await Promise.all([agent('page', link.relay.port), agent('farr', link.relay.port)]);
    link.local('page', 0);
    link.remote({ ufrag: 'farr', candidates: [local] });
    await connect(page, far);
    far.send('from a hidden address');
    await expect.poll(() => page.media).toEqual(['from a hidden address']);
  });

  it('is behind the page, whose upload is forward, whichever controls', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [page, far] = await Promise.all([agent('page', link.relay.port), agent('farr', 0)]);
    link.local('page', 0);
    link.remote({ ufrag: 'farr', candidates: [far.address] });
    await expect
      .poll(() => {
        page.check({ to: 'farr', role: 'controlled' });
        return page.answers > 0;
      })
      .toBe(true);
    await link.sync();
    expect(link.record.flows).toEqual([{ flow: 1, offererUfrag: 'page', answererUfrag: 'farr' }]);
  });
});

describe('the settings of a link', () => {
  it('change while it carries packets, both ways alike but for what back says', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [a, b] = await connected(link);
    const change = await link.set({ capacity: '100kbps', backward: { loss: 1 } });
    expect(change).toMatchObject({ text: '100kbps, backward: loss 100%' });
    for (let i = 0; i < 4; i++) a.send(Buffer.alloc(97, i));
    b.send('lost');
    await expect.poll(() => b.media.length).toBe(4);
    await link.sync();
    const rows = packetsOf(link, 'forward', 125);
    expect(rows).toHaveLength(4);
    for (const [i, { departUs }] of rows.entries()) {
      const before = rows[i - 1];
      if (before) expect(departUs - before.departUs).toBeCloseTo(10_000, 3);
    }
    // In DROP_REASONS, 1 is a random loss.
    expect(packetsOf(link, 'backward', 32)).toMatchObject([{ reason: 1, queueDelayUs: NaN }]);
    expect(direction(link, 'backward').capacity.at(-1)).toEqual({
      timeUs: change.timeUs,
      capacityBps: 100e3,
    });
    expect(link.record.changes.map(({ text }) => text)).toEqual([
      '10mbps, droptail:300ms, rtt 0 ms',
      '100kbps, backward: loss 100%',
    ]);
  });

  it('may stop the link: what waits goes out when it has a capacity again', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 0 });
    const [a, b] = await connected(link);
    const stop = await link.set({ capacity: 0 });
    expect(stop.text).toBe('0 bit/s');
    a.send(Buffer.alloc(97, 1));
    await expect
      .poll(async () => {
        await link.sync();
        return direction(link, 'forward').rows.at(-1)?.queue_bytes;
      })
      .toBe(125);
    expect(b.media).toEqual([]);
    const on = await link.set({ capacity: '10mbps' });
    await expect.poll(() => b.media.length).toBe(1);
    await link.sync();
    const [row] = packetsOf(link, 'forward', 125);
    // Transmission takes 100 us, and usually starts when the link gets a capacity again. But if the link stopped
    // while it transmitted a check, it first transmits the rest of that check.
    const waitedUs = (row?.departUs ?? NaN) - on.timeUs;
    expect(waitedUs).toBeGreaterThan(99.9);
    expect(waitedUs).toBeLessThan(100 + (1500 * 8) / 10);
  });

  it('have schedules that count from the first packet', async () => {
    const link = await linkWith({ capacity: '1mbps,2mbps@100ms,3mbps@300ms', rtt: 0 });
    await link.sync();
    expect(direction(link, 'forward').capacity).toMatchObject([{ capacityBps: 1e6 }]);
    await connected(link);
    await expect.poll(() => direction(link, 'backward').capacity.length).toBe(3);
    const [, second, third] = direction(link, 'forward').capacity;
    expect(second?.capacityBps).toBe(2e6);
    expect((third?.timeUs ?? NaN) - (second?.timeUs ?? NaN)).toBeCloseTo(200_000, 3);
    // A capacity without a schedule ends the schedule that was running.
    await link.set({ capacity: '1mbps,9mbps@1h' });
    await link.set({ capacity: '4mbps' });
    await link.sync();
    expect(direction(link, 'forward').capacity.slice(-2)).toMatchObject([
      { capacityBps: 1e6 },
      { capacityBps: 4e6 },
    ]);
  });

  it('may be a function of time, which goes on while the test blocks', async () => {
    const link = await linkWith({ capacity: (seconds) => 1e6 + Math.floor(seconds * 10) * 1e5, rtt: 0 });
    await connected(link);
    await expect.poll(() => direction(link, 'forward').capacity.length).toBeGreaterThan(2);
    const endMs = performance.now() + 1000;
    while (performance.now() < endMs);
    await link.sync();
    const { capacity } = direction(link, 'forward');
    expect(capacity.length).toBeGreaterThan(10);
    for (const [i, { timeUs, capacityBps }] of capacity.slice(1).entries()) {
      const before = capacity[i];
      expect(capacityBps - (before?.capacityBps ?? NaN)).toBeCloseTo(1e5, 3);
      if (i > 0) expect(timeUs - (before?.timeUs ?? NaN)).toBeCloseTo(100e3, 3);
    }
    expect(direction(link, 'backward').capacity.slice(0, 10)).toEqual(
      capacity
        .slice(0, 10)
        .map((change) => expect.objectContaining({ capacityBps: change.capacityBps }) as unknown),
    );
  });

  it('keep the last capacity when a function fails later, and say so', async () => {
    const capacity = (seconds: number) => (seconds < 3.05 ? 2e6 : seconds < 3.1 ? 3e6 : NaN);
    const link = await linkWith({ capacity, rtt: 0 });
    await connected(link);
    await expect.poll(() => link.record.notices).toMatchObject([{ code: 'capacity-function' }]);
    expect(link.record.notices[0]?.message).toMatch(/link\.capacity: expected a function.*NaN at 3\.1/);
    await expect.poll(() => direction(link, 'forward').rows.at(-1)?.capacity_bps).toBe(3e6);
    const { rows } = direction(link, 'forward');
    const before = rows.length;
    await expect.poll(() => rows.length).toBeGreaterThan(before + 3);
    expect(rows.at(-1)?.capacity_bps).toBe(3e6);
  });

  it('may let TCP into the queue: it takes what the call leaves, and the log stays in order', async () => {
    const link = await linkWith({
      capacity: '2mbps',
      queue: 'droptail:20p',
      rtt: 20,
      crossTraffic: 'cubic:2',
    });
    const [a, b] = await connected(link);
    const { rows, packets } = direction(link, 'forward');
    await expect
      .poll(
        () => {
          a.send(Buffer.alloc(972));
          const [from, to] = [rows.at(-11), rows.at(-1)];
          if (from === undefined || to === undefined) return 0;
          return ((to.delivered_bytes - from.delivered_bytes) * 8e6) / (to.time_us - from.time_us);
        },
        { timeout: 10_000, interval: 5 },
      )
      .toBeGreaterThan(1.8e6);
    for (let i = 0; i < 30; i++) a.send(Buffer.alloc(972));
    await expect.poll(() => packets.reason.subarray(0, packets.rows).includes(2)).toBe(true);
    await link.set({ crossTraffic: 'none' });
    // Sends repeatedly, since the queue may still be full at first.
    await expect
      .poll(() => {
        a.send('last');
        return b.media.at(-1);
      })
      .toBe('last');
    await link.sync();
    const departed = packets.departUs.subarray(0, packets.rows);
    expect(departed.every((timeUs, i) => i === 0 || timeUs >= (departed[i - 1] ?? NaN))).toBe(true);
    // The log contains at least the packets that arrived. (More packets may have been lost in sockets after
    // the link.)
    expect(packets.rows).toBeGreaterThanOrEqual(b.media.length);
  });

  const wrong: [LinkSettings, string][] = [
    [{ capacity: 'fast' }, 'link.capacity'],
    [{ backward: { queue: 'no-such-queue' } }, 'link.backward.queue'],
    [{ capacity: () => NaN }, 'link.capacity'],
    [{ capacity: { mahimahi: '/no/such/file' } }, 'link.capacity.mahimahi'],
    [{ seed: 2 }, 'link.seed'],
  ];
  it.each(wrong)('that are wrong change nothing: %o', async (settings, field) => {
    const link = await linkWith({ capacity: '5mbps' });
    await expect(link.set(settings)).rejects.toMatchObject({ name: 'ConfigError', field });
    await link.sync();
    expect(direction(link, 'forward').capacity).toHaveLength(1);
    expect(link.record.changes).toHaveLength(1);
  });

  it('are refused when a link is opened', async () => {
    await expect(openShaperLink({ settings: { loss: '200%' } })).rejects.toThrow(ConfigError);
    // With cross traffic, a capacity is at most 1 Gbps, also one that comes later.
    const later = openShaperLink({ settings: { capacity: '10mbps,2gbps@1h', crossTraffic: 'cubic:1' } });
    await expect(later).rejects.toThrow(/^link\.crossTraffic: .*; lower the capacity first$/);
  });

  it('change in both directions or in none', async () => {
    const link = await linkWith({ capacity: '1mbps' });
    const change = link.set({ capacity: '3mbps', backward: { capacity: '2gbps', crossTraffic: 'cubic:1' } });
    await expect(change).rejects.toMatchObject({ name: 'ConfigError', field: 'link.backward.crossTraffic' });
    await link.sync();
    for (const name of ['forward', 'backward'] as const) {
      expect(direction(link, name).rows.at(-1)?.capacity_bps).toBe(1e6);
      expect(direction(link, name).capacity).toHaveLength(1);
    }
  });
});

describe('the thread of a link', () => {
  it('leaves its port when the link is closed, twice if need be', async () => {
    const link = await openShaperLink();
    const { port } = link.relay;
    await Promise.all([link.close(), link.close()]);
    await expectFree(port);
    await expect(link.set({ capacity: '1mbps' })).rejects.toThrow(/closed; open another/);
    await expect(link.sync()).rejects.toThrow(ShaperError);
  });

  it('says what to do when its port is in use', async () => {
    const socket = await bound();
    closers.push(() => socket.close());
    const { port } = socket.address();
    await expect(openShaperLink({ port })).rejects.toThrow(ShaperError);
    await expect(openShaperLink({ port })).rejects.toThrow(/in use; choose another one/);
  });

  it('is reported when it breaks, and nobody waits for it', async () => {
    const link = await openShaperLink({ thread: new URL('./broken_thread.mjs', import.meta.url) });
    const failures = await Promise.allSettled([link.set({ capacity: '1mbps' }), link.sync()]);
    for (const failure of failures)
      expect(failure).toMatchObject({ reason: expect.any(ShaperError) as Error });
    await expect(link.sync()).rejects.toThrow(
      /the shaper failed: out of luck; open a new link, or run the call again/,
    );
    expect(link.record.notices).toMatchObject([{ level: 'error', code: 'shaper-failed' }]);
    await link.close();
  });

  const PROGRAM = `
    const { openShaperLink } = await import('${new URL('../../dist/lib/shaper/index.js', import.meta.url).href}');
    const link = await openShaperLink();
    console.log(link.relay.port);
    if (process.argv.at(-1) === 'stay') setInterval(() => {}, 1000);`;

  it.each(['stay', 'leave'])('does not outlive its process: %s', async (what) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, what], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    // In the case `leave`, the program ends by itself, without closing its link.
    if (what === 'stay') child.kill('SIGKILL');
    expect(await ended).toEqual(what === 'stay' ? [null, 'SIGKILL'] : [0, null]);
    await expectFree(Number(line));
  });
});
