import { afterEach, describe, expect, it } from 'vitest';

import { openShaperLink, type LinkSettings, type ShaperLink } from '../../src/node/shaper/index.js';
import { IceAgent } from './ice_agent.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function linkWith(settings: LinkSettings): Promise<ShaperLink> {
  const link = await openShaperLink({ settings });
  closers.push(() => link.close());
  return link;
}

async function agent(ufrag: string, link: ShaperLink): Promise<IceAgent> {
  const made = await IceAgent.at(ufrag, link.relay.port);
  closers.push(() => made.close());
  return made;
}

/** Two agents that know each other: `a` offered. */
async function connected(link: ShaperLink, names = ['offr', 'answ'] as const): Promise<[IceAgent, IceAgent]> {
  const [a, b] = await Promise.all([agent(names[0], link), agent(names[1], link)]);
  await expect
    .poll(() => {
      a.check({ to: b.ufrag, role: 'controlling', nominate: true });
      b.check({ to: a.ufrag, role: 'controlled' });
      return a.answers > 0 && b.answers > 0;
    })
    .toBe(true);
  return [a, b];
}

describe('a link of a test', () => {
  it('brings two agents together, each way after the half of the RTT', async () => {
    const link = await linkWith({ capacity: '10mbps', rtt: 20 });
    const [a, b] = await connected(link);
    a.send('there');
    b.send('back');
    await expect.poll(() => [...b.media, ...a.media]).toEqual(['there', 'back']);
    await link.sync();
    expect(link.record.flows).toEqual([{ flow: 1, offererUfrag: 'offr', answererUfrag: 'answ' }]);
    const { forward } = link.record;
    expect(forward?.packets.rows).toBeGreaterThan(2);
    expect(forward?.capacity).toMatchObject([{ capacityBps: 10e6 }]);
  });
});
