import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import {
  ServerError,
  startServer,
  type LocalServer,
  type ServedController,
} from '../../src/server/server.js';
import type { LinkOpened, ServerMessage } from '../../src/link/server_protocol.js';
import { startShaper } from '../../src/shaper/shaper.js';
import { IceAgent } from './ice_agent.js';
import { Client, endClientsAfterEach } from './server_client.js';

let appDir: string;
let server: LocalServer;
beforeAll(async () => {
  appDir = mkdtempSync(join(tmpdir(), 'ccscope-app-'));
  writeFileSync(join(appDir, 'index.html'), '<title>app</title>');
  writeFileSync(join(appDir, 'core.wasm'), new Uint8Array([0, 97, 115, 109]));
  server = await startServer({ appDir });
});
afterAll(async () => {
  await server.close();
  rmSync(appDir, { recursive: true });
});

describe('controllers of users', () => {
  const own: ServedController[] = [
    { name: 'mine one.mjs', kind: 'js', bytes: new TextEncoder().encode('export default {};') },
    { name: 'mine.wasm', kind: 'wasm', bytes: new Uint8Array([0, 97, 115, 109]) },
  ];
  let serving: LocalServer;
  beforeAll(async () => {
    serving = await startServer({ appDir, controllers: own });
  });
  afterAll(() => serving.close());

  it.each([
    ['own/mine%20one.mjs', 'text/javascript', 'export default {};'],
    ['own/mine.wasm', 'application/wasm', '\0asm'],
  ])('are served by their names: %s', async (path, type, text) => {
    const url = new URL(path, serving.url);
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(await answer.text()).toBe(text);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(text.length)]);
  });

  it('that do not exist are not found', async () => {
    for (const path of ['own/other.mjs', 'own/', 'own/..%2Findex.html'])
      expect((await fetch(new URL(path, serving.url))).status, path).toBe(404);
    expect((await fetch(new URL('own/mine.wasm', server.url))).status).toBe(404);
  });
});

endClientsAfterEach();

describe('files', () => {
  it('serves the app, and the core with the type that browsers compile from a stream', async () => {
    expect(await (await fetch(server.url)).text()).toContain('app');
    const core = await fetch(new URL('core.wasm', server.url));
    expect(core.headers.get('content-type')).toBe('application/wasm');
    expect((await fetch(new URL('nothing.js', server.url))).status).toBe(404);
  });
});

/** Makes two ICE agents, one at each end of a link. */
async function agentsOf(
  { a, b }: Pick<LinkOpened, 'a' | 'b'>,
  offerer: string,
  answerer: string,
): Promise<[IceAgent, IceAgent]> {
  return [await IceAgent.at(offerer, a.port), await IceAgent.at(answerer, b.port)];
}

/** Each of the two agents sends a check. Returns whether both have received an answer yet. */
function meet(offerer: IceAgent, answerer: IceAgent): boolean {
  offerer.check({ to: answerer.ufrag, role: 'controlling', nominate: true });
  answerer.check({ to: offerer.ufrag, role: 'controlled' });
  return offerer.answers > 0 && answerer.answers > 0;
}

describe('links', () => {
  it('relays between the two sockets and reports its queue', async () => {
    const client = await Client.connect(server);
    const { link, a, b } = await client.open({ capacity: '1mbps', rtt_ms: 0, origin_epoch_ms: Date.now() });
    const [offerer, answerer] = await agentsOf({ a, b }, 'offr', 'answ');
    await expect.poll(() => meet(offerer, answerer)).toBe(true);
    offerer.send('hello');
    await expect.poll(() => answerer.media).toEqual(['hello']);
    // Once per second, the server reports how late recent packets left the link.
    const late = await client.next(
      (m) => 'type' in m && m.type === 'link/lateness' && m.recent_p95_ms !== null,
    );
    expect(late).toMatchObject({ link, recent_p95_ms: expect.any(Number) as number });
    for (const agent of [offerer, answerer]) agent.close();
    const push = await client.next((m) => 'type' in m && m.type === 'link/rows');
    if (!('rows' in push)) throw new Error('no rows');
    expect(push.link).toBe(link);
    expect(push.rows[0]).toMatchObject({ capacity_bps: 1e6, drops: 0 });
    expect(push.rows[0]?.time_us).toBeGreaterThanOrEqual(0);
    expect(push.rows[0]?.time_us).toBeLessThan(60e6);
  });

  it.each([
    ['that of the server', 0],
    ['ahead of the server', 5000],
    ['behind the server', -3600e3],
  ])('has times that count from the origin of its page, whose clock is %s', async (_, aheadMs) => {
    const client = await Client.connect(server);
    const nowMs = Date.now() + aheadMs;
    const config = { origin_epoch_ms: nowMs };
    const reply = await client.ask({ type: 'link/open', config, now_ms: nowMs });
    expect(reply).toMatchObject({ ok: true, result: { config } });
    const push = await client.next((m) => 'type' in m && m.type === 'link/rows');
    if (!('rows' in push)) throw new Error('no rows');
    expect(Math.abs(push.rows[0]?.time_us ?? NaN)).toBeLessThan(3e6);
  });

  it('has the origin of the server, on the clock of its page, if the page gives none', async () => {
    const client = await Client.connect(server);
    const nowMs = Date.now() + 3600e3;
    const reply = await client.ask({ type: 'link/open', config: {}, now_ms: nowMs });
    if (!('ok' in reply) || !reply.ok) throw new Error(JSON.stringify(reply));
    const { config } = reply.result as LinkOpened;
    expect(Math.abs((config.origin_epoch_ms ?? NaN) - nowMs)).toBeLessThan(60e3);
  });

  it('that was lent is joined, with its settings and its rows, and outlives who joined', async () => {
    const shaper = await startShaper({ config: { capacity: '2mbps', rtt_ms: 0, origin_epoch_ms: 1000 } });
    try {
      const { name: lent } = server.lend(shaper);
      const client = await Client.connect(server);
      const joined = await client.ask({ type: 'link/join', link: lent });
      const { a, b } = shaper;
      const config = { capacity: '2mbps', rtt_ms: 0, origin_epoch_ms: 1000 };
      expect(joined).toMatchObject({ ok: true, result: { link: lent, a, b, config } });
      const push = await client.next((m) => 'type' in m && m.type === 'link/rows');
      expect(push).toMatchObject({ link: lent, rows: [{ capacity_bps: 2e6 }] });
      // `lend` lets one page join a link that this process owns. The link can be joined only once, so that no other
      // page can take it over.
      const other = await Client.connect(server);
      expect(await other.ask({ type: 'link/join', link: lent })).toMatchObject({ ok: false });
      const taken = server.lend(shaper);
      taken.end();
      expect(await other.ask({ type: 'link/join', link: taken.name })).toMatchObject({ ok: false });
      expect(await client.ask({ type: 'link/set', link: lent, config: { capacity: '1mbps' } })).toMatchObject(
        { ok: true },
      );
      expect(await client.ask({ type: 'link/close', link: lent })).toMatchObject({ ok: true });
      await shaper.sync();
      expect(shaper.stats().capacityBps).toBe(1e6);
      expect(await client.ask({ type: 'link/join', link: 'link-none' })).toMatchObject({
        ok: false,
        error: { field: 'link', message: 'there is no link link-none to join' },
      });
    } finally {
      await shaper.close();
    }
  });

  it('is for the peers that it was told, and for nobody else', async () => {
    const client = await Client.connect(server);
    const { link, a, b } = await client.open({ rtt_ms: 0 });
    const told = await client.ask({ type: 'link/peers', link, a: ['offr'], b: ['answ'] });
    expect(told).toMatchObject({ ok: true, result: null });
    const peers = await agentsOf({ a, b }, 'offr', 'answ');
    const strangers = await agentsOf({ a, b }, 'odd1', 'odd2');
    // In each attempt, the strangers send their checks before the peers do.
    await expect
      .poll(() => {
        meet(...strangers);
        return meet(...peers);
      })
      .toBe(true);
    expect(strangers.map(({ answers }) => answers)).toEqual([0, 0]);
    for (const agent of [...peers, ...strangers]) agent.close();
  });

  it('changes and closes a link', async () => {
    const client = await Client.connect(server);
    const { link } = await client.open();
    expect(await client.ask({ type: 'link/set', link, config: { capacity: '2mbps' } })).toMatchObject({
      ok: true,
    });
    const changed = (m: ServerMessage) => 'rows' in m && m.rows[0]?.capacity_bps === 2e6;
    expect(await client.next(changed)).toMatchObject({ link });
    expect(await client.ask({ type: 'link/close', link })).toMatchObject({ ok: true, result: null });
    expect(await client.ask({ type: 'link/close', link })).toMatchObject({
      ok: false,
      error: { field: 'link' },
    });
  });

  it.each([
    [{ type: 'link/open', config: { capacity: 'fast' } }, 'config.capacity'],
    [{ type: 'link/open', config: { rtt: 5 } }, 'config.rtt'],
    [{ type: 'link/open', config: 5 }, 'config'],
    [{ type: 'link/open', config: {}, now_ms: 'noon' }, 'now_ms'],
    [{ type: 'link/set', link: 'link-none', config: {} }, 'link'],
    [{ type: 'link/peers', link: 'link-none', a: ['offr'], b: ['answ'] }, 'link'],
    [{ type: 'link/peers', link: 'link-1', a: ['o:r'], b: [] }, 'a.0'],
    [{ type: 'room/join', room: 'a/b' }, 'room'],
    [{ type: 'dance' }, 'type'],
  ])('refuses %j at %s', async (message, field) => {
    const client = await Client.connect(server);
    expect(await client.ask(message)).toMatchObject({ ok: false, error: { field } });
  });

  it('answers what is not JSON', async () => {
    const client = await Client.connect(server);
    client.socket.send('{');
    expect(await client.next((m) => 'ok' in m)).toMatchObject({
      id: 0,
      ok: false,
      error: { field: 'message' },
    });
  });

  it('frees the ports of a client that left', async () => {
    const client = await Client.connect(server);
    const { a } = await client.open();
    client.socket.terminate();
    await expect
      .poll(async () => {
        const socket = createSocket('udp4');
        socket.bind(a.port, a.address);
        const outcome = await Promise.race([
          once(socket, 'listening').then(() => 'free'),
          once(socket, 'error').then(() => 'taken'),
        ]);
        socket.close();
        return outcome;
      })
      .toBe('free');
  });
});

describe('rooms', () => {
  it('passes signals to the others in the room and tells who is there', async () => {
    const [first, second, elsewhere] = [
      await Client.connect(server),
      await Client.connect(server),
      await Client.connect(server),
    ];
    expect(await first.ask({ type: 'room/join', room: 'r1' })).toMatchObject({ result: { peers: 1 } });
    expect(await elsewhere.ask({ type: 'room/join', room: 'r2' })).toMatchObject({ result: { peers: 1 } });
    expect(await second.ask({ type: 'room/join', room: 'r1' })).toMatchObject({ result: { peers: 2 } });
    second.socket.send(JSON.stringify({ type: 'room/signal', room: 'r1', data: { sdp: 'x' } }));
    const signal = await first.next((m) => 'type' in m && m.type === 'room/signal');
    expect(signal).toEqual({ type: 'room/signal', room: 'r1', data: { sdp: 'x' } });
    second.socket.terminate();
    const alone = (m: ServerMessage) => 'peers' in m && m.peers === 1;
    await first.next(alone); // was sent when this client joined
    expect(await first.next(alone)).toMatchObject({ room: 'r1', peers: 1 });
  });

  it('refuses signals to a room that one is not in', async () => {
    const client = await Client.connect(server);
    client.socket.send(JSON.stringify({ type: 'room/signal', room: 'r3', data: 1 }));
    expect(await client.next((m) => 'ok' in m)).toMatchObject({ ok: false, error: { field: 'room' } });
  });
});

describe('starting', () => {
  it('says what is wrong with the port, the address or the app', async () => {
    await expect(startServer({ appDir, port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(startServer({ appDir, host: '192.0.2.1' })).rejects.toThrow(
      /not an address of this machine/,
    );
    await expect(startServer({ appDir: join(appDir, 'none') })).rejects.toThrow(ServerError);
  });

  it('tells peers an address that other machines reach, if it listens for them', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    const open = await startServer({ appDir, host: '0.0.0.0' });
    const client = await Client.connect(open);
    const { a, b } = await client.open();
    expect(a.address).toBe(b.address);
    if (outside.length > 0) expect(outside).toContain(a.address);
    else expect(a.address).toBe('127.0.0.1');
    expect(open.urlsForOthers).toEqual(outside.map((address) => `http://${address}:${open.port}/`));
    for (const url of open.urlsForOthers) expect((await fetch(url)).status).toBe(200);
    expect(server.urlsForOthers).toEqual([]);
    await open.close();
  });

  it('closes with clients connected', async () => {
    const own = await startServer({ appDir });
    const socket = new WebSocket(new URL('ws', own.url));
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await own.close();
    await closed;
    await expect(fetch(own.url)).rejects.toThrow();
  });
});
