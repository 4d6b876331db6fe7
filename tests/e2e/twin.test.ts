/** A call beside the simulation of its schedule: lines behind its own, and the distance in numbers. */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

const compare = (page: Page) => page.getByRole('button', { name: 'Compare with the simulation' });
const told = (page: Page) => page.locator('.twin-action .hint');

/** A cell of the table of distances, by the names of its row and its column. */
async function cell(page: Page, series: string, column: string): Promise<string> {
  const table = page.getByRole('table', { name: /^Averages over the seconds/ });
  const columns = await table.getByRole('columnheader').allInnerTexts();
  const row = table.getByRole('row', { name: new RegExp(`^${series}`) });
  return (await row.locator('th, td').allInnerTexts())[columns.indexOf(column)] ?? '';
}

/** `12.3 ms`, `0.84 Mbps (8.1 %)` as milliseconds or bit/s. */
function numberOf(text: string): number {
  const [, value = '', unit = ''] = /^[+−]?([\d.]+) (\S+)/.exec(text) ?? [];
  return Number(value) * ({ Mbps: 1e6, kbps: 1e3 }[unit] ?? 1);
}

/** How many pixels of a chart are drawn differently without the simulation. */
async function pixels(page: Page, title: string): Promise<string> {
  const canvas = page.getByRole('img', { name: title });
  return canvas.evaluate((element) => (element as HTMLCanvasElement).toDataURL());
}

test('a call is compared with its simulation, live and as a file @measures', async ({
  page,
  served,
  scope,
}) => {
  test.setTimeout(120_000);
  await page.goto(`${served.url}?capacity=1.2mbps,0.6mbps@5s`);
  await expect(compare(page)).toHaveCount(0);
  await scope.start();
  await scope.groups(240);
  await scope.stop();
  const bare = await pixels(page, 'Rates');

  await compare(page).click();
  await expect(told(page)).toHaveText('The faint lines are the simulation.', { timeout: 30_000 });
  await expect.poll(() => pixels(page, 'Rates')).not.toBe(bare);
  for (const series of ['Target', 'Received']) {
    const [call, apart] = [await cell(page, series, 'Call'), await cell(page, series, 'Apart')].map(numberOf);
    expect(call, series).toBeGreaterThan(0.3e6);
    expect(call, series).toBeLessThan(1.3e6);
    // Two runs are never the same, and half of the rate would be no twin.
    expect(apart, series).toBeGreaterThan(1e3);
    expect(apart, series).toBeLessThan(0.5 * (call ?? NaN));
  }
  expect(numberOf(await cell(page, 'Queuing delay', 'Simulation'))).toBeGreaterThan(0.5);
  const delay = numberOf(await cell(page, 'Queuing delay', 'Apart'));
  expect(delay).toBeGreaterThan(0.1);
  expect(delay).toBeLessThan(200);
  expect(await accessibilityFaults(page)).toEqual([]);

  // The recording is that of the call alone.
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const file = await (await downloading).path();
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('simulator');

  const first = await cell(page, 'Received', 'Simulation');
  await page.getByRole('button', { name: 'Received part most at' }).click();
  await page.getByRole('button', { name: 'Remove the simulation' }).click();
  await expect(told(page)).toHaveText('');
  await expect(page.locator('.panel.twin')).toHaveCount(0);

  // The saved file has the same twin, which is simulated automatically if the address asks for it.
  await page.goto(`${served.url}?compare=1`);
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles(file);
  await expect(told(page)).toHaveText('The faint lines are the simulation.', { timeout: 30_000 });
  expect(await cell(page, 'Received', 'Simulation')).toBe(first);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Compare each recording by itself').uncheck();
  await expect.poll(() => scope.query().has('compare')).toBe(false);
});

test('what cannot be simulated is said with its reason', async ({ page, served }) => {
  const sample = await readFile(new URL('../../public/sample/call.ndjson', import.meta.url));
  await page.goto(served.url);
  await page
    .locator('input[type=file][accept*=ndjson]')
    .setInputFiles({ name: 'sample.ndjson', mimeType: 'application/x-ndjson', buffer: sample });
  await compare(page).click();
  await expect(told(page)).toHaveText(
    /^It cannot be compared: the recording is of a simulation already\. To compare: /,
  );
  await expect(page.locator('.panel.twin')).toHaveCount(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});
