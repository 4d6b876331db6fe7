/**
 * The list "Why did it do that?", in the Lab and in a call. Choosing a line with the mouse or the keyboard
 * moves the charts to the time of this line.
 */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

/** The list of target changes, the charts' cursor, and the marks in the charts. */
class Why {
  constructor(readonly page: Page) {}

  get lines() {
    return this.page.getByRole('list', { name: 'Changes of the target' }).getByRole('button');
  }

  /** Waits until the Lab's run has ended and the list covers the whole run. */
  async whole() {
    await expect(this.page.getByRole('status')).toHaveText('Done');
    await expect(this.page.locator('details.why')).toHaveAttribute('aria-busy', 'false');
    await expect(this.page.locator('.why-lines')).toHaveAttribute('aria-busy', 'false');
  }

  get current() {
    return this.page.locator('.why-lines [aria-current]');
  }

  get atCursor() {
    return this.page.locator('.at-cursor');
  }

  get cursor() {
    return this.page.locator('.window b');
  }

  get marks() {
    return this.page.getByRole('group', { name: 'Marked changes' }).getByRole('button');
  }
}

const LAB = 'lab.html?scenario=rmcat-5.1&run=1';

test('a line of the Lab’s list leads the charts to its moment, and the cursor says the line', async ({
  page,
  served,
  scope,
}) => {
  const why = new Why(scope.page);
  await page.goto(`${served.staticUrl}${LAB}&window_s=10&from_s=20`);
  await why.whole();
  const fall = why.lines.filter({ hasText: /overuse: T [\d.]+ > γ/ }).last();
  const text = (await fall.locator('.text').textContent()) ?? '';
  const time = (await fall.locator('time').textContent()) ?? '';
  await fall.click();
  await expect(why.atCursor).toHaveText(`${time}: ${text}`);
  await expect(why.cursor).toHaveText(`, cursor held at ${time}`);
  await expect(why.current.locator('.text')).toHaveText(text);
  // The charts show a time window of ten seconds, which contains the time of the chosen line.
  await expect(page.locator('.window')).toContainText('10 s shown');
  const [minutes = '0', seconds = '0'] = time.includes(':') ? time.split(':') : ['0', time];
  const at = Number(minutes) * 60 + parseFloat(seconds);
  // The page's address is updated a moment later.
  await expect
    .poll(() => Math.abs(Number(new URL(page.url()).searchParams.get('from_s')) + 5 - at))
    .toBeLessThan(5);
});

test('the list is one tab stop, in which arrows move', async ({ page, served, scope }) => {
  const why = new Why(scope.page);
  await page.goto(`${served.staticUrl}${LAB}`);
  await why.whole();
  await expect(why.lines).not.toHaveCount(0);
  await page.getByRole('checkbox', { name: 'only what went down' }).focus();
  await page.keyboard.press('Tab');
  await expect(why.lines.first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(why.lines.nth(2)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(why.lines.nth(2)).toHaveAttribute('aria-current', 'true');
  await expect(why.lines.nth(2)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(why.lines.nth(3)).not.toBeFocused();
});

test('hovering says the line that holds there, without announcing it', async ({ page, served, scope }) => {
  const why = new Why(scope.page);
  await page.goto(`${served.staticUrl}${LAB}`);
  await why.whole();
  await expect(why.lines).not.toHaveCount(0);
  await expect(why.atCursor).toContainText('point at the charts');
  await page.locator('.chart.rates canvas').hover();
  await expect(why.atCursor).toContainText(/^\d+(\.\d)?\ss: \w+: |^\d+:\d\d(\.\d)?: \w+: /);
  await expect(why.atCursor).toHaveAttribute('aria-live', 'off');
});

test('changes of the capacity are marked over all charts, and a mark leads there', async ({
  page,
  served,
  scope,
}) => {
  const why = new Why(scope.page);
  await page.goto(`${served.staticUrl}${LAB}`);
  await why.whole();
  await expect(why.marks).toHaveText([
    '40 s: capacity 1 Mbps to 2.5 Mbps',
    '1:00: capacity 2.5 Mbps to 600 kbps',
    '1:20: capacity 600 kbps to 1 Mbps',
  ]);
  const label = why.marks.nth(1).locator('span');
  await expect(label).toHaveCSS('opacity', '0');
  await why.marks.nth(1).focus();
  await page.keyboard.press('Enter');
  await expect(label).toHaveCSS('opacity', '1');
  await expect(why.cursor).toContainText('1:00');
  await expect(why.atCursor).toContainText('changed here: capacity 2.5 Mbps to 600 kbps');
});

test('only what went down can be listed', async ({ page, served, scope }) => {
  const why = new Why(scope.page);
  await page.goto(`${served.staticUrl}${LAB}`);
  await why.whole();
  await expect(why.lines.filter({ hasText: 'increase:' })).not.toHaveCount(0);
  await page.getByRole('checkbox', { name: 'only what went down' }).check();
  await expect(why.lines.filter({ hasText: 'increase:' })).toHaveCount(0);
  // The list may still change after the run, so its length is compared with the counts that the page states.
  const listed = async () => {
    const stated = await page.getByText(/\d+ changes of the target, \d+ of them down/).textContent();
    const [all = NaN, down = NaN] = (stated?.match(/\d+/g) ?? []).map(Number);
    return { isDown: (await why.lines.count()) === down, isPart: down > 0 && down < all };
  };
  await expect.poll(listed).toEqual({ isDown: true, isPart: true });
  await expect(why.lines.filter({ hasText: 'overuse:' })).not.toHaveCount(0);
});

test('falls beside a download name it, and lead to the lesson', async ({ page, served, scope }) => {
  const why = new Why(scope.page);
  await page.goto(`${served.staticUrl}lab.html?scenario=rmcat-5.6&run=1`);
  await why.whole();
  await expect(why.lines.filter({ hasText: /while tcp takes [\d.]+\s[kM]bps of/ })).not.toHaveCount(0);
  const lesson = page.getByRole('link', { name: 'why TCP can starve a call' });
  await expect(lesson).toHaveAttribute('href', /lessons\.html\?lesson=adaptive-threshold/);
  await page.goto(`${served.staticUrl}${LAB}`);
  await expect(why.lines.filter({ hasText: 'overuse:' })).not.toHaveCount(0);
  await expect(lesson).toHaveCount(0);
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing in the list and its marks in the ${theme} theme`, async ({
    page,
    served,
    scope,
  }) => {
    const why = new Why(scope.page);
    await page.goto(`${served.staticUrl}${LAB}&theme=${theme}`);
    await why.whole();
    await why.lines.nth(1).click();
    await why.marks.first().hover();
    await expect(why.marks.first().locator('span')).toHaveCSS('opacity', '1');
    for (const part of ['.why', '.mark-labels', '.at-cursor'])
      expect(await accessibilityFaults(page, part)).toEqual([]);
    await page.screenshot({ path: test.info().outputPath(`lab_${theme}.png`), fullPage: true });
  });
}

test('a call says why its target fell, and so does its recording', async ({ page, served, scope }) => {
  const why = new Why(page);
  await page.goto(`${served.url}?capacity=1mbps`);
  await scope.start();
  await scope.groups(200);
  const capacity = page.getByLabel('Capacity', { exact: true }).first();
  await capacity.fill('300kbps');
  await capacity.press('Enter');
  await expect(why.marks).toHaveText([/300kbps$/]);
  const falls = why.lines.filter({ hasText: /(overuse|capacity|drain|loss): .*target × 0/ });
  await expect(falls).not.toHaveCount(0);
  await scope.stop();
  await falls.first().click();
  await expect(page.getByText(/cursor held at/)).toBeVisible();
  await expect(page.getByRole('button', { name: /Pause|Follow/ })).toHaveCount(0);
  await expect(why.current).toHaveCount(1);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save to a file' }).click();
  const buffer = await readFile(await (await downloading).path());
  const told = await falls.locator('.text').allTextContents();

  await page.goto(served.url);
  const [name, mimeType] = ['again.ndjson', 'application/x-ndjson'];
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles({ name, mimeType, buffer });
  await expect(page.getByText(name)).toBeVisible();
  // The list of the recording explains each fall with the same text as the list of the running call did.
  await expect.poll(() => falls.locator('.text').allTextContents()).toEqual(expect.arrayContaining(told));
  await expect(why.marks).toHaveText([/300kbps$/]);
  await falls.first().press('Enter');
  await expect(why.atCursor).toContainText(/target × 0/);
  for (const theme of ['light', 'dark']) {
    await page.locator('html').evaluate((root, value) => (root.dataset['theme'] = value), theme);
    expect(await accessibilityFaults(page, '.why')).toEqual([]);
    expect(await accessibilityFaults(page, '.mark-labels')).toEqual([]);
    await page.screenshot({ path: test.info().outputPath(`call_${theme}.png`) });
  }
});
