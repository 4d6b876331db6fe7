/**
 * The local server answers requests that name one of its own hosts and come from its own pages. Other sites
 * may link to its pages; all their other requests are refused.
 */
import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';

import { startServer, type LocalServer } from '../../src/server/server.js';
import { isLoopback } from '../../src/server/names.js';
import { Client, endClientsAfterEach } from './server_client.js';

let appDir: string;
let server: LocalServer;
let open: LocalServer;
beforeAll(async () => {
  appDir = mkdtempSync(join(tmpdir(), 'ccscope-app-'));
  writeFileSync(join(appDir, 'index.html'), '<title>app</title>');
  writeFileSync(join(appDir, 'app.js'), 'export {};');
  const controllers = [{ name: 'mine.mjs', kind: 'js' as const, bytes: Buffer.from('export default {};') }];
  server = await startServer({ appDir, controllers });
  open = await startServer({ appDir, host: '0.0.0.0' });
});
afterAll(async () => {
  await Promise.all([server.close(), open.close()]);
  rmSync(appDir, { recursive: true });
});
endClientsAfterEach();

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
}

async function get(path: string, headers: Record<string, string>, at = server): Promise<Answer> {
  const sent = request({ port: at.port, host: '127.0.0.1', path, headers }).end();
  const [response] = (await once(sent, 'response')) as [
    { statusCode?: number; headers: Answer['headers']; resume(): void },
  ];
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

const statusFor = async (host: string, at = server): Promise<number | undefined> =>
  (await get('/', { host }, at)).status;

/** Sends raw bytes. Resolves with the first line of the answer. */
async function raw(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(text);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString().split('\r\n', 1)[0] ?? '';
}

describe('names', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1.2.3',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ])('%s is ours, with a port or without', async (name) => {
    expect(await statusFor(name)).toBe(200);
    expect(await statusFor(`${name}:${server.port}`)).toBe(200);
  });

  it.each([
    'evil.example',
    '127.evil.com',
    '127.0.0.1.nip.io',
    '127.0.0.1.',
    'localhost.',
    'localhost.evil.example',
    'evil.localhost',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '127.0.0.256',
    '0.0.0.0',
    '192.0.2.1',
    '[::2]',
    '[::ffff:192.0.2.1]',
  ])('%s is not', async (name) => {
    expect(await statusFor(name)).toBe(403);
    expect(await statusFor(`${name}:${server.port}`)).toBe(403);
  });

  it.each([
    'localhost@evil.example',
    'evil.example@localhost',
    '127.0.0.1/',
    '[127.0.0.1]',
    '[::1',
    'localhost:x',
    '',
  ])('a Host %j is malformed', async (name) => {
    expect(await raw(`GET / HTTP/1.1\r\nHost: ${name}\r\n\r\n`)).toMatch(/ 400 /);
  });

  it('more than one Host is malformed, and no other header names us', async () => {
    expect(await raw('GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n')).toMatch(/ 400 /);
    const forwarded = { host: 'evil.example', 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' };
    expect((await get('/', forwarded)).status).toBe(403);
  });

  it('a request line with an authority has that of the Host', async () => {
    expect(await raw('GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(/ 200 /);
    expect(await raw('GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(/ 400 /);
    expect(await raw('GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toMatch(/ 403 /);
  });

  it('of a server for other machines are its addresses and its own name', async () => {
    for (const name of ['192.0.2.1', '[2001:db8::1]', hostname(), `${hostname()}.local`, 'localhost'])
      expect(await statusFor(name, open), name).toBe(200);
    for (const name of ['127.evil.com', '192.0.2.1.nip.io', `${hostname()}.evil.example`])
      expect(await statusFor(name, open), name).toBe(403);
  });

  it('that only look like loopback addresses are refused', () => {
    for (const name of ['127.evil.com', '127.0.0.1.nip.io', '127', '::', 'localhost.example'])
      expect(isLoopback(name), name).toBe(false);
  });
});

describe('the address to listen on', () => {
  it('localhost is the address that is printed, even where it resolves to ::1 first', async () => {
    // The callback is the last argument: Node calls `lookup` with options or without.
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation((name: string, ...rest: unknown[]) => {
      const found = rest.at(-1) as (error: null, address: string, family: number) => void;
      if (name === 'localhost') found(null, '::1', 6);
      else found(null, name, 4);
    });
    let local: LocalServer | undefined;
    try {
      local = await startServer({ appDir, host: 'localhost' });
      expect(local.urlsForOthers).toEqual([]);
      expect(local.url).toBe(`http://127.0.0.1:${local.port}/`);
      expect((await fetch(local.url)).status).toBe(200);
    } finally {
      lookup.mockRestore();
      await local?.close();
    }
  });

  it.each(['', ' '])('must not be empty: %j', async (host) => {
    await expect(startServer({ appDir, host })).rejects.toThrow(
      'host: expected an address, got an empty text; give an address of this machine, or 0.0.0.0 for all',
    );
  });
});

describe('pages of other sites', () => {
  it.each([
    'https://evil.example',
    'null',
    'file://',
    'http://localhost:1',
    'HTTPS',
    'http://127.0.0.1.nip.io',
  ])('get no WebSocket: %s', async (origin) => {
    const socket = new WebSocket(new URL('ws', server.url), { origin });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('403');
  });

  it('of our address with another scheme get none either', async () => {
    const origin = new URL(server.url).origin.replace('http:', 'https:');
    const socket = new WebSocket(new URL('ws', server.url), { origin });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('403');
    const own = await Client.connect(server, { origin: new URL(server.url).origin });
    expect(own.socket.readyState).toBe(WebSocket.OPEN);
  });

  it.each(['cross-site', 'same-site'])('(%s) may link to us, and load nothing', async (site) => {
    const from = (mode: string, destination: string): Record<string, string> => ({
      host: 'localhost',
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': destination,
    });
    expect((await get('/', from('navigate', 'document'))).status).toBe(200);
    expect((await get('/', from('navigate', 'iframe'))).status).toBe(403);
    for (const [mode, destination] of [
      ['no-cors', 'script'],
      ['no-cors', 'image'],
      ['cors', 'empty'],
    ] as const)
      expect((await get('/own/mine.mjs', from(mode, destination))).status, destination).toBe(403);
  });

  it('are told to keep out of whatever is sent', async () => {
    for (const path of ['/', '/app.js', '/own/mine.mjs', '/none', '/%']) {
      const { headers } = await get(path, { host: 'localhost' });
      expect(headers, path).toMatchObject({
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-security-policy'], path).toMatch(
        /^default-src 'none'; .*frame-ancestors 'none'$/,
      );
    }
  });

  it('and scripts from files are for workers only', async () => {
    const policyOf = async (path: string) =>
      (await get(path, { host: 'localhost' })).headers['content-security-policy'];
    expect(await policyOf('/')).not.toContain('blob:');
    expect(await policyOf('/app.js')).toContain("script-src 'self' blob:");
  });
});
