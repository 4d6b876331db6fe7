import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { packetsIn } from '../../src/judge/view.js';
import type { PacketRecord } from '../../src/link/packet_log.js';
import { CallObserver } from '../../src/observe/observer.js';
import { ObservedCall } from '../../src/playwright/call.js';
import { openShaperLink } from '../../src/shaper/index.js';
import { ShaperError, startShaper, type Shaper } from '../../src/shaper/shaper.js';
import type { ToThread } from '../../src/shaper/thread/protocol.js';
import type { PartialLinkConfig } from '../../src/link/link_config.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function peer(): Promise<Socket> {
  // The buffer must hold all packets of a test, since this thread may have to wait for the processor.
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closers.push(() => socket.close());
  return socket;
}

async function shaperWith(config: PartialLinkConfig): Promise<Shaper> {
  const shaper = await startShaper({ config, record: true, peers: 'first-datagram' });
  closers.push(() => shaper.close());
  return shaper;
}

/** A shaper and two peers. Each peer has sent a greeting, from which the shaper learns the peer's address. */
async function connected(config: PartialLinkConfig): Promise<{ shaper: Shaper; a: Socket; b: Socket }> {
  const [shaper, a, b] = await Promise.all([shaperWith(config), peer(), peer()]);
  // The shaper can forward packets from `a` only after it has received the greeting from `b`.
  await new Promise((sent) => b.send('hello', shaper.b.port, '127.0.0.1', sent));
  await expect.poll(() => shaper.sync().then(() => shaper.record.backward?.packets.rows)).toBe(1);
  a.send('hello', shaper.a.port, '127.0.0.1');
  await once(b, 'message');
  return { shaper, a, b };
}

/** The records of all packets that were sent forward so far. */
async function packetsOf(shaper: Shaper): Promise<PacketRecord[]> {
  await shaper.sync();
  const { forward } = shaper.record;
  return forward === null ? [] : packetsIn(forward, null, { fromUs: -Infinity, toUs: Infinity });
}

/** The next `count` messages that a socket receives. */
function messages(socket: Socket, count: number): Promise<Buffer[]> {
  const received: Buffer[] = [];
  return new Promise((resolve) => {
    const take = (message: Buffer): void => {
      received.push(message);
      if (received.length < count) return;
      socket.off('message', take);
      resolve(received);
    };
    socket.on('message', take);
  });
}

/**
 * Expects each packet to leave as soon as it can be transmitted: one transmission time after it arrived, or
 * after the previous packet left, whichever is later.
 */
function expectSerial(records: readonly PacketRecord[], capacityBps: number): void {
  expect(records.length).toBeGreaterThan(1);
  let freeUs = -Infinity;
  for (const { offeredUs, departUs, sizeBytes } of records) {
    const dueUs = Math.max(offeredUs, freeUs) + (sizeBytes * 8e6) / capacityBps;
    expect(departUs).toBeCloseTo(dueUs, 3);
    freeUs = departUs;
  }
}

describe('the shaper', () => {
  it('relays packets in order both ways, each after its transmission time', async () => {
    const { shaper, a, b } = await connected({ capacity: '1mbps', rtt_ms: 10 });
    const there = messages(b, 10);
    // 1250 bytes with the 28 bytes of headers, so each packet takes 10 ms.
    for (let i = 0; i < 10; i++) a.send(Buffer.alloc(1222, i), shaper.a.port, '127.0.0.1');
    expect((await there).map((packet) => packet[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expectSerial((await packetsOf(shaper)).slice(-10), 1e6);
    const backward = once(a, 'message');
    b.send('answer', shaper.b.port, '127.0.0.1');
    expect(String((await backward)[0])).toBe('answer');
  });

  it('lets real packets overtake those that it holds back, and logs them in the order in which they left', async () => {
    const count = 400;
    const { shaper, a, b } = await connected({
      capacity: '100mbps',
      rtt_ms: 2,
      reorder: '0.1/20ms',
      seed: 7,
    });
    const there = messages(b, count);
    for (let i = 0; i < count; i++) {
      const packet = Buffer.alloc(200);
      packet.writeUInt16BE(i);
      a.send(packet, shaper.a.port, '127.0.0.1');
      // A socket's buffer does not hold all packets at once, so received packets are read after every twenty
      // sends.
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const order = (await there).map((packet) => packet.readUInt16BE());
    // RFC 4737, 3.3: a packet is reordered if it arrives after a later one.
    let latest = -1;
    const reordered = order.filter((number) => {
      const isLate = number < latest;
      latest = Math.max(latest, number);
      return isLate;
    });
    expect(new Set(order).size).toBe(count);
    // The reordered packets are all held back for the same time, so they keep their order among themselves.
    expect(reordered).toEqual([...reordered].sort((x, y) => x - y));
    // Four standard deviations of the binomial distribution: sqrt(400 * 0.1 * 0.9) is 6.
    expect(Math.abs(reordered.length - 40)).toBeLessThanOrEqual(24);
    const departures = (await packetsOf(shaper)).map(({ departUs }) => departUs);
    expect(departures).toEqual([...departures].sort((x, y) => x - y));
  });

  it('lets nothing overtake where the delay becomes shorter', async () => {
    const { shaper, a, b } = await connected({ capacity: '100mbps', rtt_ms: 600 });
    const there = messages(b, 2);
    const offered = shaper.stats().offeredPackets;
    a.send('first', shaper.a.port, '127.0.0.1');
    await expect.poll(() => shaper.stats().departedPackets).toBe(offered + 1);
    await shaper.set({ rtt_ms: 0 });
    a.send('second', shaper.a.port, '127.0.0.1');
    expect((await there).map(String)).toEqual(['first', 'second']);
  });

  it('never sends before a packet is due, and knows how late it was', async () => {
    const { shaper, a, b } = await connected({ capacity: '10mbps', rtt_ms: 20 });
    const arrivedUs: number[] = [];
    b.on('message', () => arrivedUs.push(shaper.nowUs()));
    const there = messages(b, 50);
    for (let i = 0; i < 50; i++) a.send(Buffer.alloc(500), shaper.a.port, '127.0.0.1');
    await there;
    const records = (await packetsOf(shaper)).slice(-50);
    const lateMs = records.map(({ departUs }, i) => ((arrivedUs[i] ?? NaN) - departUs - 10_000) / 1e3);
    expect(lateMs).toHaveLength(50);
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
    const lateness = shaper.latenessMs();
    // The greeting of `a` counts, too. The greeting of `b` counts only if the shaper already knew the address of `a`
    // when this greeting was due.
    expect([51, 52]).toContain(lateness.packets);
    // Lateness is rounded to 0.01 ms. The delays measured at `b` are longer, because they include the path
    // from the shaper to `b`.
    expect(lateness.p50_ms).toBeLessThanOrEqual(Math.max(...lateMs) + 0.01);
    expect(lateness.p99_ms).toBeGreaterThanOrEqual(lateness.p50_ms);
  });

  it('drops what the queue cannot hold and accounts for each packet', async () => {
    const { shaper, a } = await connected({ capacity: '1mbps', queue: 'droptail:5kB', rtt_ms: 0 });
    for (let i = 0; i < 40; i++) a.send(Buffer.alloc(1222, i), shaper.a.port, '127.0.0.1');
    await expect.poll(async () => (await packetsOf(shaper)).length).toBe(41); // plus the greeting
    const records = await packetsOf(shaper);
    const dropped = records.filter((record) => record.dropped === 'queue-full');
    expect(dropped.length).toBeGreaterThan(0);
    for (const record of records) {
      // The bytes in the queue when this packet arrived: earlier accepted packets whose transmission had not
      // started.
      const waiting = records
        .filter((other) => other.dropped === null && other.offeredUs < record.offeredUs)
        .filter((other) => other.offeredUs + other.queueDelayUs > record.offeredUs)
        .reduce((bytes, other) => bytes + other.sizeBytes, 0);
      expect(record.dropped).toBe(waiting + record.sizeBytes > 5000 ? 'queue-full' : null);
    }
    expect(shaper.stats().drops).toBe(dropped.length);
    expect(shaper.row()).toMatchObject({ drops: dropped.length, capacity_bps: 1e6 });
  });

  it('changes while it runs', async () => {
    const { shaper, a, b } = await connected({ capacity: '1mbps', rtt_ms: 0 });
    await shaper.set({ capacity: '8mbps' });
    const there = messages(b, 2);
    for (let i = 0; i < 2; i++) a.send(Buffer.alloc(972), shaper.a.port, '127.0.0.1');
    await there;
    expectSerial((await packetsOf(shaper)).slice(-2), 8e6);
    await shaper.set({ loss_ratio: 1 });
    for (let i = 0; i < 3; i++) a.send('x', shaper.a.port, '127.0.0.1');
    await expect.poll(() => shaper.stats().lostPackets).toBe(3);
  });

  it('counts a schedule from the first packet', async () => {
    const shaper = await shaperWith({ capacity: '1mbps,2mbps@100ms', rtt_ms: 0 });
    const openedUs = shaper.nowUs();
    await expect.poll(() => shaper.nowUs() - openedUs).toBeGreaterThan(300_000);
    await shaper.sync();
    expect(shaper.stats().capacityBps).toBe(1e6);
    const a = await peer();
    a.send('hello', shaper.a.port, '127.0.0.1');
    await expect.poll(() => shaper.stats().capacityBps).toBe(2e6);
    const step = shaper.record.forward?.capacity.at(-1);
    expect((step?.timeUs ?? NaN) - (shaper.firstPacketUs ?? NaN)).toBeCloseTo(100_000, 0);
  });

  it('takes a capacity of as many steps as a trace may have', async () => {
    const steps = Array.from({ length: 200_000 }, (_, i) => `${i % 2 === 0 ? 2 : 3}mbps@${i + 1}ms`);
    const shaper = await shaperWith({ capacity: ['1mbps', ...steps].join(',') });
    expect(shaper.stats().capacityBps).toBe(1e6);
  });

  it('repeats a trace without end, until it gets another capacity', async () => {
    const thread = new URL('./old_thread.mjs', import.meta.url);
    const trace = '10\n20\n1000\n';
    const shaper = await startShaper({ trace, peers: 'first-datagram', thread });
    closers.push(() => shaper.close());
    const a = await peer();
    const posted = vi.spyOn(Worker.prototype, 'postMessage');
    closers.push(() => posted.mockRestore());
    /** The time of the last step that the thread was given in mid-call, counted from the start of the schedule. */
    const lastUs = (): number | undefined => {
      const messages = posted.mock.calls.map(([message]) => message as ToThread);
      return messages.findLast((message) => message.kind === 'extend')?.steps.at(-2);
    };
    a.send('hello', shaper.a.port, '127.0.0.1');
    await expect.poll(lastUs).toBeGreaterThan(601e6);
    await shaper.set({ capacity: '2mbps' });
    posted.mockClear();
    // The next round would be given within a second, which these rows take.
    let rows = 0;
    shaper.onRows = (told) => (rows += told.length);
    await expect.poll(() => rows).toBeGreaterThan(14);
    expect(lastUs()).toBeUndefined();
    expect(shaper.stats().capacityBps).toBe(2e6);
  });

  it('takes a change as a whole, or nothing of it', async () => {
    const shaper = await shaperWith({ capacity: '10gbps' });
    // Cross traffic needs a capacity of at most 1 Gbps. So on this link of 10 Gbps, it can only be set together
    // with a lower capacity.
    await shaper.set({ capacity: '1mbps', cross_traffic: 'cubic:1' });
    await expect(shaper.set({ capacity: '5gbps', loss_ratio: 1 })).rejects.toThrow(/^link\./);
    expect(shaper.config).toMatchObject({ capacity: '1mbps', loss_ratio: 0 });
    await shaper.sync();
    expect(shaper.stats().capacityBps).toBe(1e6);
    await expect.poll(() => shaper.stats().crossDepartedBytes).toBeGreaterThan(0);
    expect(shaper.stats().lostPackets).toBe(0);
  });

  it('takes changes that overlap one after the other, and refuses what is no setting', async () => {
    const shaper = await shaperWith({ capacity: '1mbps', rtt_ms: 50 });
    await Promise.all([shaper.set({ capacity: '2mbps' }), shaper.set({ rtt_ms: 90 })]);
    expect(shaper.config).toMatchObject({ capacity: '2mbps', rtt_ms: 90 });
    expect(shaper.record.changes.at(-1)?.text).toContain('2mbps');
    const refused = (change: object): Promise<void> => shaper.set(change);
    await expect(refused({ rtt: 80 })).rejects.toMatchObject({ field: 'link.rtt' });
    await expect(refused({ loss_ratio: '2%' })).rejects.toMatchObject({ field: 'link.loss_ratio' });
    await refused({ capacity: undefined, loss_ratio: 0.1 });
    expect(shaper.config).toMatchObject({ capacity: '2mbps', rtt_ms: 90, loss_ratio: 0.1 });
  });

  it('has the clock of calls, also once the system’s clock was set', async () => {
    const aheadMs = 60;
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
    try {
      const link = await openShaperLink({ settings: { capacity: '1mbps' } });
      closers.push(() => link.close());
      const observer = new CallObserver({ link, originEpochMs: link.originEpochMs });
      const call = new ObservedCall(observer, link);
      const { timeUs } = await link.set({ capacity: '2mbps' });
      expect(call.nowUs).toBeGreaterThanOrEqual(timeUs);
      expect(observer.nowUs()).toBeGreaterThanOrEqual(timeUs);
    } finally {
      vi.mocked(Date.now).mockRestore();
    }
  });

  it('ignores strangers', async () => {
    const { shaper, a, b } = await connected({ rtt_ms: 0 });
    const stranger = await peer();
    const there = messages(b, 1);
    stranger.send('stranger', shaper.a.port, '127.0.0.1');
    a.send('peer', shaper.a.port, '127.0.0.1');
    expect(String((await there)[0])).toBe('peer');
  });

  it('says what is wrong with a port, an address or a setting', async () => {
    const shaper = await shaperWith({});
    const start = (options: object) => startShaper({ ...options });
    await expect(start({ ports: [shaper.a.port, 0] })).rejects.toThrow(/in use; choose another/);
    await expect(start({ ports: [0, shaper.b.port] })).rejects.toThrow(ShaperError);
    await expect(start({ address: '192.0.2.1' })).rejects.toThrow(/not an IPv4 address of this machine/);
    await expect(start({ config: { loss_ratio: 2 } })).rejects.toThrow(/^link\.loss_ratio/);
  });

  it('closes twice, and frees its ports', async () => {
    const shaper = await startShaper();
    await shaper.close();
    await shaper.close();
    const again = await startShaper({ ports: [shaper.a.port, shaper.b.port] });
    await again.close();
  });
});
