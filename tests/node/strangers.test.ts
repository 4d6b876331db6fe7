// Packets that strangers send to a relay must not affect a call, and must not make the relay flood anybody.
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { bindingRequest, bindingSuccess } from '../../scripts/lib/ice_check.mjs';
import { ShaperError, startShaper, type Shaper } from '../../src/shaper/shaper.js';
import { IceAgent } from './ice_agent.js';
import { closeAfterEach, closers, linkWith } from './links.js';

closeAfterEach();

async function agent(ufrag: string, port: number): Promise<IceAgent> {
  const made = await IceAgent.at(ufrag, port);
  closers.push(() => made.close());
  return made;
}

/** The ports to which the two sides of a call send. Strangers send to the same ports, and imitate a side. */
interface Bed {
  a: number;
  b: number;
  /** The number of connections that the relay has reported; null for a relay that does not report any. */
  flows(): Promise<number> | null;
}

async function appBed(): Promise<Bed> {
  const shaper: Shaper = await startShaper({ config: { rtt_ms: 0, capacity: '100mbps' } });
  closers.push(() => shaper.close());
  return { a: shaper.a.port, b: shaper.b.port, flows: () => null };
}

async function kitBed(): Promise<Bed> {
  const link = await linkWith({ capacity: '100mbps', rtt: 0 });
  for (const [i, ufrag] of ['offr', 'answ', 'cccc', 'dddd'].entries()) link.local(ufrag, i);
  const flows = async (): Promise<number> => {
    await link.sync();
    return link.record.flows.length;
  };
  return { a: link.relay.port, b: link.relay.port, flows };
}

const offer = (a: IceAgent, to: string): void => a.check({ to, role: 'controlling', nominate: true });
const answer = (b: IceAgent, to: string): void => b.check({ to, role: 'controlled' });

/** Both agents send checks until each has received an answer. */
async function connect(a: IceAgent, b: IceAgent): Promise<void> {
  const before = [a.answers, b.answers] as const;
  await expect
    .poll(() => {
      offer(a, b.ufrag);
      answer(b, a.ufrag);
      return a.answers > before[0] && b.answers > before[1];
    })
    .toBe(true);
}

const sent = (from: IceAgent, packet: Buffer | string, port: number): Promise<unknown> =>
  new Promise((done) => from.socket.send(packet, port, '127.0.0.1', done));

/** Expects twenty packets in each direction to arrive, and no stranger to receive any of them. */
async function expectPrivate(a: IceAgent, b: IceAgent, strangers: readonly IceAgent[]): Promise<void> {
  for (const side of [a, b]) side.media.length = 0;
  for (let i = 0; i < 20; i++) {
    a.send(`there ${i}`);
    b.send(`back ${i}`);
  }
  await expect.poll(() => [a.media.length, b.media.length]).toEqual([20, 20]);
  for (const stranger of strangers) expect(stranger.media).toEqual([]);
}

describe.each([
  ['the shaper of the app', appBed],
  ['the relay of a test', kitBed],
])('strangers at %s', (_, open) => {
  it.each(['hi', '\u0016\u00fe\u00fd', ''])('have no seat for a datagram: %j', async (datagram) => {
    const bed = await open();
    const [a, b, first, late] = await Promise.all([
      agent('offr', bed.a),
      agent('answ', bed.b),
      agent('none', bed.a),
      agent('none', bed.b),
    ]);
    await sent(first, datagram, bed.a);
    await sent(first, datagram, bed.b);
    await connect(a, b);
    await expectPrivate(a, b, [first, late]);
    await sent(late, datagram, bed.a);
    await sent(late, datagram, bed.b);
    await expectPrivate(a, b, [first, late]);
  });

  it.each([0, 1])('have no seat for fragments that they have seen, first at side %d', async (side) => {
    const bed = await open();
    // The thieves use the username fragments of the two sides, but do not know their passwords. They answer
    // checks with another password.
    const thieves = await Promise.all([agent('offr', bed.a), agent('answ', bed.b)]);
    const [thiefA, thiefB] = thieves;
    const attempts = [
      () => thiefA.check({ to: 'answ', role: 'controlling', nominate: true, knownTo: 'nobody' }),
      () => thiefB.check({ to: 'offr', role: 'controlled', knownTo: 'nobody' }),
    ];
    for (const thief of thieves) {
      thief.socket.removeAllListeners('message');
      thief.socket.on('message', (packet: Buffer, { port }) => {
        if ((packet[0] ?? 0) > 3) thief.media.push(packet.toString());
        else if (packet.readUInt16BE(0) === 1)
          thief.socket.send(bindingSuccess(packet, 'nobody'), port, '127.0.0.1');
      });
    }
    attempts[side]?.();
    const [a, b] = await Promise.all([agent('offr', bed.a), agent('answ', bed.b)]);
    await connect(a, b);
    await expectPrivate(a, b, thieves);
    for (let i = 0; i < 5; i++) for (const attempt of attempts) attempt();
    await connect(a, b);
    await expectPrivate(a, b, thieves);
  });

  it('have no seat for a check that they replay byte by byte', async () => {
    const bed = await open();
    const [a, b, thief] = await Promise.all([
      agent('offr', bed.a),
      agent('answ', bed.b),
      agent('copy', bed.a),
    ]);
    await connect(a, b);
    const check = bindingRequest('offr', { to: 'answ', role: 'controlling', nominate: true });
    const answered = new Promise<void>((resolve) =>
      a.socket.on('message', (packet: Buffer) => {
        if (packet.subarray(8, 20).equals(check.subarray(8, 20))) resolve();
      }),
    );
    a.send(check);
    await answered;
    await sent(thief, check, bed.a);
    await expectPrivate(a, b, [thief]);
    expect(thief.bytes).toBe(0);
  });

  it('cannot answer for somebody else, nor for nobody', async () => {
    const bed = await open();
    const [a, b, liar] = await Promise.all([
      agent('offr', bed.a),
      agent('answ', bed.b),
      agent('liar', bed.b),
    ]);
    await connect(a, b);
    b.socket.removeAllListeners('message');
    const checked = once(b.socket, 'message') as Promise<[Buffer]>;
    offer(a, 'answ');
    const [check] = await checked;
    // The answer has the right transaction id, but comes from an agent to which the check was never sent.
    await sent(liar, bindingSuccess(check, 'answ'), bed.b);
    const unknown = bindingRequest('answ', { to: 'offr', role: 'controlled' });
    await sent(b, bindingSuccess(unknown, 'answ'), bed.b);
    const before = [a.answers, a.bytes];
    a.send('there');
    await once(b.socket, 'message');
    expect([a.answers, a.bytes]).toEqual(before);
    expect(liar.bytes).toBe(0);
  });

  it('are sent no more than they sent, and nothing without an own check', async () => {
    const bed = await open();
    const [a, victim] = await Promise.all([agent('offr', bed.a), agent('answ', bed.b)]);
    // A stranger forges the victim's address as the source of a check. Here, the victim's own socket sends this
    // check. The victim must not answer, so the listener of its socket is removed.
    victim.socket.removeAllListeners('message');
    let got = 0;
    victim.socket.on('message', (packet) => (got += packet.length));
    const one = bindingRequest('answ', { to: 'offr', role: 'controlled' });
    await sent(victim, one, bed.b);
    for (let i = 0; i < 100; i++) offer(a, 'answ');
    for (let i = 0; i < 100; i++) a.send('data');
    // Exchanges further checks. When they are answered, the relay has processed all earlier packets.
    const [c, d] = await Promise.all([agent('cccc', bed.a), agent('dddd', bed.b)]);
    await connect(c, d);
    expect(got).toBeLessThanOrEqual(one.length);
  });

  it('do not become connections of the record', async () => {
    const bed = await open();
    const stranger = await agent('lone', bed.a);
    for (let i = 0; i < 3000; i++) {
      stranger.ufrag = `lone${i}`;
      await sent(
        stranger,
        bindingRequest(`lone${i}`, { to: `none${i}`, role: 'controlling', nominate: true }),
        bed.a,
      );
    }
    const [a, b] = await Promise.all([agent('offr', bed.a), agent('answ', bed.b)]);
    await connect(a, b);
    await expectPrivate(a, b, [stranger]);
    expect((await bed.flows()) ?? 1).toBe(1);
    expect(stranger.bytes).toBe(0);
  });
});

describe('the shaper of the app', () => {
  it('knows whom to expect, where it was told', async () => {
    const shaper = await startShaper({ config: { rtt_ms: 0 } });
    closers.push(() => shaper.close());
    shaper.expect({ a: ['offr'], b: ['answ'] });
    const [c, d, a, b] = await Promise.all([
      agent('evil', shaper.a.port),
      agent('mate', shaper.b.port),
      agent('offr', shaper.a.port),
      agent('answ', shaper.b.port),
    ]);
    for (let i = 0; i < 10; i++) {
      offer(c, 'mate');
      answer(d, 'evil');
    }
    await connect(a, b);
    expect([c.bytes, d.bytes]).toEqual([0, 0]);
  });

  it('takes the first that sends for a peer on loopback addresses alone', async () => {
    const start = startShaper({ address: '0.0.0.0', peers: 'first-datagram' });
    await expect(start).rejects.toThrow(ShaperError);
    await expect(start).rejects.toThrow(/give both addresses, or 'ice'/);
  });

  it('takes peers that are named, and nobody else', async () => {
    const [a, b, stranger] = await Promise.all([agent('a', 1), agent('b', 1), agent('s', 1)]);
    const peers = { a: a.address, b: b.address };
    const shaper = await startShaper({ config: { rtt_ms: 0 }, address: '0.0.0.0', peers });
    closers.push(() => shaper.close());
    await sent(stranger, 'first', shaper.a.port);
    await sent(a, 'second', shaper.a.port);
    await expect.poll(() => b.media).toEqual(['second']);
  });
});

describe('the way of a relay to a far side that is no page', () => {
  it('does not follow a stranger, nor carries what it sends', async () => {
    const link = await linkWith({ capacity: '100mbps', rtt: 0 });
    const [page, far, stranger] = await Promise.all([
      agent('page', link.relay.port),
      agent('farr', 0),
      agent('none', 1),
    ]);
    const socketOfRelay = once(far.socket, 'message') as Promise<[Buffer, { port: number }]>;
    link.local('page', 0);
    link.remote({ ufrag: 'farr', candidates: [far.address] });
    await expect
      .poll(() => {
        offer(page, 'farr');
        return page.answers;
      })
      .toBeGreaterThan(0);
    const [, { port }] = await socketOfRelay;
    const forged = bindingRequest('farr', { to: 'page', role: 'controlled', knownTo: 'nobody' });
    const foreign = bindingRequest('none', { to: 'page', role: 'controlled' });
    for (const packet of ['hi', foreign, forged, bindingSuccess(foreign, 'farr')])
      await sent(stranger, packet, port);
    for (let i = 0; i < 20; i++) page.send(`there ${i}`);
    await expect.poll(() => far.media.length).toBe(20);
    far.send('backward');
    await expect.poll(() => page.media).toEqual(['backward']);
    expect(stranger.media).toEqual([]);
  });
});
