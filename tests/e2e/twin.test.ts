/**
 * A call is compared with its twin (a simulation of the same schedule). The charts show the simulation's curves
 * behind the call's. A table shows how much the two differ.
 */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { accessibilityFaults } from '../support/axe.js';
import { expect, test } from './support.js';

const compare = (page: Page) => page.getByRole('button', { name: 'Compare with the simulation' });
const told = (page: Page) => page.locator('.twin-action .hint');

/** The text of a cell in the table that compares call and simulation, by the names of its row and its column. */
async function cell(page: Page, series: string, column: string): Promise<string> {
  const table = page.getByRole('table', { name: /^Averages over the seconds/ });
  const columns = await table.getByRole('columnheader').allInnerTexts();
  const row = table.getByRole('row', { name: new RegExp(`^${series}`) });
  return (await row.locator('th, td').allInnerTexts())[columns.indexOf(column)] ?? '';
}

/** The number in a string such as `12.3 ms` or `0.84 Mbps (8.1 %)`, in milliseconds or bit/s. */
function numberOf(text: string): number {
  const [, value = '', unit = ''] = /^[+−]?([\d.]+) (\S+)/.exec(text) ?? [];
  return Number(value) * ({ Mbps: 1e6, kbps: 1e3 }[unit] ?? 1);
}

/** A chart's pixels, as the data URL of its canvas. */
async function pixels(page: Page, title: string): Promise<string> {
  const canvas = page.getByRole('img', { name: title });
  return canvas.evaluate((element) => (element as HTMLCanvasElement).toDataURL());
}

test('a call is compared with its simulation, live and as a file @measures', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?capacity=1.2mbps,0.6mbps@5s`);
  await expect(compare(page)).toHaveCount(0);
  await scope.start();
  await scope.groups(240);
  await scope.stop();
  const bare = await pixels(page, 'Rates');

  await compare(page).click();
  await expect(told(page)).toHaveText('The faint lines are the simulation.');
  await expect.poll(() => pixels(page, 'Rates')).not.toBe(bare);
  for (const series of ['Target', 'Received']) {
    const [call, apart] = [await cell(page, series, 'Call'), await cell(page, series, 'Apart')].map(numberOf);
    expect(call, series).toBeGreaterThan(0.3e6);
    expect(call, series).toBeLessThan(1.3e6);
    // The call and the simulation differ, but by less than half of the rate.
    expect(apart, series).toBeGreaterThan(1e3);
    expect(apart, series).toBeLessThan(0.5 * (call ?? NaN));
  }
  expect(numberOf(await cell(page, 'Queuing delay', 'Simulation'))).toBeGreaterThan(0.5);
  const delay = numberOf(await cell(page, 'Queuing delay', 'Apart'));
  expect(delay).toBeGreaterThan(0.1);
  expect(delay).toBeLessThan(200);
  expect(await accessibilityFaults(page)).toEqual([]);

  // The recording contains the call only, not its simulation.
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save to a file' }).click();
  const file = await (await downloading).path();
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('simulator');

  const first = await cell(page, 'Received', 'Simulation');
  await page.getByRole('button', { name: 'Received part most at' }).click();
  await page.getByRole('button', { name: 'Remove the simulation' }).click();
  await expect(told(page)).toHaveText('');
  await expect(page.locator('.panel.twin')).toHaveCount(0);

  // The saved file can be compared with the same simulation, which runs automatically if the address has
  // `compare=1`.
  await page.goto(`${served.url}?compare=1`);
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles(file);
  await expect(told(page)).toHaveText('The faint lines are the simulation.');
  expect(await cell(page, 'Received', 'Simulation')).toBe(first);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Compare each recording by itself').uncheck();
  await expect.poll(() => scope.query().has('compare')).toBe(false);
});

/** The source file of a user's controller that requests a fixed rate. */
const ownController = (rateBps: number): Buffer =>
  Buffer.from(`export default {
    name: 'fixed',
    createReceiver: () => ({ onArrival: (arrival) => [arrival.sizeBytes] }),
    createSender: () => ({ onFeedback() {}, rate: () => ({ targetBps: ${rateBps} }) }),
  };`);

test('a controller of the user decides in the simulation as it did in the call', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?capacity=1mbps`);
  const field = page.locator('input[name=own-controller]');
  await field.setInputFiles({ name: 'fixed.mjs', mimeType: 'text/javascript', buffer: ownController(400e3) });
  await scope.start();
  await expect(page.getByText('fixed.mjs in control')).toBeVisible();
  // A user's controller produces no `group` rows to count, so the test waits until the call has lasted long
  // enough.
  await expect.poll(() => page.evaluate(() => window.ccscope.state().connectedForS ?? 0)).toBeGreaterThan(6);
  await scope.stop();
  await compare(page).click();
  await expect(told(page)).toHaveText('The faint lines are the simulation.');
  // The call and the simulation both use the user's controller. A controller of ccscope would reach the
  // capacity.
  for (const column of ['Call', 'Simulation'])
    expect(numberOf(await cell(page, 'Target', column)), column).toBeCloseTo(400e3, -4);

  // Another page does not have the controller's file. It cannot simulate the recording, and must tell the user
  // what to do.
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save to a file' }).click();
  const file = await (await downloading).path();
  const elsewhere = await page.context().browser()?.newPage();
  if (elsewhere === undefined) throw new Error('the browser is gone');
  await elsewhere.goto(served.url);
  await elsewhere.locator('input[type=file][accept*=ndjson]').setInputFiles(file);
  await compare(elsewhere).click();
  await expect(told(elsewhere)).toHaveText(
    /this page does not have the file of the call’s controller fixed\.mjs.*choose the file under Controller/,
  );
  await elsewhere.close();
});

test('the simulation runs the file that the call had, not the one that was chosen since', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?capacity=2mbps`);
  const field = page.locator('input[name=own-controller]');
  const fixed = (rateBps: number) => ({
    name: 'fixed.mjs',
    mimeType: 'text/javascript',
    buffer: ownController(rateBps),
  });
  await field.setInputFiles(fixed(400e3));
  await scope.start();
  await expect(page.getByText('fixed.mjs in control')).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.ccscope.state().connectedForS ?? 0)).toBeGreaterThan(6);
  await scope.stop();
  await field.setInputFiles(fixed(800e3));
  await compare(page).click();
  await expect(told(page)).toHaveText('The faint lines are the simulation.');
  for (const column of ['Call', 'Simulation'])
    expect(numberOf(await cell(page, 'Target', column)), column).toBeCloseTo(400e3, -4);
});

test('what cannot be simulated is said with its reason', async ({ page, served }) => {
  const sample = await readFile(new URL('../../public/sample/call.ndjson', import.meta.url));
  await page.goto(served.url);
  await page
    .locator('input[type=file][accept*=ndjson]')
    .setInputFiles({ name: 'sample.ndjson', mimeType: 'application/x-ndjson', buffer: sample });
  await expect(compare(page)).toBeDisabled();
  await expect(told(page)).toHaveText(
    /^It cannot be compared: the recording is itself a simulation\. To compare: /,
  );
  await expect(page.locator('.panel.twin')).toHaveCount(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});
