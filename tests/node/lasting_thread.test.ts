/** A link whose thread ends: a replacement takes over, and the record continues. */
import { describe, expect, it } from 'vitest';

import {
  openShaperLink,
  ShaperError,
  startShaper,
  type LinkSettings,
  type ShaperLink,
} from '../../src/shaper/index.js';
import { IceAgent } from './ice_agent.js';
import { closeAfterEach, closers } from './links.js';
import { endThread, mortalThread } from './mortal.js';

closeAfterEach();

let lastSeed = 7000;

async function mortalLink(
  settings: LinkSettings,
): Promise<{ link: ShaperLink; end(how?: 'exit' | 'throw'): void }> {
  const seed = lastSeed++;
  const link = await openShaperLink({ settings: { ...settings, seed }, thread: mortalThread });
  closers.push(() => link.close());
  return { link, end: (how) => endThread(seed, how) };
}

async function pair(link: ShaperLink, ufrags: readonly [string, string]): Promise<[IceAgent, IceAgent]> {
  ufrags.forEach((ufrag, page) => link.local(ufrag, page));
  const [a, b] = await Promise.all([
    IceAgent.at(ufrags[0], link.relay.port),
    IceAgent.at(ufrags[1], link.relay.port),
  ]);
  closers.push(() => [a, b].forEach((agent) => agent.close()));
  return [a, b];
}

/** Both agents send checks, as pages do, until agent `b` has received the packet `text` from agent `a`. */
async function passes([a, b]: readonly [IceAgent, IceAgent], text: string): Promise<void> {
  await expect
    .poll(() => {
      a.check({ to: b.ufrag, role: 'controlling', nominate: true });
      b.check({ to: a.ufrag, role: 'controlled' });
      a.send(text);
      return b.media.includes(text);
    })
    .toBe(true);
}

const restarts = ({ record }: ShaperLink) => record.notices.filter(({ code }) => code === 'shaper-restarted');

describe('a link whose thread ends', () => {
  it.each(['exit', 'throw'] as const)(
    'comes back with its port, its settings and its record: %s',
    async (how) => {
      const { link, end } = await mortalLink({ capacity: '10mbps', rtt: 0 });
      const { port } = link.relay;
      const [first, second] = [await pair(link, ['one', 'two']), await pair(link, ['three', 'four'])];
      await passes(first, 'first');
      await passes(second, 'second');
      await link.set({ capacity: '900kbps' });
      await link.sync();
      const before = { ...link.record.forward?.rows.at(-1) };
      const { flows } = structuredClone(link.record);
      end(how);
      await expect.poll(() => restarts(link).length).toBe(1);
      // The pairs connect in the opposite order this time, but must keep their flow numbers in the record.
      await passes(second, 'second again');
      await passes(first, 'first again');
      await link.sync();
      expect(link.relay.port).toBe(port);
      expect(link.record.flows).toEqual(flows);
      const { forward, interruptions } = link.record;
      if (forward === null) throw new Error('a shaper has a record of each direction');
      const { packets, rows, capacity } = forward;
      const again = [...packets.sizeBytes.subarray(0, packets.rows)].lastIndexOf('first again'.length + 28);
      expect(packets.flow[again]).toBe(1);
      const departed = [...packets.departUs.subarray(0, packets.rows)];
      expect(departed).toEqual([...departed].sort((x, y) => x - y));
      expect(rows.at(-1)?.delivered_bytes).toBeGreaterThan(before.delivered_bytes ?? Infinity);
      expect(rows.at(-1)?.capacity_bps).toBe(900e3);
      expect(capacity.map(({ capacityBps }) => capacityBps)).toEqual([10e6, 900e3, 900e3]);
      const [{ fromUs, toUs } = { fromUs: NaN, toUs: NaN }] = interruptions;
      expect(interruptions).toHaveLength(1);
      expect(toUs).toBeGreaterThan(fromUs);
      const inside = departed.filter((timeUs) => timeUs > fromUs && timeUs < (toUs ?? Infinity));
      expect(inside).toEqual([]);
      const why = how === 'exit' ? 'its thread ended with code 3' : 'out of luck';
      expect(restarts(link)[0]?.message).toMatch(
        new RegExp(
          `^The shaper's thread ended and was started again \\(${why}\\)\\. No packets passed from .* s to .* s\\.$`,
        ),
      );
    },
  );

  it('answers what it was asked meanwhile, and knows the far sides', async () => {
    const { link, end } = await mortalLink({ capacity: '10mbps', rtt: 0 });
    const [page, far] = [await IceAgent.at('page', link.relay.port), await IceAgent.at('farr', 0)];
    closers.push(() => [page, far].forEach((agent) => agent.close()));
    link.local('page', 0);
    link.remote({ ufrag: 'farr', candidates: [far.address] });
    end();
    const [change] = await Promise.all([link.set({ capacity: '700kbps' }), link.sync()]);
    expect(change).toMatchObject({ text: '700kbps' });
    await expect.poll(() => restarts(link).length).toBe(1);
    await expect
      .poll(() => {
        page.check({ to: 'farr', role: 'controlling', nominate: true });
        return page.answers;
      })
      .toBeGreaterThan(0);
    await link.sync();
    expect(link.record.forward?.rows.at(-1)?.capacity_bps).toBe(700e3);
  });

  it('knows the links of single pages', async () => {
    const { link, end } = await mortalLink({ capacity: '10mbps', rtt: 0 });
    await link.for(0).set({ capacity: '2mbps' });
    const both = await pair(link, ['one', 'two']);
    await passes(both, 'first');
    await link.for(0).set({ backward: { capacity: '600kbps' } });
    await link.sync();
    const [own] = link.record.own;
    const before = own?.forward?.rows.at(-1)?.delivered_bytes ?? Infinity;
    end();
    await expect.poll(() => restarts(link).length).toBe(1);
    await passes(both, 'again');
    await link.sync();
    const [forward, backward] = [own?.forward?.rows.at(-1), own?.backward?.rows.at(-1)];
    expect([forward?.capacity_bps, backward?.capacity_bps]).toEqual([2e6, 600e3]);
    expect(forward?.delivered_bytes).toBeGreaterThan(before);
    expect(link.record.forward?.packets.rows).toBe(0);
  });

  it('is given up when it ends again and again', async () => {
    const { link, end } = await mortalLink({});
    const ended = (): boolean => link.record.notices.some(({ code }) => code === 'shaper-failed');
    await expect
      .poll(
        () => {
          end();
          return ended();
        },
        { timeout: 10_000, interval: 200 },
      )
      .toBe(true);
    expect(link.record.notices).toMatchObject([{ level: 'error', code: 'shaper-failed' }]);
    await expect(link.sync()).rejects.toThrow(ShaperError);
    await expect(link.set({ capacity: '1mbps' })).rejects.toThrow(
      /ended with code 3; open a new link, or run the call again/,
    );
  });
});

describe('a shaper between two peers whose thread ends', () => {
  it('comes back with its ports, its settings and whom it expects', async () => {
    const seed = lastSeed++;
    const shaper = await startShaper({
      config: { capacity: '10mbps', rtt_ms: 0, seed },
      thread: mortalThread,
    });
    closers.push(() => shaper.close());
    shaper.expect({ a: ['offr'], b: ['answ'] });
    const [a, b] = await Promise.all([
      IceAgent.at('offr', shaper.a.port),
      IceAgent.at('answ', shaper.b.port),
    ]);
    const [evil, mate] = await Promise.all([
      IceAgent.at('evil', shaper.a.port),
      IceAgent.at('mate', shaper.b.port),
    ]);
    closers.push(() => [a, b, evil, mate].forEach((agent) => agent.close()));
    await passes([a, b], 'before');
    const { firstPacketUs } = shaper;
    expect(firstPacketUs).not.toBeNull();
    await shaper.set({ capacity: '900kbps' });
    await shaper.sync();
    const { offeredPackets } = shaper.stats();
    expect(offeredPackets).toBeGreaterThan(0);
    endThread(seed, 'exit');
    evil.check({ to: 'mate', role: 'controlling', nominate: true });
    mate.check({ to: 'evil', role: 'controlled' });
    await passes([a, b], 'after');
    expect([evil.bytes, mate.bytes]).toEqual([0, 0]);
    await shaper.sync();
    expect(shaper.stats().capacityBps).toBe(900e3);
    expect(shaper.stats().offeredPackets).toBeGreaterThan(offeredPackets);
    expect(shaper.firstPacketUs).toBe(firstPacketUs);
    expect(shaper.record.interruptions).toHaveLength(1);
    expect(shaper.record.interruptions[0]?.toUs).not.toBeNull();
  });
});
