/** The local server serves the documentation at /docs/, from a separate folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { startServer, type LocalServer } from '../../src/server/server.js';

const folder = mkdtempSync(join(tmpdir(), 'ccscope-docs-'));
let server: LocalServer;
beforeAll(async () => {
  for (const [name, text] of [
    ['app', '<title>app</title>'],
    ['docs', '<title>docs</title>'],
    ['docs/wasm', '<title>wasm</title>'],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'index.html'), text);
  }
  server = await startServer({ appDir: join(folder, 'app'), docsDir: join(folder, 'docs') });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string) => fetch(new URL(path, server.url), { redirect: 'manual' });

it('serves both folders, each under its own address', async () => {
  expect(await (await get('/')).text()).toContain('app');
  expect(await (await get('/docs/')).text()).toContain('docs');
  expect(await (await get('/docs/wasm/')).text()).toContain('wasm');
  expect((await get('/docs/none.html')).status).toBe(404);
  expect((await get('/docs/..%2fapp/index.html')).status).toBe(404);
});

it('leads from /docs to /docs/', async () => {
  const answer = await get('/docs');
  expect(answer.status).toBe(301);
  expect(answer.headers.get('location')).toBe('/docs/');
});

it('leaves the policy to the pages, except for who may frame them', async () => {
  expect((await get('/docs/')).headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
});

it('has no documentation where none was named', async () => {
  const plain = await startServer({ appDir: join(folder, 'app') });
  expect((await fetch(new URL('/docs/', plain.url))).status).toBe(404);
  await plain.close();
});
