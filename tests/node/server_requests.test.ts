/** No request, header or reset of a connection can end the local server. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ServerProcess } from '../fuzz/doors/server_process.js';

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start();
});
beforeEach(async () => {
  if (server.ended) server = await ServerProcess.start();
});
afterAll(() => server.close());

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

const request = (line: string, headers = '', host = 'localhost'): string =>
  `${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;

async function opened(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}

/** Sends raw bytes. Resolves with the status of the answer; null if the connection ends without one. */
async function statusOf(text: string): Promise<number | null> {
  const socket = await opened();
  socket.write(text);
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
  socket.destroy();
  return Buffer.isBuffer(first) ? Number(/^HTTP\/1\.1 (\d+)/.exec(first.toString())?.[1]) : null;
}

describe('the process is alive and answers after', () => {
  it.each([
    ['//', 404],
    ['///', 404],
    ['//evil.example/', 404],
    ['http://', 400],
    ['http://[', 400],
    ['*', 400],
    ['/%', 400],
    ['/%00', 400],
    ['/%E0%A4%A', 400],
    ['/own/%E0%A4%A', 400],
    [`/${'a'.repeat(5000)}`, 404],
    ['/?%', 200],
  ])('GET %s', async (path, status) => {
    expect(await statusOf(request(`GET ${path}`))).toBe(status);
    expect(await server.fault()).toBeNull();
  });

  it.each([
    ['//', 'localhost', 404],
    ['//', 'evil.example', 403],
    ['http://', 'localhost', 400],
    ['/ws/', 'localhost', 404],
  ])('an upgrade at %s for %s', async (path, host, status) => {
    expect(await statusOf(request(`GET ${path}`, UPGRADE, host))).toBe(status);
    expect(await server.fault()).toBeNull();
  });

  it.each([
    ['100-50', 416],
    ['0-18446744073709551615', 206],
    ['18446744073709551615-', 416],
    ['--5-3', 416],
    ['-5', 206],
    ['a-b', 416],
    ['0-1,3-4', 200],
  ])('Range: bytes=%s', async (range, status) => {
    expect(await statusOf(request('GET /data.bin', `Range: bytes=${range}\r\n`))).toBe(status);
    expect(await server.fault()).toBeNull();
  });

  it.each([
    ['a refused upgrade', request('GET /ws', UPGRADE, 'evil.example')],
    ['an upgrade', request('GET /ws', UPGRADE)],
    ['a request', request('GET /data.bin')],
    ['half a request', 'GET / HTTP/1.1\r\nHo'],
    ['CONNECT', request('CONNECT localhost:80')],
  ])('a reset of %s', async (_, text) => {
    for (let i = 0; i < 20; i++) {
      const socket = await opened();
      const closed = once(socket, 'close');
      // Resets the connection at once. So the server writes its answer to a connection that has ended.
      socket.write(text, () => socket.resetAndDestroy());
      await closed;
    }
    expect(await server.fault()).toBeNull();
  });
});

it('reads files by their plain names, inside of the folder', async () => {
  const paths = [
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2fserve.mjs',
    '/..%5c..%5cetc',
    '/own/..%2Findex.html',
  ];
  for (const path of paths) expect(await statusOf(request(`GET ${path}`)), path).toBe(404);
});

it('answers GET and HEAD only', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    expect(await statusOf(request(`${method} /`)), method).toBe(405);
});

it('ends the connection of an upgrade that it refuses', async () => {
  const socket = await opened();
  const ended = once(socket, 'end');
  socket.resume().write(request('GET /ws', UPGRADE, 'evil.example'));
  await ended;
});
