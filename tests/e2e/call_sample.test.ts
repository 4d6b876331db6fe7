/** The sample recording that plays on the Call page until a call starts. */
import type { Page } from '@playwright/test';

import { expect, test } from './support.js';

const redraws = (page: Page) => page.evaluate(() => window.ccscope.cost().refresh.redraws);

/** How often charts were redrawn during this number of animation frames. */
async function redrawsWithin(page: Page, pictures: number): Promise<number> {
  const before = await redraws(page);
  await page.evaluate(async (count) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, pictures);
  return (await redraws(page)) - before;
}

test('a sample plays behind Start, is fetched after the page, and gives way to a call', async ({
  page,
  served,
  scope,
}) => {
  let loaded = false;
  const early: string[] = [];
  page.on('load', () => (loaded = true));
  page.on('request', (request) => {
    if (request.url().includes('sample') && !loaded) early.push(request.url());
  });
  await page.goto(served.url);
  await expect(page.getByText('What moves here now is a sample: a simulated call.')).toBeVisible();
  await expect(page.getByRole('row', { name: /^Values/ })).toContainText('of a sample: a simulated call');
  await expect(scope.value('Received')).toHaveText(/bps$/);
  await expect(scope.value('Queuing delay')).toHaveText(/ms$/);
  expect(early).toEqual([]);
  expect(await redrawsWithin(page, 60)).toBeGreaterThan(5);
  await expect(page.getByRole('button', { name: 'Save to a file' })).toBeDisabled();

  await scope.start();
  await scope.groups(30);
  await expect(scope.value('Capacity')).toHaveText('1.00 Mbps');
  await expect(page.getByText('a simulated call')).toHaveCount(0);
  const [header = '', ...rows] = (await page.evaluate(() => window.ccscope.exportTrace())).split('\n');
  expect(JSON.parse(header)).toMatchObject({ source: 'call' });
  const groups = rows.filter((row) => row.startsWith('{"type":"group"'));
  const counted = await page.evaluate(() => window.ccscope.counters().groups);
  expect(groups.length).toBeLessThanOrEqual(counted);
});

test('for people who want less motion it stands still', async ({ page, served, scope }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(served.url);
  await expect(scope.value('Received')).toHaveText(/bps$/);
  await expect.poll(() => redrawsWithin(page, 60)).toBe(0);
});

test('no sample plays where an address holds a view, or begins a call', async ({ page, served, scope }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${served.url}?paused=1`);
  await expect(page.getByRole('heading', { name: /under the scope/ })).toBeVisible();
  await page.goto(`${served.url}?autostart=1`);
  await scope.live();
  expect(asked.filter((url) => url.includes('sample'))).toEqual([]);
});

test('a sample that cannot be read leaves the page as it is', async ({ page, served, scope }) => {
  await page.route('**/sample/call.ndjson', (route) => route.fulfill({ body: '<!doctype html>' }));
  const answered = page.waitForResponse('**/sample/call.ndjson');
  await page.goto(served.url);
  await answered;
  await scope.start();
  await scope.groups(30);
  await expect(page.getByText(/could not start/)).toHaveCount(0);
});
