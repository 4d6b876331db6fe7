/** The app without a network. It was loaded once, from a folder of a static host. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import sirv from 'sirv';

import { startServer } from '../../src/server/server.js';
import { expect, test as base } from './support.js';

/** A static host that serves the app in a folder, and that a test can shut down. */
class StaticHost {
  readonly #server: Server;
  port = 0;
  /** Requests for paths that match `late` are answered once `ready` has resolved. */
  late: RegExp | null = null;
  ready: Promise<unknown> = Promise.resolve();

  constructor(
    readonly dir: string,
    readonly folder: string,
  ) {
    const send = sirv(dir, { dev: true });
    this.#server = createServer((request, response) => {
      const { url = '/' } = request;
      if (!url.startsWith(`${folder}/`)) return void response.writeHead(404).end('Nothing is here');
      request.url = url.slice(folder.length);
      if (this.late?.test(request.url) !== true) return send(request, response);
      return void this.ready.then(() => send(request, response));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}${this.folder}/`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

const test = base.extend<{ host: StaticHost }>({
  host: async ({ served }, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'ccscope-app-'));
    cpSync(served.appDir, dir, { recursive: true });
    const host = new StaticHost(dir, '/tools/ccscope');
    await host.listen();
    await use(host);
    await host.close();
    // The host may still be opening a file for the service worker, although the connection is closed.
    process.once('exit', () => rmSync(dir, { recursive: true }));
  },
});

/** Waits until the service worker has cached the app and controls this page. */
const kept = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    const { serviceWorker } = navigator;
    await serviceWorker.ready;
    if (serviceWorker.controller === null)
      await new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve));
  });

/** Replaces the app with another version, in which every asset has another file name. */
function replaceVersion(dir: string): void {
  const assets = join(dir, 'assets');
  const names = readdirSync(assets);
  const renamed = new Map(names.map((name) => [name, name.replace(/-([\w-]{8})\./, '-2$1.')]));
  const rename = (text: string): string =>
    text.replaceAll(/[\w.-]+-[\w-]{8}\.(?:js|css|wasm)\b/g, (name) => renamed.get(name) ?? name);
  for (const name of names) {
    const file = join(assets, name);
    if (/\.(js|css)$/.test(name)) writeFileSync(file, rename(readFileSync(file, 'utf8')));
    renameSync(file, join(assets, renamed.get(name) ?? name));
  }
  for (const name of readdirSync(dir).filter((each) => /\.(html|js)$/.test(each)))
    writeFileSync(join(dir, name), rename(readFileSync(join(dir, name), 'utf8')));
  const worker = join(dir, 'service_worker.js');
  writeFileSync(worker, readFileSync(worker, 'utf8').replaceAll('revision:"', 'revision:"2'));
}

const scriptOf = (page: Page): Promise<string | null> =>
  page.locator('script[type=module][src]').getAttribute('src');

test('after one load all pages work without their host', async ({ page, scope, host }) => {
  await page.goto(`${host.url}?theme=light`);
  await kept(page);
  await host.close();
  await expect(page.evaluate((url) => fetch(url), `${host.url}nowhere.txt`)).rejects.toThrow();

  await page.reload();
  await scope.start();
  await scope.groups(20);
  await expect(page.getByText('There is no local server here')).toBeVisible();
  await scope.stop();

  await page.goto(`${host.url}lab.html?scenario=ton-fig11&run=1`);
  await expect(page.getByRole('status')).toHaveText('Done');
  await page.getByRole('listbox', { name: 'Scenario' }).selectOption('rmcat-5.1');
  await expect(page.locator('.provenance')).toContainText('rmcat-5.1');
  await expect(page.getByRole('status')).toHaveText('Done');

  await page.goto(`${host.url}lessons.html?lesson=rate-controller`);
  await page.getByRole('button', { name: 'Show without predicting' }).click();
  await expect(page.getByRole('table', { name: 'What was tried' }).getByRole('row')).toHaveCount(2);
  await expect(page.locator('figure.chart canvas').first()).toBeVisible();

  await page.goto(`${host.url}papers.html?scenario=cmp-table1&run=1`);
  await expect(page.getByRole('status')).toHaveText('Done', { timeout: 60_000 });
  await expect(page.locator('.canvas canvas').first()).toBeVisible();

  // For the address of a page that never existed, the service worker must not answer with some other page.
  await expect(page.goto(`${host.url}nowhere.html`)).rejects.toThrow();
});

test('a new version breaks no running page, and is there at the next load', async ({ page, host }) => {
  await page.goto(`${host.url}lab.html?scenario=ton-fig11&run=1`);
  await kept(page);
  await expect(page.getByRole('status')).toHaveText('Done');
  const before = await scriptOf(page);
  replaceVersion(host.dir);
  // The page itself looks for a new version when it becomes visible again.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByText('There is a newer version of ccscope.')).toBeVisible();
  // The code for equations and for SVG is loaded only now, under names that the host no longer has.
  await page.getByRole('button', { name: 'Packets and equations' }).click();
  await expect(page.locator('.equations math').first()).toBeVisible();
  const [drawing] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'SVG of Rates' }).click(),
  ]);
  expect(readFileSync(await drawing.path(), 'utf8')).toContain('<svg');
  expect(await scriptOf(page)).toBe(before);

  await page.getByRole('button', { name: 'Reload now' }).click();
  await expect(page.locator('script[type=module][src]')).not.toHaveAttribute('src', before ?? '');
  await expect(page.getByRole('banner').getByRole('status')).toHaveText('Done');
  await expect(page.getByText('There is a newer version of ccscope.')).toHaveCount(0);
  // Once the pages of the old version are closed, the new version replaces it in the cache.
  const after = await scriptOf(page);
  const context = page.context();
  await page.close();
  const next = await context.newPage();
  // This page is outside the folder, so it does not belong to the app.
  await next.goto(new URL('/', host.url).href);
  const waiting = () =>
    next.evaluate(
      async (url) => (await navigator.serviceWorker.getRegistration(url))?.waiting ?? null,
      host.url,
    );
  await expect.poll(waiting).toBeNull();
  await host.close();
  await next.goto(`${host.url}lab.html`);
  await expect(next.getByRole('status')).toHaveText('Done');
  expect(await scriptOf(next)).toBe(after);
});

test('a new version appears on a slow network, too, as does a file that is not kept', async ({
  page,
  host,
}) => {
  await page.goto(`${host.url}lessons.html`);
  await kept(page);
  const before = await scriptOf(page);
  replaceVersion(host.dir);
  writeFileSync(join(host.dir, 'late.txt'), 'Here at last');
  // Longer than the service worker waits before it answers with a stored file.
  host.ready = new Promise((resolve) => setTimeout(resolve, 7000));
  host.late = /^\/(assets\/|late\.txt)/;
  // The file is asked for while the page waits for its assets.
  await page.reload({ waitUntil: 'commit' });
  const late = await page.evaluate(async (url) => {
    const answer = await fetch(url);
    return [answer.status, await answer.text()];
  }, `${host.url}late.txt`);
  expect(late).toEqual([200, 'Here at last']);
  await expect(page.locator('main')).toBeVisible();
  expect(await scriptOf(page)).not.toBe(before);
});

test('the local server’s pages are not kept, and forget what a static host left', async ({
  page,
  served,
}) => {
  const host = new StaticHost(served.appDir, '');
  await host.listen();
  const { port, url } = host;
  await page.goto(url);
  await kept(page);
  await host.close();
  const server = await startServer({ port, appDir: served.appDir });
  try {
    await page.goto(url);
    await expect(page.getByRole('status')).toHaveText('No call');
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
      .toBe(0);
  } finally {
    await server.close();
  }
});

test('Chromium finds the app installable', async ({ page, host }) => {
  await page.goto(`${host.url}lab.html`);
  const session = await page.context().newCDPSession(page);
  const { url, errors, data = '' } = await session.send('Page.getAppManifest');
  expect(url).toBe(`${host.url}manifest.webmanifest`);
  expect(errors).toEqual([]);
  const { icons } = JSON.parse(data) as { icons: { src: string; purpose?: string }[] };
  expect(icons.map(({ purpose }) => purpose)).toContain('maskable');
  for (const { src } of icons) expect((await page.request.get(new URL(src, url).href)).status()).toBe(200);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // Tests run in an incognito-like profile, in which nothing can be installed; this error is expected.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
});
