// `node scripts/draw_pictures.mjs`: takes the screenshots of the Call page and the Lab for the documents
// (public/screenshot.png and public/lab.png), from the built app. The call is a real one, so run this while the
// machine does nothing else.
import { chromium } from 'playwright-core';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { fail, say } from './lib/run.mjs';
import { findChromium } from './lib/tools.mjs';

/** The capacity falls and rises again; the screenshot is taken when the charts show both changes. */
const CALL = 'capacity=1.5mbps,0.8mbps@14s,1.5mbps@24s&autostart=1';
const CALL_TAKEN_AT_S = 34;
const LAB = 'lab.html?scenario=ton-fig13&run=1';

async function draw() {
  await build({ app: true });
  const { startServer } = await import('../dist/lib/node.js');
  const { CHROMIUM_FLAGS } = await import('../dist/lib/command_line/call/chromium.js');
  const server = await startServer({ port: 0, appDir: inRoot('dist/app') });
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    ignoreDefaultArgs: ['--headless', '--headless=old'],
    args: [...CHROMIUM_FLAGS, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  const open = async (address) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 1000 }, colorScheme: 'dark' });
    await page.goto(`${server.url}${address}`);
    return page;
  };
  try {
    say(`A call of ${CALL_TAKEN_AT_S} s …`);
    const call = await open(`?${CALL}`);
    await call.waitForFunction(
      (atS) => (window.ccscope?.state().connectedForS ?? 0) >= atS,
      CALL_TAKEN_AT_S,
      { timeout: CALL_TAKEN_AT_S * 3000 },
    );
    await call.screenshot({ path: inRoot('public/screenshot.png') });
    await call.close();
    say('The Lab …');
    const lab = await open(LAB);
    await lab.getByRole('status').first().getByText('Done').waitFor();
    await lab.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await lab.screenshot({ path: inRoot('public/lab.png') });
  } finally {
    await browser.close();
    await server.close();
  }
}

await draw().catch(fail);
