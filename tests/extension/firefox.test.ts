/**
 * The extension in Firefox: a click opens the sidebar, the injected script starts, and the panel draws
 * charts. The panel in DevTools shows the call, too.
 */
import { writeFileSync } from 'node:fs';

import { expect, test } from '@playwright/test';
import type { Page } from 'puppeteer-core';

import { findFirefox } from '../../scripts/lib/tools.mjs';
import { lightTheme } from '../../src/charts/theme.js';
import { startTestServer } from '../kit/server.js';
import { openFirefox } from './firefox_bed.js';

const firefox = findFirefox();
test.skip(
  firefox === undefined,
  'There is no Firefox here: install it (on Debian: apt-get install firefox-esr), or let CCSCOPE_FIREFOX name one.',
);

const isObserved = (page: Page) => page.evaluate(() => Symbol.for('ccscope.extension') in globalThis);
/**
 * The light theme's colour for two lines: the received rate, and m (the delay gradient that GCC's Kalman filter
 * estimates).
 */
const LINE = lightTheme.colours.green.slice(1);

test('a click turns it on; the sidebar and a panel show the call', async ({}, info) => {
  const server = await startTestServer();
  const bed = await openFirefox(firefox ?? '');
  try {
    const a = await bed.open(`${server.url}/plain.html?side=a`);
    const b = await bed.open(`${server.url}/plain.html?side=b`);
    expect(await isObserved(b), 'off by default').toBe(false);
    const tab = await bed.click();
    await expect.poll(() => isObserved(b)).toBe(true);
    await expect.poll(async () => (await bed.sidebar(LINE)).isOpen).toBe(true);
    // After a reload, the site is observed from the start of the document.
    await b.reload();
    await a.reload();
    expect(await isObserved(b)).toBe(true);
    await b.bringToFront();
    // Scripts cannot access the sidebar, so the test counts its pixels. In the legends, only two dashes of at most
    // 16 by 3 pixels have the colour LINE; all other pixels of this colour belong to lines in charts.
    await expect.poll(async () => (await bed.sidebar(LINE)).pixels).toBeGreaterThan(2 * 16 * 3);
    writeFileSync(info.outputPath('sidebar.png'), Buffer.from((await bed.sidebar(LINE)).png, 'base64'));
    const panel = await bed.openOwn(`panel.html?tab=${tab}`);
    const text = () => bed.inOwn(panel, 'document.body.innerText');
    await expect.poll(text).toMatch(/Receives video[^]*[kM]bps[^]*Overuse detector/);
    const drawn = () =>
      bed.inOwn(
        panel,
        `[...document.querySelectorAll('figure.chart')].filter((chart) => {
          const canvas = chart.querySelector('canvas');
          const data = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data ?? [];
          return new Set(new Uint32Array(data.buffer)).size > 8;
        }).length`,
      );
    await expect.poll(drawn).toBeGreaterThanOrEqual(3);
    await bed.inOwn(
      panel,
      `[...document.querySelectorAll('button')].find((each) => each.textContent === 'Turn off').click()`,
    );
    await expect.poll(text).toContain('ccscope is not on for this page');
    await b.reload();
    expect(await isObserved(b)).toBe(false);
  } finally {
    await bed.close();
    await server.close();
  }
});

test('what was done to a call is taken back when the extension is removed', async () => {
  const server = await startTestServer();
  const bed = await openFirefox(firefox ?? '');
  try {
    await bed.open(`${server.url}/plain.html?side=b`);
    const a = await bed.open(`${server.url}/plain.html?side=a`);
    // The script of the page's world changes this method, so the test keeps the browser's own.
    await a.evaluate(() => Object.assign(globalThis, { own: RTCRtpSender.prototype.getParameters }));
    const bound = () =>
      a.evaluate(() => {
        const { peer, own } = globalThis as unknown as {
          peer: RTCPeerConnection;
          own: RTCRtpSender['getParameters'];
        };
        return peer.getSenders().map((sender) => own.call(sender).encodings[0]?.maxBitrate ?? null);
      });
    const panel = await bed.openOwn(`panel.html?tab=${await bed.click()}`);
    const press = (text: string) =>
      bed.inOwn(
        panel,
        `[...document.querySelectorAll('button')].find((each) => each.textContent === '${text}')?.click()`,
      );
    await expect
      .poll(async () => {
        await press('Cap');
        return bound();
      })
      .not.toEqual([null]);
    await bed.remove();
    await expect.poll(bound).toEqual([null]);
  } finally {
    await bed.close();
    await server.close();
  }
});

test('the panel in DevTools shows the call, and the next document of its tab', async () => {
  const server = await startTestServer();
  const bed = await openFirefox(firefox ?? '', { backgroundIdleMs: 1000 });
  try {
    const a = await bed.open(`${server.url}/plain.html?side=a`);
    const b = await bed.open(`${server.url}/plain.html?side=b`);
    await bed.openDevtools();
    await expect.poll(() => bed.devtoolsText()).toContain('ccscope is not on for this page');
    await bed.click();
    await expect.poll(() => isObserved(b)).toBe(true);
    await expect.poll(() => bed.devtoolsText()).toContain('http://127.0.0.1');
    await b.reload();
    await a.reload();
    await b.bringToFront();
    const sees = /Receives video[^]*[kM]bps[^]*Overuse detector/;
    await expect.poll(() => bed.devtoolsText()).toMatch(sees);
    // The first connection ended with the document that was reloaded. The second one stays, since messages keep
    // Firefox from suspending the background script.
    const recordedS = async () => {
      const [, minutes, seconds] = /(\d+):(\d\d), /.exec(await bed.devtoolsText()) ?? [];
      return Number(minutes) * 60 + Number(seconds);
    };
    const recordedFirstS = await recordedS();
    await expect.poll(recordedS).toBeGreaterThan(recordedFirstS + 2);
    expect(await bed.devtoolsText()).toContain('Connection 2');
    // If Firefox suspends it all the same, the panel takes up the call again.
    await bed.suspendBackground();
    await expect.poll(() => bed.devtoolsText()).toMatch(/Connection 3[^]*Receives video[^]*Overuse detector/);
  } finally {
    await bed.close();
    await server.close();
  }
});
