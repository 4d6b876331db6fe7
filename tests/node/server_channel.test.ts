/**
 * The WebSocket channel between a view and its local server: who may connect, and which messages are
 * forwarded.
 */
import { once } from 'node:events';

import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';

import { serveView, type ViewServer } from '../../src/command_line/attach/view_server.js';
import type { PageRequest } from '../../src/watch/index.js';

let view: ViewServer;
let asked: { window: string | null; request: PageRequest }[];
const clients: WebSocket[] = [];

async function serve(): Promise<{ origin: string; key: string }> {
  asked = [];
  view = await serveView({
    title: 'Chrome/1 at http://127.0.0.1:9222',
    originEpochMs: 5,
    backlog: () => [{ type: 'window-ended', window: 'before' }],
    ask: (window, request) => {
      asked.push({ window, request });
      return window === 'broken' ? Promise.reject(new Error('no such window')) : Promise.resolve([null]);
    },
  });
  const { origin, hash } = new URL(view.url);
  return { origin, key: hash.slice(1) };
}
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await view.close('over');
});

function connect(address: string, options: { origin?: string; headers?: Record<string, string> } = {}) {
  const client = new WebSocket(address.replace('http', 'ws'), options);
  // A refused client emits an error, because its connection ends before it is open.
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

/** The HTTP status with which a connection is refused. */
async function refusal(client: WebSocket): Promise<number | undefined> {
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, { statusCode?: number }];
  return response.statusCode;
}

/** Returns a function that resolves with the next received text, parsed as JSON. */
function texts(client: WebSocket): () => Promise<unknown> {
  const waiting: unknown[] = [];
  let tell: (() => void) | null = null;
  client.on('message', (data: Buffer) => {
    waiting.push(JSON.parse(data.toString()));
    tell?.();
  });
  return async () => {
    while (waiting.length === 0) await new Promise<void>((done) => (tell = done));
    return waiting.shift();
  };
}

test('a view is told where it is and what came before, and asks the pages', async () => {
  const { origin, key } = await serve();
  const client = connect(`${origin}/view/${key}`, { origin });
  const next = texts(client);
  expect(await next()).toEqual({
    type: 'begin',
    title: 'Chrome/1 at http://127.0.0.1:9222',
    originEpochMs: 5,
  });
  expect(await next()).toEqual({ type: 'window-ended', window: 'before' });
  expect(await next()).toEqual({ type: 'paused', paused: false });
  client.send(JSON.stringify({ id: 1, window: null, request: { type: 'pause' } }));
  expect(await next()).toEqual({ type: 'paused', paused: true });
  expect(await next()).toEqual({ type: 'answer', id: 1, results: [null] });
  // A document that is loaded meanwhile has an observer of its own, which is paused, too.
  view.tell({ type: 'batch', batch: { window: 'new' } } as never);
  expect(await next()).toMatchObject({ type: 'batch' });
  expect(asked.at(-1)).toEqual({ window: 'new', request: { type: 'pause' } });
  client.send(JSON.stringify({ id: 2, window: 'broken', request: { type: 'flush' } }));
  expect(await next()).toEqual({ type: 'refusal', id: 2, message: 'no such window' });
  // A message that is not a valid request must not reach a page, and must not end the connection.
  for (const text of ['', '{', '[]', '{"id":3,"window":null,"request":{"type":"constructor"}}'])
    client.send(text);
  client.send(JSON.stringify({ id: 4, window: null, request: { type: 'resume', more: 1 } }));
  client.send(JSON.stringify({ id: 5, window: null, request: { type: 'resume' } }));
  expect(await next()).toEqual({ type: 'paused', paused: false });
  expect(await next()).toEqual({ type: 'answer', id: 5, results: [null] });
  expect(asked.map(({ request }) => request.type)).toEqual(['pause', 'pause', 'flush', 'resume']);
  view.tell({ type: 'batch', batch: { window: 'new' } } as never);
  expect(await next()).toMatchObject({ type: 'batch' });
  expect(asked).toHaveLength(4);
  void view.close('over');
  expect(await next()).toEqual({ type: 'end', message: 'over' });
});

test('other sites, other keys and other services are refused', async () => {
  const { origin, key } = await serve();
  const path = `${origin}/view/${key}`;
  expect(await refusal(connect(path, { origin: 'http://example.org' }))).toBe(403);
  expect(await refusal(connect(path, { origin: 'null' }))).toBe(403);
  expect(await refusal(connect(path, { headers: { host: 'example.org' } }))).toBe(403);
  expect(await refusal(connect(`${path}x`, { origin }))).toBe(404);
  expect(await refusal(connect(`${origin}/view/`, { origin }))).toBe(404);
  // This server was started without a shaper, so it has no channel for links.
  expect(await refusal(connect(`${origin}/ws`, { origin }))).toBe(503);
});

test('as many views as there are seats', async () => {
  const { origin, key } = await serve();
  const open = (): WebSocket => connect(`${origin}/view/${key}`, { origin });
  for (let n = 0; n < 8; n++) await once(open(), 'open');
  expect(await refusal(open())).toBe(503);
  clients[0]?.terminate();
  await expect
    .poll(async () => {
      const client = open();
      return Promise.race([once(client, 'open').then(() => 'open'), refusal(client)]);
    })
    .toBe('open');
});

test('the page has the policy of the app, and its scripts that of files', async () => {
  const { origin } = await serve();
  const page = await fetch(`${origin}/`);
  expect(await page.text()).toContain('src="main.js"');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const script = await fetch(`${origin}/watch_worker.js`);
  expect(script.status).toBe(200);
  expect(script.headers.get('content-security-policy')).toContain("connect-src 'self'");
});
