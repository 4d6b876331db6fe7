import { writeFileSync } from 'node:fs';

import { expect, test } from '../../../src/playwright/index.js';

test.describe.configure({ retries: 0 });

test('a worker that is killed in the middle of a call', async ({ page, link, call, browser }) => {
  await page.goto('/loop.html');
  await call.connected();
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  const said = {
    port: link.relay?.port ?? 0,
    worker: process.pid,
    browser: processInfo.find(({ type }) => type === 'browser')?.id,
  };
  writeFileSync(`${process.env['KIT_OUT'] ?? '.'}/said.json`, JSON.stringify(said));
  process.kill(process.pid, 'SIGKILL');
  expect(await new Promise(() => undefined)).toBeUndefined();
});
