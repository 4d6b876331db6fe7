/** A client that overuses the local server must not affect the other clients. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { startServer, type LocalServer } from '../../src/server/server.js';
import type { ServerLimits } from '../../src/server/limits.js';
import type { ServerMessage } from '../../src/link/server_protocol.js';
import { Client, endClientsAfterEach } from './server_client.js';

let appDir: string;
const servers: LocalServer[] = [];
beforeAll(() => {
  appDir = mkdtempSync(join(tmpdir(), 'ccscope-app-'));
  writeFileSync(join(appDir, 'index.html'), '<title>app</title>');
});
afterAll(() => rmSync(appDir, { recursive: true }));
endClientsAfterEach();
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function start(limits: Partial<ServerLimits> = {}): Promise<LocalServer> {
  const server = await startServer({ appDir, limits });
  servers.push(server);
  return server;
}

const reply = (id: number) => (message: ServerMessage) => 'ok' in message && message.id === id;

/**
 * The number of messages in a flood. The system cannot buffer that many messages for a client that does not
 * read.
 */
const FLOOD = 40;

function flood(sender: Client): void {
  const data = 'x'.repeat(900_000);
  const text = JSON.stringify({ type: 'room/signal', room: 'r', data });
  for (let i = 0; i < FLOOD; i++) sender.socket.send(text);
}

/** Sends `count` identical requests at once, and returns the replies. */
async function outcomes(client: Client, count: number, request: object): Promise<ServerMessage[]> {
  const ids = Array.from({ length: count }, (_, i) => 100 + i);
  for (const id of ids) client.socket.send(JSON.stringify({ id, ...request }));
  const replies: ServerMessage[] = [];
  for (const id of ids) replies.push(await client.next(reply(id)));
  return replies;
}

const opened = (replies: readonly ServerMessage[]): number =>
  replies.filter((message) => 'ok' in message && message.ok).length;

describe('links', () => {
  const open = { type: 'link/open', config: {} };

  it('that are being opened count: 8 of 60 at once', async () => {
    const client = await Client.connect(await start());
    const replies = await outcomes(client, 60, open);
    expect(opened(replies)).toBe(8);
    const refused = replies.find((message) => 'ok' in message && !message.ok);
    expect(refused).toMatchObject({
      error: { field: 'link', message: expect.stringMatching(/at most 8 links/) as string },
    });
  });

  it('of all clients together count, and one that is closed makes room', async () => {
    const server = await start({ links: 5 });
    const clients = await Promise.all([1, 2, 3].map(() => Client.connect(server)));
    const replies = await Promise.all(clients.map((client) => outcomes(client, 4, open)));
    expect(opened(replies.flat())).toBe(5);
    const holder = clients.findIndex((_, i) => opened(replies[i] ?? []) > 0);
    const held = replies[holder]?.find((message) => 'ok' in message && message.ok);
    if (held === undefined || !('result' in held) || !held.result || !('link' in held.result))
      throw new Error('none');
    const client = clients[holder] as Client;
    expect(await client.ask({ type: 'link/close', link: held.result.link })).toMatchObject({ ok: true });
    expect(opened(await outcomes(client, 2, open))).toBe(1);
  });

  it('that cannot be opened take no room', async () => {
    const client = await Client.connect(await start());
    expect(opened(await outcomes(client, 20, { type: 'link/open', config: { capacity: 'fast' } }))).toBe(0);
    expect(opened(await outcomes(client, 8, open))).toBe(8);
  });

  it('of a client that left make room', async () => {
    const server = await start({ links: 3 });
    const first = await Client.connect(server);
    expect(opened(await outcomes(first, 3, open))).toBe(3);
    first.socket.terminate();
    const second = await Client.connect(server);
    await expect.poll(async () => opened(await outcomes(second, 1, open))).toBe(1);
  });
});

describe('rooms', () => {
  const join = (room: string): object => ({ type: 'room/join', room });

  it('have two members; a third one is refused and hears nothing', async () => {
    const server = await start();
    const [first, second, third] = [
      await Client.connect(server),
      await Client.connect(server),
      await Client.connect(server),
    ];
    await first.ask(join('r'));
    await second.ask(join('r'));
    expect(await third.ask(join('r'))).toMatchObject({
      ok: false,
      error: {
        field: 'room',
        message: expect.stringMatching(/the room r already has two pages; close one/) as string,
      },
    });
    first.socket.send(JSON.stringify({ type: 'room/signal', room: 'r', data: 'sdp' }));
    await second.next((message) => 'data' in message);
    third.socket.send(JSON.stringify({ type: 'room/signal', room: 'r', data: 'mine' }));
    expect(await third.next(() => true)).toMatchObject({ id: 0, ok: false, error: { field: 'room' } });
    // When a client leaves, for instance because its page is reloaded, another can join.
    first.socket.terminate();
    await second.next((message) => 'peers' in message && message.peers === 1);
    expect(await third.ask(join('r'))).toMatchObject({ ok: true, result: { peers: 2 } });
  });

  it('are limited for a client, and for all', async () => {
    const server = await start({ rooms: 6 });
    const [first, second] = [await Client.connect(server), await Client.connect(server)];
    for (let i = 0; i < 4; i++) expect(await first.ask(join(`a${i}`))).toMatchObject({ ok: true });
    expect(await first.ask(join('a4'))).toMatchObject({ ok: false, error: { field: 'room' } });
    expect(await first.ask(join('a0'))).toMatchObject({ ok: true, result: { peers: 1 } });
    for (let i = 0; i < 2; i++) expect(await second.ask(join(`b${i}`))).toMatchObject({ ok: true });
    expect(await second.ask(join('b2'))).toMatchObject({ ok: false, error: { field: 'room' } });
    expect(await second.ask(join('x'.repeat(65)))).toMatchObject({ ok: false, error: { field: 'room' } });
  });
});

describe('a client that does not read', () => {
  it('gets no more signals, and their sender is told', async () => {
    const server = await start();
    const [reader, sender] = [await Client.connect(server), await Client.connect(server)];
    await reader.ask({ type: 'room/join', room: 'r' });
    await sender.ask({ type: 'room/join', room: 'r' });
    reader.socket.pause();
    flood(sender);
    let refused = 0;
    sender.socket.on('message', (message: Buffer) => {
      if (message.toString().includes('"ok":false')) refused += 1;
    });
    expect(await sender.next((message) => 'ok' in message && !message.ok)).toMatchObject({
      id: 0,
      error: { field: 'data', message: expect.stringMatching(/has stopped reading/) as string },
    });
    await sender.ask({ type: 'room/join', room: 'r' });
    expect(refused).toBeGreaterThan(FLOOD / 2);
  });

  it('loses rows, which are counted, and gets new ones when it reads again', async () => {
    const server = await start({ rows_buffer_bytes: 0 });
    const [reader, sender] = [await Client.connect(server), await Client.connect(server)];
    const { link } = await reader.open();
    await reader.ask({ type: 'room/join', room: 'r' });
    await sender.ask({ type: 'room/join', room: 'r' });
    reader.socket.pause();
    flood(sender);
    await sender.next((message) => 'ok' in message && !message.ok);
    const second = await sender.open();
    const isRow = (message: ServerMessage): boolean => 'rows' in message && message.link === second.link;
    for (let i = 0; i < 5; i++) await sender.next(isRow);
    reader.socket.resume();
    const late = await reader.next((message) => 'rows' in message && message.dropped !== undefined);
    expect(late).toMatchObject({ type: 'link/rows', link });
    expect('dropped' in late && late.dropped).toBeGreaterThanOrEqual(4);
  });

  it('and asks on is disconnected', async () => {
    const server = await start({ buffer_bytes: 1 << 20 });
    const client = await Client.connect(server);
    client.socket.pause();
    const closed = once(client.socket, 'close');
    const bad = JSON.stringify({ id: 1, type: 'x'.repeat(200) });
    const timer = setInterval(() => {
      for (let i = 0; i < 2000 && client.socket.readyState === WebSocket.OPEN; i++) client.socket.send(bad);
    }, 1);
    // A paused socket does not read, so it notices a reset only when a write fails.
    client.socket.once('error', () => client.socket.terminate());
    await closed;
    clearInterval(timer);
  });

  it('nor answers is gone', async () => {
    const server = await start({ ping_interval_ms: 50, sessions: 1 });
    const gone = await Client.connect(server);
    await gone.open();
    gone.socket.pause();
    await expect
      .poll(async () => {
        const next = new WebSocket(new URL('ws', server.url));
        const [first] = (await Promise.race([once(next, 'open'), once(next, 'error')])) as [Error?];
        next.once('error', () => undefined);
        next.terminate();
        return first === undefined;
      })
      .toBe(true);
  });
});

describe('a client that has lost its network', () => {
  const join = { type: 'room/join', room: 'r' };
  const hears = (client: Client, peers: number): Promise<ServerMessage> =>
    client.next((message) => 'type' in message && message.type === 'room/peer' && message.peers === peers);

  it('loses its place in a room to the next one that comes, and nobody else does', async () => {
    const server = await start();
    const [first, gone, back, other] = [
      await Client.connect(server),
      await Client.connect(server),
      await Client.connect(server),
      await Client.connect(server),
    ];
    await first.ask(join);
    await hears(first, 1);
    await gone.ask(join);
    await hears(first, 2);
    gone.socket.pause();
    expect(await back.ask(join)).toMatchObject({ ok: true, result: { peers: 2 } });
    await hears(first, 1);
    await hears(first, 2);
    // Both members answer, so the room is full.
    const message = expect.stringMatching(/already has two pages/) as string;
    expect(await other.ask(join)).toMatchObject({ ok: false, error: { field: 'room', message } });
    back.socket.send(JSON.stringify({ type: 'room/signal', room: 'r', data: 'sdp' }));
    expect(await first.next((each) => 'data' in each)).toMatchObject({ data: 'sdp' });
  });

  it('leaves one place, not two, and none to a client that has left meanwhile', async () => {
    const server = await start();
    const [first, gone, left] = [
      await Client.connect(server),
      await Client.connect(server),
      await Client.connect(server),
    ];
    await first.ask(join);
    await gone.ask(join);
    gone.socket.pause();
    left.socket.send(JSON.stringify({ id: 1, ...join }));
    left.socket.close();
    await once(left.socket, 'close');
    const late = [await Client.connect(server), await Client.connect(server)];
    const replies = await Promise.all(late.map((client) => client.ask(join)));
    expect(opened(replies)).toBe(1);
  });
});

describe('messages', () => {
  it('with brackets in their strings are not nested', async () => {
    const client = await Client.connect(await start());
    const room = `${'['.repeat(99)}\\"${'{'.repeat(99)}`;
    expect(await client.ask({ type: 'room/join', room })).toMatchObject({ id: 7, error: { field: 'room' } });
  });

  it.each([
    ['arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
  ])('nested deeply are refused: %s', async (_, deep) => {
    const server = await start();
    const [first, second] = [await Client.connect(server), await Client.connect(server)];
    await first.ask({ type: 'room/join', room: 'r' });
    await second.ask({ type: 'room/join', room: 'r' });
    const refusal = {
      ok: false,
      error: { field: 'message', message: 'expected at most 32 levels of nesting' },
    };
    first.socket.send(`{"type":"room/signal","room":"r","data":${deep}}`.slice(0, 1 << 20));
    first.socket.send(deep);
    expect(await first.next((message) => 'ok' in message)).toMatchObject(refusal);
    expect(await first.next((message) => 'ok' in message)).toMatchObject(refusal);
    expect(await second.ask({ type: 'room/join', room: 'r' })).toMatchObject({ ok: true });
  });

  it('that are not JSON are answered each, and the next one is served', async () => {
    const client = await Client.connect(await start());
    let refused = 0;
    client.socket.on('message', (data: Buffer) => {
      if ((JSON.parse(data.toString()) as { ok?: boolean }).ok === false) refused++;
    });
    for (let i = 0; i < 5000; i++) client.socket.send('{');
    expect(await client.ask({ type: 'room/join', room: 'r' })).toMatchObject({ ok: true });
    expect(refused).toBe(5000);
  });
});

describe('connections', () => {
  it('by WebSocket are limited', async () => {
    const server = await start({ sessions: 2 });
    await Client.connect(server);
    const second = await Client.connect(server);
    const third = new WebSocket(new URL('ws', server.url));
    const [error] = (await once(third, 'error')) as [Error];
    expect(error.message).toContain('503');
    second.socket.close();
    await once(second.socket, 'close');
    await Client.connect(server);
  });

  it('of any kind are limited', async () => {
    const server = await start({ connections: 2 });
    const sockets = [1, 2, 3].map(() => connect(server.port, '127.0.0.1'));
    const dropped = sockets.map((socket) =>
      once(
        socket.on('error', () => undefined),
        'close',
      ),
    );
    await Promise.race(dropped);
    expect(sockets.filter((socket) => !socket.closed)).toHaveLength(2);
    sockets.forEach((socket) => socket.destroy());
  });
});

describe('the server closes although a client', () => {
  it('does not answer the end of its WebSocket', async () => {
    const server = await start({ close_timeout_ms: 50 });
    const client = await Client.connect(server);
    await client.open();
    client.socket.pause();
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('has sent half a request, or nothing', async () => {
    const server = await start();
    const sockets = [
      '',
      'GET / HTTP/1.1\r\nHo',
      'GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n',
    ];
    for (const text of sockets) {
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
    }
    await server.close();
  });

  it('is told twice', async () => {
    const server = await start();
    await Client.connect(server);
    await Promise.all([server.close(), server.close()]);
  });
});
