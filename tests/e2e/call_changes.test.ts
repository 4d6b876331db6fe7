/** Changes during a call. The call's clock must continue, and the elements of the page must not move. */
import type { Locator, Page } from '@playwright/test';

import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

const shadowBox = (page: Page, text: string) => page.locator(`input[name=shadow][value="${text}"]`);
const seconds = async (page: Page): Promise<number> => {
  const [minutes = 'x', rest = 'x'] = ((await page.locator('header time').textContent()) ?? '').split(':');
  return Number(minutes) * 60 + Number(rest);
};

/** The positions of some elements of the page, which must not move. */
const places = (page: Page) =>
  page.evaluate(() =>
    ['.summary tr', '.video video', '.toolbar', '.chart'].map((selector) => {
      const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
      return { selector, x, y, width, height };
    }),
  );

test('another controller in charge: the time goes on, and the former one watches', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?shadow=nada`);
  await expect(shadowBox(page, 'gcc')).toHaveCount(0);
  await scope.start();
  await expect.poll(() => seconds(page)).toBeGreaterThan(3);
  const before = await seconds(page);
  const placesBefore = await places(page);
  await page.locator('select[name=controller]').selectOption('nada');
  await expect(page.getByLabel('Notices')).toContainText('NADA is in charge now');
  expect(await places(page)).toEqual(placesBefore);
  await scope.live();
  expect(await seconds(page)).toBeGreaterThanOrEqual(before);
  await expect(page.getByText('NADA in control')).toBeVisible();
  await expect(shadowBox(page, 'nada')).toHaveCount(0);
  await expect(shadowBox(page, 'gcc')).toBeChecked();
  await expect.poll(() => scope.query().get('shadow')).toBe('gcc');
  await expect(scope.value('GCC')).toHaveText(/bps$/);
  await scope.stop();
  await expect(page.locator('header time')).toHaveCount(0);

  // The file is opened with the controller that was in charge last, as the page showed it.
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save to a file' }).click();
  const saved = await downloading;
  await page.reload();
  const path = await saved.path();
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles(path);
  await expect(page.getByRole('figure').filter({ hasText: 'Congestion signal' })).toBeVisible();
  await expect(page.locator('.summary').getByText(/nada-live asks for/)).toBeVisible();
});

test('shadows and a download come and go, and nothing else moves', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await scope.start();
  await scope.groups(30);
  await expect(page.locator('.video video').first()).toBeVisible();
  const before = await places(page);
  await shadowBox(page, 'nada').check();
  await shadowBox(page, 'lcc').check();
  await page.getByRole('button', { name: 'Start a download' }).click();
  await expect(scope.value('LCC')).toHaveText(/bps$/);
  await expect(scope.value('TCP')).toHaveText(/bps$/);
  expect(await places(page)).toEqual(before);
});

test('more than two notices fold, the worst first, and open', async ({ page, served }) => {
  await page.goto(`${served.url}?rtt_ms=fast&loss=9&queue=x&size=4k`);
  const notices = page.getByLabel('Notices');
  await expect(notices.getByRole('listitem')).toHaveCount(3);
  await notices.getByRole('button', { name: '2 more: show all' }).click();
  await expect(notices.getByRole('listitem')).toHaveCount(5);
  expect(await accessibilityFaults(page)).toEqual([]);
  await notices.getByRole('button', { name: 'Show fewer' }).click();
  await expect(notices.getByRole('listitem')).toHaveCount(3);
  await notices.getByRole('button', { name: 'Dismiss' }).first().click();
  await notices.getByRole('button', { name: 'Dismiss' }).first().click();
  await expect(notices.getByRole('listitem')).toHaveCount(2);
});

test('a copied link has the time shown and the theme only if they were chosen', async ({
  page,
  context,
  served,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${served.url}?rtt_ms=80&theme=dark&window_s=12&paused=1&from_s=3`);
  await page.getByText('Share', { exact: true }).click();
  await expect(
    page.getByText('takes the far side, through the local server, with the join link.'),
  ).toBeVisible();
  const placeOf = async (button: Locator) => {
    const { x, width } = (await button.boundingBox()) ?? {};
    return { x, width };
  };
  const copied = async (name = 'Copy link to these settings'): Promise<string> => {
    const button = page.getByRole('button', { name, exact: true });
    const before = await placeOf(button);
    await button.click();
    const done = page.getByRole('button', { name: 'Copied', exact: true });
    await expect(done).toBeVisible();
    // The new label does not change the position or the width of the button.
    expect(await placeOf(done)).toEqual(before);
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await expect(button).toBeVisible();
    return text;
  };
  await expect(page.getByText('The measured values are not in a link')).toBeVisible();
  expect(await copied()).toBe(`${served.url}?rtt_ms=80`);
  await page.getByLabel('With the part of the time that is shown').check();
  await page.getByLabel('With the theme').check();
  const all = new URL(await copied()).searchParams;
  expect(Object.fromEntries(all)).toEqual({
    ...{ rtt_ms: '80', theme: 'dark', window_s: '12', paused: '1', from_s: '3' },
  });
  // The button in the header copies the same address.
  expect(new URL(await copied('Copy link')).searchParams).toEqual(all);
});

test('the encoder is told of under the charts while a call runs', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await expect(page.getByLabel('Encoder')).toHaveCount(0);
  await scope.start();
  const encoder = page.getByLabel('Encoder');
  await expect(encoder).toContainText(/Encoded\d+×\d+, \d+ fps/);
  await expect(encoder).toContainText(/QP\d+/);
  await expect(encoder).toContainText(/NACK\d+/);
  await expect(encoder).toContainText(/PLI\d+/);
  await expect(encoder).toContainText(/Freezes\d+, \d+\.\d s/);
  await expect(encoder).toContainText(/Quality limited by(none|bandwidth|cpu|other)/);
});

test('a bottleneck in the page keeps the capacity of its schedule when something else changes', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?bottleneck=in-page&capacity=1mbps,0.5mbps@2s`);
  await scope.start();
  await expect(scope.value('Capacity')).toHaveText('500 kbps');
  await page.locator('input[name=rtt_ms]').fill('80');
  await page.locator('input[name=rtt_ms]').press('Enter');
  await expect.poll(() => scope.query().get('rtt_ms')).toBe('80');
  const changed = await page.evaluate(() => window.ccscope.exportTrace());
  const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('{"type":"queue"'));
  const capacities = async (): Promise<number[]> =>
    rowsOf(await page.evaluate(() => window.ccscope.exportTrace()))
      .slice(rowsOf(changed).length)
      .map((line) => (JSON.parse(line) as { capacity_bps: number }).capacity_bps);
  await expect.poll(async () => (await capacities()).length).toBeGreaterThan(10);
  expect(new Set(await capacities())).toEqual(new Set([5e5]));
});

test('without a clipboard, the text is shown to copy it by hand', async ({ page, served }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.goto(`${served.url}?rtt_ms=80`);
  const shown = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.defaultValue());
      void dialog.dismiss();
    });
  });
  await page.getByText('Share', { exact: true }).click();
  await page.getByRole('button', { name: 'Copy link to these settings', exact: true }).click();
  expect(await shown).toBe(`${served.url}?rtt_ms=80`);
});

test('a bottleneck in the page is not blamed on the server while the call cannot take a change', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?bottleneck=in-page`);
  await scope.start();
  await page.getByText('Call', { exact: true }).last().click();
  // This lowest bitrate is above the start bitrate. Until the bitrates are in order again, the call does not
  // restart with changed settings.
  await page.getByLabel('Lowest').fill('900');
  await page.getByLabel('Lowest').press('Enter');
  await expect(page.getByLabel('Notices')).toContainText('The bitrates are not in order');
  await page.getByLabel('Bottleneck', { exact: true }).selectOption('shaper');
  await expect.poll(() => scope.query().get('bottleneck')).toBeNull();
  await expect(page.getByText('There is no local server now')).toHaveCount(0);
  await page.getByText('How this is measured').click();
  await expect(page.getByText('in the page, whole frames')).toBeVisible();
});
