/** The overlay over a page with a call: it is accessible, and does not change the page. */
import { readFile } from 'node:fs/promises';
import { expect, test, type Download, type Locator, type Page } from '@playwright/test';

import { collector, TraceReader } from '../../src/trace/index.js';
import { accessibilityFaults } from '../support/axe.js';
import { awaitRate, openCall, openPage, PAGE_URL, putScript, sentBps } from './overlay_support.js';

const overlay = (page: Page): Locator => page.locator('ccscope-overlay');
const dialog = (page: Page): Locator => page.getByRole('dialog', { name: /ccscope/ });
/** The result of the latest action. */
const result = (page: Page): Locator => overlay(page).locator('.actions').getByRole('status');
const button = (page: Page, name: string | RegExp): Locator => overlay(page).getByRole('button', { name });

const boxOf = async (locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> => {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not to be seen');
  return box;
};

/** Clicks Detach. If the overlay asks whether to delete a longer recording, confirms it. */
async function detach(page: Page): Promise<void> {
  await button(page, 'Detach').click();
  const anyway = button(page, 'Delete it and detach');
  await expect(async () => {
    if (await anyway.isVisible()) await anyway.click();
    await expect(overlay(page)).toHaveCount(0);
  }).toPass();
}

/** Opens a page with a call. In the overlay, opens the stream that the page sends. */
async function openOverlay(page: Page, rids: string[] = []): Promise<void> {
  await openCall(page, { script: 'ccscope', rids });
  await overlay(page)
    .getByRole('button', { name: rids.length === 0 ? /Sends video/ : `Layer ${rids[0] ?? ''}` })
    .click();
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing in the ${colorScheme} theme, open or collapsed`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openOverlay(page, ['q', 'h']);
    await button(page, 'Cap').click();
    await expect(overlay(page).getByText(/capped at 500 kbps by ccscope/i)).toBeVisible();
    expect(await accessibilityFaults(page, 'ccscope-overlay')).toEqual([]);
    await button(page, /Receives video/)
      .first()
      .click();
    await expect(overlay(page).getByRole('spinbutton', { name: /Playout delay/ })).toBeVisible();
    expect(await accessibilityFaults(page, 'ccscope-overlay')).toEqual([]);
    await page.setViewportSize({ width: 400, height: 700 });
    expect(await accessibilityFaults(page, 'ccscope-overlay')).toEqual([]);
    await button(page, 'Collapse').click();
    await expect(dialog(page)).toHaveCount(0);
    expect(await accessibilityFaults(page, 'ccscope-overlay')).toEqual([]);
  });

test('a call is capped, released and freed by the overlay’s own buttons', async ({ page }) => {
  await openOverlay(page);
  await awaitRate(page, 400e3);
  const field = overlay(page).getByRole('spinbutton', { name: 'Cap in kbps' });
  await field.fill('150');
  await button(page, 'Cap').click();
  await expect(result(page)).toHaveText('The stream is capped at 150 kbps.');
  await expect(overlay(page).getByRole('list', { name: 'In force' })).toContainText(
    'Capped at 150 kbps by ccscope',
  );
  await expect.poll(() => sentBps(page)).toBeLessThan(200e3);
  await button(page, 'Release cap').click();
  await expect(overlay(page).getByRole('list', { name: 'In force' })).toHaveCount(0);
  await awaitRate(page, 400e3);
  await button(page, 'Cap').click();
  await expect.poll(() => sentBps(page)).toBeLessThan(200e3);
  await detach(page);
  await awaitRate(page, 400e3);
  const bound = await page.evaluate(() =>
    window.call.getParameters.call(window.call.sender).encodings.map(({ maxBitrate }) => maxBitrate),
  );
  expect(bound).toEqual([undefined]);
});

test('a controller bounds the sender until it is released, or the watch is gone', async ({ page }) => {
  await openOverlay(page);
  await awaitRate(page, 200e3);
  const bound = (): Promise<number | undefined> =>
    page.evaluate(() => window.call.getParameters.call(window.call.sender).encodings[0]?.maxBitrate);
  await button(page, 'Drive with GCC').click();
  await expect(result(page)).toHaveText(/^GCC bounds the rate, at .* now\.$/);
  await expect(overlay(page).getByRole('list', { name: 'In force' })).toContainText(
    "Bounded by ccscope's GCC",
  );
  const first = await bound();
  expect(first).toBeGreaterThanOrEqual(30e3);
  // The controller keeps changing the bound.
  await expect.poll(bound).not.toBe(first);
  await button(page, 'Release drive').click();
  await expect(overlay(page).getByRole('list', { name: 'In force' })).toHaveCount(0);
  await expect.poll(bound).toBeUndefined();
  await button(page, 'Drive with GCC').click();
  await expect.poll(bound).toBeGreaterThan(0);
  await detach(page);
  await expect.poll(bound).toBeUndefined();
});

test('a drive that is begun twice and released once does not come back', async ({ page }) => {
  await openOverlay(page);
  await awaitRate(page, 200e3);
  const bound = (): Promise<number | undefined> =>
    page.evaluate(() => window.call.getParameters.call(window.call.sender).encodings[0]?.maxBitrate);
  for (const _ of ['once', 'again']) {
    await button(page, 'Drive with GCC').click();
    await expect(result(page)).toHaveText(/^GCC bounds the rate/);
  }
  for (let turn = 0; turn < 5; turn++) {
    await button(page, 'Release drive').click();
    await expect.poll(bound).toBeUndefined();
    // Checks for a second. A limit that was still pending would be applied within this time.
    for (let look = 0; look < 10; look++) {
      await page.waitForTimeout(100);
      expect(await bound()).toBeUndefined();
    }
    await button(page, 'Drive with GCC').click();
    await expect.poll(bound).toBeGreaterThan(0);
  }
});

/** Reads a downloaded file as a trace. */
async function traceOf(download: Download): Promise<{ header: string; rows: number; bookmarks: unknown[] }> {
  const file = await readFile(await download.path());
  const { sink, trace } = collector();
  const reader = new TraceReader(sink);
  reader.push(file);
  reader.end();
  const { rows } = trace.extent();
  const lines = file.toString().split('\n');
  const events = lines
    .filter((line) => line.includes('"bookmark"'))
    .map((line) => JSON.parse(line) as unknown);
  return { header: lines[0] ?? '', rows: rows['throughput'] ?? 0, bookmarks: events };
}

test('the recording is downloaded, with the bookmarks of the key b, and is not lost without a question', async ({
  page,
}) => {
  await openOverlay(page);
  const recording = overlay(page).getByRole('region', { name: 'Recording' });
  const isLong = async (): Promise<boolean> =>
    /0:[1-5]\d,/.test((await recording.locator('.reading').textContent()) ?? '');
  await button(page, /Sends video/).focus();
  await page.keyboard.press('b');
  await expect(recording.getByRole('status')).toHaveText(/^Bookmark at 0:\d\d\.$/);
  // In a text field, the shortcut `b` is just a letter.
  await recording.getByPlaceholder('what happened').fill('');
  await recording.getByPlaceholder('what happened').pressSequentially('bad sound');
  await page.keyboard.press('Enter');
  await expect(recording.locator('.reading')).toContainText('2 bookmarks');
  await expect.poll(isLong).toBe(true);
  // A second click is not an answer.
  await button(page, 'Detach').dblclick();
  const question = overlay(page).getByRole('alertdialog');
  await expect(question).toContainText('Detaching deletes the recording');
  await expect(question).toBeFocused();
  await button(page, /^Detach$/).press('Enter');
  await expect(question).toBeFocused();
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toHaveCount(0);
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
  expect(download.suggestedFilename()).toMatch(/^ccscope-.*\.ndjson$/);
  const { header, rows, bookmarks } = await traceOf(download);
  expect(header).toContain('"source":"inject"');
  expect(rows).toBeGreaterThan(10);
  expect(bookmarks).toMatchObject([{ detail: { text: 'bookmark 1' } }, { detail: { text: 'bad sound' } }]);
  // After a download, Detach does not ask whether to delete the recording.
  await button(page, 'Detach').click();
  await expect(overlay(page)).toHaveCount(0);
});

test('why it dropped can still be read when the call has ended', async ({ page }) => {
  await openOverlay(page);
  // A fall is measured against the rate of the seconds before it, so the call first runs for ten seconds.
  await awaitRate(page, 400e3);
  const recording = overlay(page).getByRole('region', { name: 'Recording' });
  await expect(recording.locator('.reading')).toHaveText(/^(0:[1-5]\d|[1-9]\d*:\d\d),/);
  await overlay(page).getByRole('spinbutton', { name: 'Cap in kbps' }).fill('100');
  await button(page, 'Cap').click();
  const incident = overlay(page).getByRole('region', { name: 'Why did it drop?' }).locator('.cause').first();
  await expect(incident).toBeVisible();
  await page.evaluate(() => {
    window.call.caller.close();
    window.call.callee.close();
  });
  await expect(overlay(page).getByText('All connections are closed.')).toBeVisible();
  await expect(button(page, /Sends video/)).toHaveCount(0);
  await expect(incident).toBeVisible();
  await expect(button(page, 'Download')).toBeEnabled();
});

test('layers of simulcast are one group, and are switched one by one', async ({ page }) => {
  await openOverlay(page, ['q', 'h']);
  await expect(overlay(page).getByText(/simulcast, 2 layers/)).toBeVisible();
  const toggle = overlay(page).getByRole('switch', { name: /^q:/ });
  await expect(toggle).toBeChecked();
  await awaitRate(page, 10e3, 'q');
  await toggle.click();
  await expect(toggle).not.toBeChecked();
  await expect.poll(() => sentBps(page, 'q')).toBe(0);
  await expect(overlay(page).getByRole('button', { name: /^Layer q not sent/ })).toBeVisible();
});

test('layers of one stream are told at both ends (webrtc-svc), and upper ones are marked', async ({
  page,
}) => {
  await openCall(page, { script: 'ccscope', scalabilityMode: 'L2T3' });
  const layers = overlay(page).getByRole('row', { name: /^Layers \(L2T3\) 2 spatial and 3 temporal layers/ });
  await button(page, /Sends video/).click();
  await expect(layers).toBeVisible();
  await button(page, /Receives video/).click();
  await expect(overlay(page).getByRole('spinbutton', { name: /Playout delay/ })).toBeVisible();
  await expect(layers).toBeVisible();
  const upper = overlay(page)
    .locator('figure.delays')
    .getByRole('button', { name: /Upper layers/ });
  await expect(upper.locator('.reading')).toHaveText(/ms$/);
});

test('numbers of a stream have names and units, and audio stands beside video', async ({ page }) => {
  await openOverlay(page);
  const row = (name: string): Locator => overlay(page).getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(row('Encode time per frame')).toContainText(/\d ms/);
  await expect(row("Encoder's target")).toContainText(/\d [kM]bps/);
  await button(page, /Sends audio/).click();
  await expect(row('Round trip')).toContainText(/\d ms/);
  await expect(row('Encode time per frame')).toHaveCount(0);
});

test('the window is moved, resized and collapsed by pointer', async ({ page }) => {
  await openOverlay(page);
  const before = await boxOf(dialog(page));
  const grip = await boxOf(overlay(page).getByText('ccscope', { exact: true }));
  await page.mouse.move(grip.x + 4, grip.y + 4);
  await page.mouse.down();
  await page.mouse.move(grip.x - 96, grip.y - 36, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => boxOf(dialog(page))).toEqual({ ...before, x: before.x - 100, y: before.y - 40 });
  const moved = await boxOf(dialog(page));
  await page.mouse.move(moved.x + 3, moved.y + 3);
  await page.mouse.down();
  await page.mouse.move(moved.x + 103, moved.y + 53, { steps: 4 });
  await page.mouse.up();
  const [right, bottom] = [moved.x + moved.width, moved.y + moved.height];
  const resized = { x: moved.x + 100, y: moved.y + 50, width: moved.width - 100, height: moved.height - 50 };
  await expect.poll(() => boxOf(dialog(page))).toEqual(resized);
  expect([resized.x + resized.width, resized.y + resized.height]).toEqual([right, bottom]);
  await button(page, 'Collapse').click();
  const pill = button(page, /^ccscope/);
  const at = await boxOf(pill);
  await page.mouse.move(at.x + 10, at.y + 10);
  await page.mouse.down();
  await page.mouse.move(at.x - 190, at.y - 90, { steps: 4 });
  await page.mouse.up();
  // A drag moves the collapsed overlay, and leaves it collapsed. A click opens it.
  await expect.poll(async () => (await boxOf(pill)).y).toBe(at.y - 100);
  await pill.click();
  await expect(dialog(page)).toBeVisible();
});

test('the window is moved, resized, collapsed and opened by key, and the focus goes along', async ({
  page,
}) => {
  await openOverlay(page);
  const focusedName = (): Promise<string> =>
    page.evaluate(() => {
      const focused = document.activeElement?.shadowRoot?.activeElement;
      const label = focused instanceof HTMLInputElement ? focused.labels?.[0] : focused;
      return focused?.getAttribute('aria-label') ?? label?.textContent.trim() ?? '';
    });
  await button(page, /^Move the window/).focus();
  const before = await boxOf(dialog(page));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => boxOf(dialog(page))).toEqual({ ...before, x: before.x - 24, y: before.y - 24 });
  await page.keyboard.press('Tab');
  expect(await focusedName()).toMatch(/^Resize/);
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await boxOf(dialog(page))).width).toBe(before.width - 24);
  const order: string[] = [];
  for (let i = 0; i < 9; i++) {
    await page.keyboard.press('Tab');
    order.push((await focusedName()).replace(/ .*/, ''));
  }
  const recording = ['Download', 'with', 'Bookmark', 'Add'];
  expect(order).toEqual(['Collapse', 'Detach', ...recording, '▲', '▲', '▼']);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect.poll(focusedName).toMatch(/^ccscope/);
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await expect.poll(focusedName).toBe('Collapse');
});

test('a narrow window has one column, and the overlay stays inside it', async ({ page }) => {
  await openOverlay(page);
  await page.setViewportSize({ width: 400, height: 700 });
  await expect.poll(async () => (await boxOf(dialog(page))).width).toBeLessThanOrEqual(400);
  const box = await boxOf(dialog(page));
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(400);
  const streams = await boxOf(overlay(page).getByRole('navigation'));
  const toolbar = await boxOf(overlay(page).getByRole('toolbar'));
  expect(toolbar.y).toBeGreaterThanOrEqual(streams.y + streams.height);
  expect(Math.abs(toolbar.x - streams.x)).toBeLessThan(2);
});

test('what is typed into the overlay does not reach the page', async ({ page }) => {
  await openOverlay(page);
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window.call, { heard });
    for (const type of ['keydown', 'keyup', 'input', 'click', 'pointerdown', 'wheel'])
      document.addEventListener(type, () => heard.push(type));
  });
  const field = overlay(page).getByRole('spinbutton', { name: 'Cap in kbps' });
  await field.click();
  await field.pressSequentially('7');
  const heard = (): Promise<string[]> =>
    page.evaluate(() => (window.call as unknown as { heard: string[] }).heard);
  expect(await heard()).toEqual([]);
  await button(page, 'Collapse').click();
  await page.getByRole('button', { name: 'Hang up' }).click();
  expect(await heard()).toEqual(['pointerdown', 'click']);
});

/**
 * The positions and styles of the page's own elements, the page's size, and the names of the window's
 * properties.
 */
const outline = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll('html, body, body *')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const { font, color, backgroundColor } = getComputedStyle(element);
      return [element.localName, x, y, width, height, font, color, backgroundColor].join(' ');
    });
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { boxes, scrollWidth, scrollHeight, names: Object.getOwnPropertyNames(window).sort() };
  });

test('the page looks the same with the overlay, and has nothing new but one symbol and one element', async ({
  page,
}) => {
  await openPage(page);
  const before = await outline(page);
  const symbols = (): Promise<string[]> =>
    page.evaluate(() => Object.getOwnPropertySymbols(window).map((symbol) => String(symbol)));
  const symbolsBefore = await symbols();
  await putScript(page);
  await expect(dialog(page)).toBeVisible();
  expect(await outline(page)).toEqual(before);
  expect((await symbols()).filter((name) => !symbolsBefore.includes(name))).toEqual([
    'Symbol(ccscope.inject)',
  ]);
  const children = await page.evaluate(() =>
    [...document.documentElement.children].map((each) => each.localName),
  );
  expect(children).toEqual(['head', 'body', 'ccscope-overlay']);
  expect(await page.evaluate(() => document.styleSheets.length + document.adoptedStyleSheets.length)).toBe(1);
});

test('the shadow root is closed to the page', async ({ page }) => {
  await page.route(PAGE_URL, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><p>A page' }),
  );
  await page.goto(PAGE_URL);
  await putScript(page);
  await expect(page.locator('ccscope-overlay')).toHaveCount(1);
  expect(await page.evaluate(() => document.querySelector('ccscope-overlay')?.shadowRoot)).toBeNull();
});

test('a page that replaces its document’s children gets the overlay back, with what it showed', async ({
  page,
}) => {
  await openOverlay(page);
  await overlay(page).getByRole('spinbutton', { name: 'Cap in kbps' }).fill('321');
  await page.evaluate(() => document.querySelector('ccscope-overlay')?.remove());
  await expect(dialog(page)).toBeVisible();
  await expect(overlay(page).getByRole('spinbutton', { name: 'Cap in kbps' })).toHaveValue('321');
  await page.evaluate(() => document.replaceChild(document.createElement('html'), document.documentElement));
  await expect(dialog(page)).toBeVisible();
  await detach(page);
});

// The overlay stays visible, but cannot be used: browsers ignore input to everything outside the fullscreen element
// or the modal dialog.
test('an element in fullscreen and a modal dialog do not hide it', async ({ page }) => {
  await openOverlay(page);
  const clip = await boxOf(button(page, 'Detach'));
  const seen = async (): Promise<string> => (await page.screenshot({ clip })).toString('base64');
  const before = await seen();
  await page.evaluate(() => {
    document.querySelector('button')?.addEventListener('click', () => void document.body.requestFullscreen());
    const dialog = document.body.appendChild(document.createElement('dialog'));
    dialog.style.cssText =
      'width: 100vw; height: 100vh; max-width: none; max-height: none; background: green';
  });
  await page.getByRole('button', { name: 'Hang up' }).click({ position: { x: 10, y: 10 } });
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.localName)).toBe('body');
  await expect.poll(seen).toBe(before);
  await page.evaluate(() => document.exitFullscreen());
  await page.evaluate(() => document.querySelector('dialog')?.showModal());
  await expect.poll(seen).toBe(before);
  await page.evaluate(() => document.querySelector('dialog')?.close());
  await button(page, 'Collapse').click();
  await expect(button(page, /^ccscope/)).toBeVisible();
});

test('running the script again opens what was collapsed, and starts over after Detach', async ({ page }) => {
  await openOverlay(page);
  await button(page, 'Collapse').click();
  await putScript(page);
  await expect(dialog(page)).toBeVisible();
  await expect(overlay(page)).toHaveCount(1);
  await detach(page);
  await putScript(page);
  await expect(button(page, /Sends video/)).toBeVisible();
  await button(page, /Sends video/).click();
  await button(page, 'Cap').click();
  await expect(result(page)).toHaveText('The stream is capped at 500 kbps.');
});
