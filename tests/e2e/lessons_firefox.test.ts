/**
 * The lessons in Firefox, driven with WebDriver BiDi: each lesson's task can be solved, and its figure is
 * drawn.
 */
import { launch, type Browser, type Page } from 'puppeteer-core';

import { findFirefox } from '../../scripts/lib/tools.mjs';
import { LESSONS } from '../../src/app/lessons/lessons.js';
import { expect, test as base } from './support.js';

const firefox = findFirefox();

interface Opened {
  page: Page;
  errors: string[];
}

const test = base.extend<{ opened: Opened }, { browserOfMozilla: Browser }>({
  browserOfMozilla: [
    async ({}, use) => {
      const browser = await launch({ browser: 'firefox', executablePath: firefox ?? '', headless: true });
      await use(browser);
      await browser.close();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  // Every test fails when the page throws or logs an error.
  opened: async ({ browserOfMozilla }, use) => {
    const page = await browserOfMozilla.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await use({ page, errors });
    expect(errors).toEqual([]);
    await page.close();
  },
});
test.skip(
  firefox === undefined,
  'There is no Firefox here: install it (on Debian: apt-get install firefox-esr), or let CCSCOPE_FIREFOX name one.',
);

/**
 * How many charts there are, and how many of them are drawn, that is, have more than a few colours. Scrolls to each
 * chart, since charts are painted when they come into view.
 */
const charts = (page: Page): Promise<{ all: number; drawn: number }> =>
  page.evaluate(async () => {
    const canvases = [...document.querySelectorAll<HTMLCanvasElement>('figure.chart canvas')];
    let drawn = 0;
    for (const canvas of canvases) {
      canvas.scrollIntoView();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
      if (data !== undefined && new Set(new Uint32Array(data.buffer)).size > 8) drawn++;
    }
    return { all: canvases.length, drawn };
  });

for (const { id, title, load } of LESSONS) {
  test(`${id} is solved in Firefox`, async ({ opened: { page }, served }) => {
    const { task } = (await load()).default;
    await page.goto(`${served.staticUrl}lessons.html?lesson=${id}&choice=${task.solution}`);
    await page.locator('text/Show without predicting').click();
    const text = (): Promise<string> => page.evaluate(() => document.body.innerText);
    await expect.poll(text).toContain('Solved.');
    expect(await text()).toContain(title);
    await expect
      .poll(async () => {
        const { all, drawn } = await charts(page);
        return all > 1 && drawn === all;
      })
      .toBe(true);
  });
}
