/** A page can have its own link. The other pages share one link. */
import type { Page } from '@playwright/test';
import { describe, expect, it } from 'vitest';

import type { PathRecord } from '../../src/calls/record/record.js';
import { openDevtoolsLink, type ShaperLink } from '../../src/shaper/index.js';
import { TestLink } from '../../src/playwright/link.js';
import type { LinkSettings } from '../../src/link/settings.js';
import { ConfigError } from '../../src/text/quantities.js';
import { IceAgent } from './ice_agent.js';
import { closeAfterEach, closers, linkWith } from './links.js';

closeAfterEach();

const SIZE_BYTES = 1000;
const PAYLOAD_BYTES = SIZE_BYTES - 28;

async function agent(ufrag: string, port: number): Promise<IceAgent> {
  const made = await IceAgent.at(ufrag, port);
  closers.push(() => made.close());
  return made;
}

/** A page under test and its peer (`far`), connected to each other. */
async function participant(link: ShaperLink, page: number): Promise<{ page: IceAgent; far: IceAgent }> {
  const made = { page: await agent(`page${page}`, link.relay.port), far: await agent(`far${page}`, 0) };
  link.local(made.page.ufrag, page);
  link.remote({ ufrag: made.far.ufrag, candidates: [made.far.address] });
  await expect
    .poll(() => {
      made.page.check({ to: made.far.ufrag, role: 'controlling', nominate: true });
      return made.page.answers > 0 && made.far.checkedBy.length > 0;
    })
    .toBe(true);
  return made;
}

/**
 * Two pages under test, connected to each other. Page 0 is the controlling ICE agent, page 1 the controlled
 * one.
 */
async function connectedPages(link: ShaperLink): Promise<[IceAgent, IceAgent]> {
  const [a, b] = [await agent('offr', link.relay.port), await agent('answ', link.relay.port)];
  link.local('offr', 0);
  link.local('answ', 1);
  await expect
    .poll(() => {
      a.check({ to: 'answ', role: 'controlling', nominate: true });
      b.check({ to: 'offr', role: 'controlled' });
      return a.answers > 0 && b.answers > 0;
    })
    .toBe(true);
  return [a, b];
}

async function sendTen({ page, far }: { page: IceAgent; far: IceAgent }): Promise<void> {
  const before = far.media.length;
  for (let i = 0; i < 10; i++) page.send(Buffer.alloc(PAYLOAD_BYTES, 'x'));
  await expect.poll(() => far.media.length).toBe(before + 10);
}

/**
 * Finds the packets of `sendTen` in a record by their size. Returns the size, the flow and the time of departure of
 * each packet.
 */
function departures(path: PathRecord | null, name: 'forward' | 'backward' = 'forward') {
  const packets = path?.[name]?.packets;
  return Array.from({ length: packets?.rows ?? 0 }, (_, i) => ({
    sizeBytes: packets?.sizeBytes[i] ?? NaN,
    departUs: packets?.departUs[i] ?? NaN,
    flow: packets?.flow[i] ?? NaN,
  })).filter(({ sizeBytes }) => sizeBytes === SIZE_BYTES);
}

const gapsUs = (rows: readonly { departUs: number }[]): number[] =>
  rows.slice(1).map(({ departUs }, i) => departUs - (rows[i]?.departUs ?? NaN));

/** The record of a page's own link. */
function ownPath(link: ShaperLink, page: number): PathRecord {
  const { record } = link.for(page);
  if (record === null) throw new Error('no path of its own');
  return record;
}

describe('the link that a page has of its own', () => {
  it('stands beside that of the others, with a capacity and a queue that nobody shares', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0, queue: 'droptail:500ms' });
    await link.for(0).set({ capacity: '1mbps' });
    const [slow, fast] = [await participant(link, 0), await participant(link, 1)];
    await Promise.all([sendTen(slow), sendTen(fast)]);
    await link.sync();
    const own = departures(ownPath(link, 0));
    expect(own).toHaveLength(10);
    // At 1 Mbit/s, a packet of 1000 bytes takes 8 ms.
    for (const gap of gapsUs(own)) expect(gap).toBeGreaterThanOrEqual(8000 - 1e-3);
    const shared = departures(link.record);
    expect(shared).toHaveLength(10);
    // At 100 Mbit/s a packet takes 80 µs, so the fast page's packets do not wait for the slow page's.
    expect(Math.max(...gapsUs(shared))).toBeLessThan(8000);
    expect(link.record.own.map(({ page }) => page)).toEqual([0]);
    expect(new Set([...own, ...shared].map(({ flow }) => flow)).size).toBe(2);
  });

  it('begins as the test’s link did, but for its first change, whatever that one became', async () => {
    const link = await linkWith({ capacity: '4mbps', rtt: 20, loss: '1%', queue: 'codel' });
    await link.set({ capacity: '9mbps' });
    const { text } = await link.for(3).set({ backward: { loss: '2%' } });
    expect(text).toContain('4mbps, codel, loss 1%, rtt 20 ms');
    expect(text).toContain('backward: loss 2%');
    const later = await link.for(3).set({ capacity: '2mbps' });
    expect(later.text).toBe('2mbps');
    expect(ownPath(link, 3).changes.map(({ text: each }) => each)).toEqual([text, '2mbps']);
    expect(link.record.changes).toHaveLength(2);
  });

  it.each<[string, LinkSettings, LinkSettings, string]>([
    [
      'a setting that is undefined leaves the link’s',
      { capacity: '5mbps' },
      { capacity: undefined, loss: '2%' },
      '5mbps, droptail:300ms, loss 2%, rtt 50 ms',
    ],
    [
      'a network that is undefined leaves the link’s',
      { network: 'lte' },
      { network: undefined, loss: '1%' },
      'network lte, loss 1%',
    ],
    [
      'a setting of both directions replaces that of the backward direction',
      { capacity: '2mbps', backward: { capacity: '5mbps', loss: '3%' } },
      { capacity: '300kbps' },
      '300kbps, droptail:300ms, rtt 50 ms, backward: loss 3%',
    ],
    [
      'and leaves nothing of it, if it was the only one',
      { capacity: '2mbps', backward: { capacity: '5mbps' } },
      { capacity: '300kbps' },
      '300kbps, droptail:300ms, rtt 50 ms',
    ],
  ])('with its first change, %s', async (_, settings, change, text) => {
    const link = await linkWith(settings);
    expect((await link.for(0).set(change)).text).toBe(text);
  });

  it('takes what comes after its first change, in the middle of a connection too', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0 });
    const one = await participant(link, 0);
    await sendTen(one);
    const { timeUs } = await link.for(0).set({ capacity: '1mbps' });
    await sendTen(one);
    await link.sync();
    const [shared, own] = [departures(link.record), departures(ownPath(link, 0))];
    expect([shared.length, own.length]).toEqual([10, 10]);
    expect(Math.max(...shared.map(({ departUs }) => departUs))).toBeLessThan(timeUs);
    // The change above opened the page's own link. The record of this link also contains the capacity before
    // that change.
    expect(ownPath(link, 0).forward?.capacity.map(({ capacityBps }) => capacityBps)).toEqual([100e6, 1e6]);
  });

  it('is forward for its page, also where another page offered', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0 });
    await link.for(1).set({ capacity: '1mbps', backward: { capacity: '50mbps' } });
    const [a, b] = await connectedPages(link);
    await sendTen({ page: b, far: a });
    await link.sync();
    expect(link.record.flows).toEqual([{ flow: 1, offererUfrag: 'answ', answererUfrag: 'offr' }]);
    expect(departures(ownPath(link, 1))).toHaveLength(10);
    expect(departures(link.record)).toEqual([]);
    // The connection already uses page 1's own link, and a connection cannot change its link. So page 0 can
    // no longer get its own link.
    const refused = await link
      .for(0)
      .set({ capacity: '1mbps' })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(String(refused)).toMatch(/link\.for: .*page 1.*before the page connects/);
    expect(link.for(0).record).toBeNull();
  });

  it('says so where both pages of a connection have one', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0 });
    await Promise.all([0, 1].map((page) => link.for(page).set({ capacity: '1mbps' })));
    await connectedPages(link);
    await link.sync();
    expect(link.record.notices).toMatchObject([{ code: 'one-of-two-links-0-1', level: 'warning' }]);
  });

  it("is the shaper's alone", () => {
    const link = new TestLink(openDevtoolsLink(), () => 0);
    closers.push(() => link.close());
    expect(() => link.for({} as Page)).toThrow(
      /linkBackend: expected shaper, .* got "?devtools"?; remove linkBackend/,
    );
  });

  it('refuses what a link refuses, and is as before then', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0 });
    const wrong = [{ capacity: 'fast' }, { seed: 2 }, { loss: 3 }];
    for (const change of wrong) await expect(link.for(0).set(change)).rejects.toThrow(ConfigError);
    expect(link.for(0).record).toBeNull();
    expect(link.record.own).toEqual([]);
    await link.for(0).set({ capacity: '1mbps' });
    expect(link.record.own).toHaveLength(1);
  });
});
