/**
 * The extension in Chromium. The extension is off until the user clicks its button. Then a panel shows the WebRTC
 * calls of the page.
 */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { collector, TraceReader } from '../../src/trace/index.js';
import { expect, isDrawn, streamsIn, test, type Bed } from './bed.js';

const SITE = 'http://127.0.0.1/*';
/**
 * Whether the page is observed. In an observed page, the extension leaves this property in the window, and
 * nothing else.
 */
const isObserved = (page: Page) => page.evaluate(() => Symbol.for('ccscope.extension') in globalThis);

const permitted = async ({ background }: Bed) =>
  background.evaluate(async () => (await chrome.permissions.getAll()).origins);
const registered = async ({ background }: Bed) =>
  background.evaluate(async () => (await chrome.scripting.getRegisteredContentScripts()).map(({ id }) => id));

/** Turns the extension on for the site, like a user who accepts the browser's prompt. */
async function turnOn(bed: Bed): Promise<void> {
  await bed.allow(SITE);
  await bed.click(await bed.open('plain.html?side=a&room=none'));
  await expect.poll(() => registered(bed)).toEqual([`bridge ${SITE}`, `page ${SITE}`]);
}

async function expectVideo(panel: Page, direction = 'Receives'): Promise<void> {
  await expect(streamsIn(panel).first()).toContainText(`${direction} video`);
  await expect(streamsIn(panel).first().locator('.reading')).toHaveText(/[\d.]+ [kM]bps/);
}

test('it is off until it is clicked', async ({ bed }) => {
  const { b } = await bed.call('plain.html');
  await b.waitForFunction(
    () => (globalThis as unknown as { peer: RTCPeerConnection }).peer.connectionState === 'connected',
  );
  expect(await isObserved(b)).toBe(false);
  expect(await permitted(bed)).toEqual([]);
  expect(await registered(bed)).toEqual([]);
  const tab = await bed.background.evaluate(async () => (await chrome.tabs.query({ active: true }))[0]?.id);
  const panel = await bed.openPanel(tab ?? NaN);
  await expect(panel.getByText('ccscope is not on for this page')).toBeVisible();
});

test('a click on a page with a call shows the call, from what getStats count', async ({ bed }) => {
  const { a, b } = await bed.call('plain.html');
  const tab = await bed.click(b);
  await expect
    .poll(() => bed.sidePanelText(tab))
    .toMatch(/Connection 1\s+connected[^]*Receives video[^]*bps/);
  expect(await isObserved(b)).toBe(true);
  expect(await isObserved(a), 'the other tab was not clicked').toBe(false);
  expect(await registered(bed), 'nobody has answered the question').toEqual([]);
  await expect.poll(() => bed.sidePanelText(tab)).toContain('Keep it on for this site');
});

test('a site that is on is observed from the start: m(t) is drawn from frames', async ({ bed }, info) => {
  await turnOn(bed);
  const { b } = await bed.call('plain.html');
  const tab = await bed.click(b);
  const panel = await bed.openPanel(tab);
  await expectVideo(panel);
  await expect(panel.getByText('To do:'), 'nothing is missing').toHaveCount(0);
  await expect.poll(() => isDrawn(panel, 'Overuse detector')).toBe(true);
  await expect(panel.locator('.legend', { hasText: 'NADA' }).first()).toContainText(/[\d.]+ [kM]bps/);
  await panel.screenshot({ path: info.outputPath('panel.png') });
  await panel.setViewportSize({ width: 400, height: 900 });
  await panel.screenshot({ path: info.outputPath('narrow.png') });
  await expect.poll(() => bed.sidePanelText(tab)).toMatch(/Receives video[^]*Overuse detector/);
});

test('a recording is downloaded from the panel, and nothing is stored', async ({ bed }) => {
  await turnOn(bed);
  const { b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  const recording = panel.getByRole('region', { name: 'Recording' });
  await streamsIn(panel).first().focus();
  await panel.keyboard.press('b');
  await expect(recording.getByRole('status')).toHaveText(/^Bookmark at /);
  // Waits until the recording lasts at least 5 s; statistics are recorded twice a second.
  await expect(recording.locator('.reading')).toHaveText(/^0:(0[5-9]|[1-5]\d),/);
  // The recording can be saved even after the site was turned off.
  await panel.getByRole('button', { name: 'Turn off' }).click();
  await expect(panel.getByText('ccscope is not on for this page')).toBeVisible();
  const [download] = await Promise.all([
    panel.waitForEvent('download'),
    recording.getByRole('button', { name: 'Download' }).click(),
  ]);
  const file = await readFile(await download.path());
  const { sink, trace } = collector();
  const reader = new TraceReader(sink);
  reader.push(file);
  reader.end();
  const { rows } = trace.extent();
  for (const table of ['arrival', 'group', 'throughput']) expect(rows[table], table).toBeGreaterThan(2);
  expect(file.toString()).toContain('"bookmark 1"');
  expect(file.toString(), 'addresses are aliases').not.toContain('127.0.0.1');
  const stored = await panel.evaluate(async () => {
    // A folder. The type FileSystemDirectoryHandle lacks `keys()`, which lists the names of the entries.
    type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };
    const names: string[] = [];
    for await (const name of ((await navigator.storage.getDirectory()) as Folder).keys()) names.push(name);
    return [...names, ...Object.keys(localStorage), ...(await indexedDB.databases())];
  });
  expect(stored).toEqual([]);
});

test('a sender is capped from the panel, and turning off takes that back', async ({ bed }) => {
  await turnOn(bed);
  await bed.context.addInitScript(() => {
    const { getParameters } = RTCRtpSender.prototype;
    Object.assign(globalThis, { getParameters });
  });
  const { a } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(a));
  await expectVideo(panel, 'Sends');
  /** The bitrate limits in the browser, read with the browser's own `getParameters`, not with the patched one. */
  const bound = () =>
    a.evaluate(() => {
      const { peer, getParameters } = globalThis as unknown as {
        peer: RTCPeerConnection;
        getParameters: RTCRtpSender['getParameters'];
      };
      return peer.getSenders().map((sender) => getParameters.call(sender).encodings[0]?.maxBitrate);
    });
  await panel.getByRole('spinbutton', { name: 'Cap in kbps' }).fill('150');
  await panel.getByRole('button', { name: 'Cap', exact: true }).click();
  await expect(panel.getByText('The stream is capped at 150 kbps.')).toBeVisible();
  expect(await bound()).toEqual([150_000]);
  await panel.getByRole('button', { name: 'Turn off' }).click();
  await expect.poll(bound).toEqual([undefined]);
});

test('a cap ends with the last panel of its tab, also if another tab has a panel', async ({ bed }) => {
  await turnOn(bed);
  const { a, b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(a));
  await expectVideo(panel, 'Sends');
  const other = await bed.openPanel(await bed.click(b));
  await expectVideo(other);
  await panel.getByRole('spinbutton', { name: 'Cap in kbps' }).fill('150');
  await panel.getByRole('button', { name: 'Cap', exact: true }).click();
  await expect(panel.getByText('The stream is capped at 150 kbps.')).toBeVisible();
  const bound = () =>
    a.evaluate(() =>
      (globalThis as unknown as { peer: RTCPeerConnection }).peer
        .getSenders()
        .map((sender) => sender.getParameters().encodings[0]?.maxBitrate),
    );
  await bed.closePanels(a);
  await expect.poll(bound).toEqual([undefined]);
  await expectVideo(other);
});

test('what one panel has done is shown and taken back in another', async ({ bed }) => {
  await turnOn(bed);
  const { a } = await bed.call('plain.html');
  const tab = await bed.click(a);
  const first = await bed.openPanel(tab);
  await expectVideo(first, 'Sends');
  const inForce = (panel: Page) => panel.getByRole('list', { name: 'In force' });
  await first.getByRole('spinbutton', { name: 'Cap in kbps' }).fill('150');
  await first.getByRole('button', { name: 'Cap', exact: true }).click();
  await expect(inForce(first)).toContainText('Capped at 150 kbps by ccscope');
  const second = await bed.openPanel(tab);
  await expectVideo(second, 'Sends');
  await expect(inForce(second)).toContainText('Capped at 150 kbps by ccscope');
  await second.getByRole('button', { name: 'Release cap' }).click();
  await expect(inForce(second)).toHaveCount(0);
  await first.bringToFront();
  await expect(inForce(first)).toHaveCount(0);
});

test('a click finds a connection that the page no longer uses, even if the search takes long', async ({
  bed,
}) => {
  const { a, b } = await bed.call('plain.html');
  // From then on, no candidate makes the page use its connection.
  for (const side of [a, b])
    await side.waitForFunction(() => {
      const { peer } = globalThis as unknown as { peer: RTCPeerConnection };
      return peer.connectionState === 'connected' && peer.iceGatheringState === 'complete';
    });
  await a.evaluate(() => {
    const scope = globalThis as unknown as Record<string, unknown>;
    const names = Array.from({ length: 50 }, (_, i) => `name ${i}`);
    const entry = () => Object.fromEntries(names.map((name) => [name, name]));
    // The search comes to these objects before it comes to the connection.
    scope['entries'] = Array.from({ length: 3000 }, entry);
    scope['held'] = { call: { parts: { peer: scope['peer'] } } };
    delete scope['peer'];
  });
  const panel = await bed.openPanel(await bed.click(a));
  await expectVideo(panel, 'Sends');
});

test('a page with a policy that allows next to nothing', async ({ bed }) => {
  await turnOn(bed);
  bed.server.headers = {
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'; worker-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  };
  const { b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  await expect(panel.getByText("The observer's worker could not start")).toBeVisible();
  await expect.poll(() => isDrawn(panel, 'Rates')).toBe(true);
});

test('turned off, it ends: in the panel, in the page, and when the page is loaded again', async ({ bed }) => {
  await turnOn(bed);
  const { b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  const sites = await bed.context.newPage();
  await sites.goto(bed.url('sites.html'));
  await expect(sites.getByRole('listitem')).toHaveText(/http:\/\/127\.0\.0\.1/);
  await sites.getByRole('button', { name: 'Turn off for http://127.0.0.1' }).click();
  await expect(sites.getByText('It is not turned on for any site.')).toBeVisible();
  await expect(panel.getByText('ccscope is not on for this page')).toBeVisible();
  expect(await permitted(bed)).toEqual([]);
  await expect.poll(() => registered(bed)).toEqual([]);
  await b.reload();
  expect(await isObserved(b)).toBe(false);
});

test.describe('with the cache of documents', () => {
  test.use({ lessArgs: ['--disable-back-forward-cache'] });

  const goBack = async (page: Page): Promise<void> => {
    await page.goBack({ waitUntil: 'commit' });
    await expect.poll(() => page.evaluate('globalThis.isPersisted')).toBe(true);
  };
  const goAway = async (page: Page): Promise<void> => {
    await page.evaluate(() =>
      addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { isPersisted: persisted })),
    );
    await page.goto('about:blank');
  };

  test('a document that comes back is observed again if its site is still on, and else is not', async ({
    bed,
  }) => {
    await turnOn(bed);
    const page = await bed.open('frame.html?inner=about:blank');
    const tab = await bed.click(page);
    const panel = await bed.openPanel(tab);
    await expect(panel.getByText('No connection found yet')).toBeVisible();
    await goAway(page);
    await expect(panel.getByText('ccscope is not on for this page')).toBeVisible();
    await goBack(page);
    await expect(panel.getByText('No connection found yet')).toBeVisible();
    await goAway(page);
    const sites = await bed.openPanel(tab);
    await sites.goto(bed.url('sites.html'));
    await sites.getByRole('button', { name: 'Turn off' }).click();
    await expect.poll(() => registered(bed)).toEqual([]);
    await goBack(page);
    const connect = () =>
      bed.background.evaluate(
        (id) =>
          chrome.tabs.sendMessage(id, { kind: 'connect', panel: 'of the test' }).then(
            () => 'a script of the extension is still there',
            (error: unknown) => String(error),
          ),
        tab,
      );
    await expect.poll(connect).toContain('Receiving end does not exist');
    await expect(panel.getByText('ccscope is not on for this page')).toBeVisible();
  });
});

test('turned off and clicked again without a reload, it shows the call again', async ({ bed }) => {
  const { b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  await panel.getByRole('button', { name: 'Turn off' }).click();
  await expect(panel.getByText('ccscope is not on for this page')).toBeVisible();
  await bed.click(b);
  await panel.bringToFront();
  await expectVideo(panel);
});

test('after a reload of the extension a click shows the call again, without one of the page', async ({
  bed,
}) => {
  await turnOn(bed);
  const { b } = await bed.call('plain.html');
  const before = await bed.openPanel(await bed.click(b));
  await expectVideo(before);
  await bed.reload();
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  const reading = panel.locator('.legend', { hasText: 'Received' }).first();
  const text = await reading.textContent();
  await expect(reading).not.toHaveText(text ?? '');
});

test('several panels of one tab, opened and closed one after the other', async ({ bed }) => {
  await turnOn(bed);
  const { b } = await bed.call('plain.html');
  const tab = await bed.click(b);
  const first = await bed.openPanel(tab);
  await expectVideo(first);
  const second = await bed.openPanel(tab);
  await expectVideo(second);
  // Open connections are reported again for the second panel; the first panel must not list them twice.
  await expect(first.locator('.connection')).toHaveCount(1);
  await expect(streamsIn(first)).toHaveCount(1);
  await second.close();
  await first.bringToFront();
  const reading = first.locator('.legend', { hasText: 'Received' }).first();
  const before = await reading.textContent();
  await expect(reading).not.toHaveText(before ?? '');
});

test('a call in an iframe, and the sender of a call', async ({ bed }) => {
  await turnOn(bed);
  await bed.open('plain.html?side=b');
  const outer = await bed.open(`frame.html?inner=${encodeURIComponent('plain.html?side=a')}`);
  const panel = await bed.openPanel(await bed.click(outer));
  await expectVideo(panel, 'Sends');
});

test('the page sees no exception, and nothing new but one symbol', async ({ bed }) => {
  const keys = (page: Page) =>
    page.evaluate(() =>
      Reflect.ownKeys(globalThis).map((key) =>
        typeof key === 'symbol' ? `@${String(key.description)}` : key,
      ),
    );
  const without = await keys(await bed.open('plain.html?side=a&room=without'));
  await turnOn(bed);
  const errors: string[] = [];
  bed.context.on('weberror', (each) => errors.push(String(each.error())));
  const { b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  const added = (await keys(b)).filter((key) => !without.includes(key));
  expect(added).toEqual(['@ccscope.extension']);
  expect(errors).toEqual([]);
});

test('a hostile page cannot blind the panel of a site that is on, nor get a port of its own', async ({
  bed,
}) => {
  await turnOn(bed);
  const { b } = await bed.call('plain.html');
  const panel = await bed.openPanel(await bed.click(b));
  await expectVideo(panel);
  const ports = await b.evaluate(async () => {
    let offered = 0;
    // A capturing listener on the window receives each event before the extension's listeners do.
    addEventListener('ccscope-port', () => offered++, { capture: true });
    const key = Symbol.for('ccscope.extension');
    const { [key]: meet } = globalThis as unknown as Record<symbol, () => void>;
    for (let turn = 0; turn < 20; turn++) {
      document.dispatchEvent(new Event('ccscope-port-wanted'));
      meet?.();
      // The page keeps its thread busy, to delay the extension's answers.
      for (const end = performance.now() + 100; performance.now() < end;);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    document.dispatchEvent(new Event('ccscope-port-wanted'));
    for (const end = performance.now() + 3000; performance.now() < end;);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return offered;
  });
  expect(ports).toBe(0);
  const reading = panel.locator('.legend', { hasText: 'Received' }).first();
  for (let turn = 0; turn < 3; turn++) {
    const before = await reading.textContent();
    await expect(reading).not.toHaveText(before ?? '');
  }
});

test('a hostile page gets texts to its panel, and nothing else', async ({ bed }) => {
  const page = await bed.open('plain.html?side=a&room=hostile');
  await page.evaluate(() => {
    const notice = {
      level: 'error',
      code: 'x',
      message: '<img src=x onerror=alert(1)>',
      fix: '<script>alert(1)</script>',
    };
    const messages = [
      { type: 'endpoint', endpoint: 0, timeUs: Date.now() * 1000 },
      { type: 'state', endpoint: 0, timeUs: Date.now() * 1000, state: 'connected' },
      { type: 'notice', endpoint: 0, notice },
    ];
    const batch = { window: '__proto__', url: 'javascript:alert(1)', timeUs: Date.now() * 1000, messages };
    const texts = [
      '}{',
      'null',
      '{"batch":{}}',
      JSON.stringify({ batch: { ...batch, messages: [{ type: 'frames', endpoint: 0, rows: 'all' }] } }),
      JSON.stringify({
        batch: { ...batch, messages: [{ type: 'sample', endpoint: 0, sample: { outbound: 1 } }] },
      }),
      JSON.stringify({ batch: { ...batch, url: 'x'.repeat(3_000_000) } }),
      '{"__proto__":{"polluted":1},"id":"bridge","answer":1}',
      JSON.stringify({ batch }),
    ];
    // The page listens for the request before the extension does, and answers with the page's own port.
    document.addEventListener('ccscope-port-wanted', () => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => texts.forEach((text) => port1.postMessage(text));
      document.dispatchEvent(new MessageEvent('ccscope-port', { ports: [port2] }));
    });
  });
  const panel = await bed.openPanel(await bed.click(page));
  const errors: string[] = [];
  panel.on('dialog', (dialog) => void dialog.dismiss().then(() => errors.push(dialog.message())));
  await expect(panel.getByText('<img src=x onerror=alert(1)>')).toBeVisible();
  expect(await panel.locator('img, body script').count()).toBe(0);
  expect(await panel.evaluate(() => 'polluted' in {})).toBe(false);
  expect(errors).toEqual([]);
  await expect(panel.getByRole('button', { name: 'Sites' })).toBeEnabled();
});

test.describe('with DevTools', () => {
  test.use({ moreArgs: ['--auto-open-devtools-for-tabs'] });

  test('its panel shows the call, beside the side panel', async ({ bed }) => {
    const { b } = await bed.call('plain.html');
    // When DevTools opens, it brings its page to the front. So the test first waits for all three DevTools:
    // those of the two sides and of the browser's first tab.
    await expect.poll(() => bed.devToolsTexts()).toMatch(/(not on for this page[^]*){3}/);
    const tab = await bed.click(b);
    await expect.poll(() => bed.devToolsTexts()).toMatch(/Connection 1\s+connected[^]*Receives video[^]*bps/);
    expect(await bed.sidePanelText(tab)).toContain('Receives video');
  });
});
