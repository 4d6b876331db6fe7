/** The pages' Content Security Policies: the pages still work, and injected code does not run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Page } from '@playwright/test';

import { standalonePage } from '../../src/html/document.js';
import { html, Html } from '../../src/html/text.js';
import { compileController } from '../support/compile_controller.js';
import { expect, pressRun, test as base } from './support.js';

declare global {
  interface Window {
    violations: string[];
    injected?: boolean;
  }
}

const own = (before: string, targetBps = '400e3'): Buffer =>
  Buffer.from(`${before}
    export default {
      name: 'mine',
      createReceiver: () => ({ onArrival: (a) => [a.sizeBytes] }),
      createSender: () => ({ onFeedback() {}, rate: () => ({ targetBps: ${targetBps} }) }),
    };`);

/** The violations of a page's policy. Workers report their violations only on the console. */
const test = base.extend<{ violations: () => Promise<string[]> }>({
  violations: async ({ page }, use) => {
    const told: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) told.push(message.text());
    });
    await page.addInitScript(() => {
      window.violations = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        window.violations.push(`${effectiveDirective} ${blockedURI}`),
      );
    });
    await use(async () => [...told, ...(await page.evaluate(() => window.violations))]);
  },
});

/** Inserts an inline script and an inline event handler, as an attacker would. */
async function inject(page: Page): Promise<void> {
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.injected = true">');
  });
  await expect.poll(() => page.evaluate(() => window.violations.length)).toBeGreaterThan(1);
  expect(await page.evaluate(() => window.injected)).toBeUndefined();
}

for (const [host, address] of [
  ['the local server', 'url'],
  ['a static host', 'staticUrl'],
] as const)
  for (const file of ['', 'lab.html', 'lessons.html', 'papers.html'])
    test(`an inline script does not run in /${file} of ${host}`, async ({ page, served, violations }) => {
      await page.goto(`${served[address]}${file}`);
      await expect(page.getByRole('banner')).toBeVisible();
      expect(await violations()).toEqual([]);
      await inject(page);
    });

test('a call, a shadow and controllers of the user keep within the policy', async ({
  page,
  served,
  scope,
  violations,
}) => {
  await page.goto(served.url);
  await scope.start();
  await scope.groups(30);
  await page.locator('input[name=shadow][value="nada"]').check();
  await expect(scope.value('NADA')).toHaveText(/bps$/);
  await page.locator('input[name=own-controller]').setInputFiles({
    name: 'mine.mjs',
    mimeType: 'text/javascript',
    buffer: own(''),
  });
  await expect(page.getByText('mine.mjs in control')).toBeVisible();
  await page.locator('input[name=own-controller]').setInputFiles({
    name: 'aimd.wasm',
    mimeType: 'application/wasm',
    buffer: compileController('public/controllers/aimd.c'),
  });
  await expect(page.getByText('aimd.wasm in control')).toBeVisible();
  expect(await violations()).toEqual([]);
});

test('a controller of the user reaches its server and no other', async ({ page, served, scope }) => {
  const reached: string[] = [];
  const other = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' }).end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  // The controller makes two requests. For each blocked request, its target grows by 50 kbps.
  const buffer = own(
    `let refused = 0;
    const count = () => (refused += 1);
    fetch('${there}/fetched').catch(count);
    import('${there}/imported').catch(count);`,
    '400e3 + refused * 50e3',
  );
  await page.goto(served.url);
  await page.locator('input[name=own-controller]').setInputFiles({
    name: 'mine.mjs',
    mimeType: 'text/javascript',
    buffer,
  });
  await scope.start();
  await expect(scope.value('Target')).toHaveText('500 kbps');
  expect(reached).toEqual([]);
  other.close();
});

test('no page shows ours in a frame', async ({ page, served }) => {
  const other = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${served.url}"></iframe>`),
  );
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const answer = page.waitForResponse((response) => response.url() === served.url);
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  expect((await answer).status()).toBe(403);
  other.closeAllConnections();
  other.close();
});

test('the Lab runs within the policy', async ({ page, served, violations }) => {
  await page.goto(`${served.url}lab.html?scenario=ton-fig11&cell.queue=350ms&cell.capacity=1mbps&seed=4`);
  await pressRun(page);
  await expect(page.getByRole('status')).toHaveText('Done');
  expect(await violations()).toEqual([]);
});

test('the evidence page runs its script, and no other', async ({ page, violations }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-'));
  const file = join(folder, 'page.html');
  const main = html`${new Html('<script>window.injected = true</script>')}`;
  const data = { id: 'charts', value: {} };
  writeFileSync(file, standalonePage({ name: 'evidence', title: 'T', meta: '', main, data }));
  await page.goto(pathToFileURL(file).href);
  await expect(page.locator('html[data-drawn]')).toBeAttached();
  expect(await page.evaluate(() => window.injected)).toBeUndefined();
  expect(await page.evaluate(() => window.violations)).toEqual(['script-src-elem inline']);
  expect(await violations()).toHaveLength(2);
  rmSync(folder, { recursive: true });
});
