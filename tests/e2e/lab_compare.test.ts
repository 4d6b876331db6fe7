/** The parts of the Lab that compare runs and flows: the pinned run, the table, the sweep. */
import { readFile } from 'node:fs/promises';

import { test } from './live_lab.js';
import { expect } from './support.js';

test('a run is pinned beside the one that changes, on one time axis', async ({ page, lab }) => {
  await lab.begin();
  await page.getByRole('button', { name: 'Pin this run' }).click();
  const pinned = page.getByRole('region', { name: 'Pinned run' });
  const present = page.getByRole('region', { name: 'Present run' });
  const rate = (of: typeof pinned) => of.getByRole('row', { name: /^Received/ }).locator('.value');
  await expect(rate(pinned)).toContainText('bps');
  const before = await rate(pinned).textContent();
  const hash = (): string => new URL(page.url()).hash;
  await expect.poll(hash).toMatch(/^#own=[\w-]+&pin=[\w-]+$/);
  const pinnedHash = hash();
  await page.getByRole('button', { name: '+ TCP' }).click();
  await expect(rate(present)).not.toHaveText(before ?? '');
  await expect(rate(pinned)).toHaveText(before ?? '');
  await present.getByRole('button', { name: 'Zoom in' }).click();
  await expect(pinned.locator('.window')).toHaveText((await present.locator('.window').textContent()) ?? '');
  // Opening the page's address again shows both runs.
  await expect.poll(hash).not.toBe(pinnedHash);
  const after = (await rate(present).textContent()) ?? '';
  const zoomed = (await present.locator('.window').textContent()) ?? '';
  await page.reload();
  await expect(rate(pinned)).toHaveText(before ?? '');
  await expect(rate(present)).toHaveText(after);
  for (const half of [present, pinned]) await expect(half.locator('.window')).toHaveText(zoomed);
  await page.getByRole('button', { name: 'Unpin' }).click();
  await expect(pinned).toHaveCount(0);
  await expect.poll(hash).not.toContain('pin=');
  await expect(page.getByLabel('Notices').getByRole('listitem')).toHaveCount(0);
});

test('the halves of a comparison are named by what differs, and have the same scales', async ({
  page,
  lab,
}) => {
  await lab.begin();
  await page.getByRole('button', { name: '+ TCP' }).click();
  await lab.done();
  await page.getByRole('button', { name: 'Pin this run to compare' }).click();
  const pinned = page.getByRole('region', { name: 'Pinned run' });
  const present = page.getByRole('region', { name: 'Present run' });
  await page.locator('select[name=queue]').selectOption('fq_codel');
  await expect(pinned.getByRole('heading')).toHaveText('Pinned: DropTail 300 ms');
  await expect(present.getByRole('heading')).toHaveText('Now: FQ-CoDel 10240 packets');
  await lab.done();
  await expect(present.getByText('faint lines')).toHaveCount(0);
  // With FQ-CoDel, each flow has its own queue. So the queuing delay of each flow is drawn separately.
  await expect(present.getByRole('button', { name: /^Queuing delay call/ })).toBeVisible();
  await expect(pinned.getByRole('button', { name: /^Queuing delay call/ })).toHaveCount(0);
  const highest = async (half: typeof pinned): Promise<number> => {
    const [drawing] = await Promise.all([
      page.waitForEvent('download'),
      half.getByRole('button', { name: 'SVG of Delay' }).click(),
    ]);
    const ticks = (await readFile(await drawing.path(), 'utf8')).matchAll(/>(\d+)</g);
    return Math.max(...[...ticks].map(([, tick]) => Number(tick)));
  };
  expect(await highest(present)).toBeGreaterThan(200);
  expect(await highest(present)).toBe(await highest(pinned));
});

test('both halves say why at the cursor, and scale their charts together as they come into view', async ({
  page,
  lab,
}) => {
  await lab.begin();
  await page.getByRole('button', { name: '+ TCP' }).click();
  await lab.done();
  await page.getByRole('button', { name: 'Pin this run to compare' }).click();
  await page.locator('select[name=queue]').selectOption('fq_codel');
  await lab.done();
  const halves = ['Pinned run', 'Present run'].map((name) => page.getByRole('region', { name }));
  const seeLosses = async (): Promise<void> => {
    for (const half of halves) await half.locator('.chart.losses').scrollIntoViewIfNeeded();
  };
  await seeLosses();
  // Increases the losses of one run while the loss charts are out of view.
  await page.locator('.scope').evaluate((results) => results.scrollTo(0, 0));
  await page.getByRole('spinbutton', { name: 'Random loss' }).fill('30');
  await page.keyboard.press('Enter');
  await lab.done();
  await seeLosses();
  // The labels of the value axis, as painted. They are equal only if the scales are equal.
  const painted = (half: (typeof halves)[number]): Promise<string> =>
    half.locator('.chart.losses canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { width, height } = canvas.getBoundingClientRect();
      const axis = document.createElement('canvas');
      [axis.width, axis.height] = [48, height];
      axis.getContext('2d')?.drawImage(canvas, 0, 0, width, height);
      return axis.toDataURL();
    });
  const [pinned, present] = halves;
  if (pinned === undefined || present === undefined) throw new Error('Two halves are expected.');
  await expect.poll(async () => (await painted(pinned)) === (await painted(present))).toBe(true);
  await present.locator('.chart.rates canvas').click();
  for (const half of halves) await expect(half.locator('.at-cursor')).toContainText(/^\d.*: \w+/);
});

test('the table compares the flows of both runs, above the charts', async ({ page, lab }) => {
  await lab.begin();
  await page.getByRole('button', { name: '+ TCP' }).click();
  await lab.done();
  await page.getByRole('button', { name: 'Pin this run to compare' }).click();
  await page.locator('select[name=queue]').first().selectOption('fq_codel');
  const flows = page.getByRole('region', { name: 'Flows, pinned and now' });
  const received = async (name: string): Promise<number> =>
    Number.parseFloat(
      (await flows.getByRole('row', { name }).locator('.number').first().textContent()) ?? '',
    );
  for (const name of ['call pinned', 'call now', 'tcp pinned', 'tcp now'])
    await expect(flows.getByRole('row', { name })).toHaveCount(1);
  expect(await received('call pinned')).toBeLessThan(await received('call now'));
  await expect(page.getByText('Now: why did it do that?')).toBeVisible();
  const [table, chart] = [await flows.boundingBox(), await page.locator('.chart').first().boundingBox()];
  expect(table?.y ?? NaN).toBeLessThan(chart?.y ?? NaN);
});

test('the table of several flows stands above the charts, and has the RTT of TCP', async ({ page, lab }) => {
  await lab.begin();
  await page.getByRole('button', { name: '+ TCP' }).click();
  await lab.done();
  const flows = page.getByRole('region', { name: 'Flows' });
  const header = await flows.getByRole('columnheader').allTextContents();
  const rtt = header.findIndex((text) => text.startsWith('RTT p50'));
  // The row header has the role `rowheader`, so it is not counted as a cell.
  const cell = flows
    .getByRole('row', { name: /tcp/ })
    .getByRole('cell')
    .nth(rtt - 1);
  await expect.poll(async () => Number.parseFloat((await cell.textContent()) ?? '')).toBeGreaterThan(50);
  const [table, chart] = [await flows.boundingBox(), await page.locator('.chart').first().boundingBox()];
  expect(table?.y ?? NaN).toBeLessThan(chart?.y ?? NaN);
});

test('a sweep of the queue limit says from where on the limit is never reached', async ({ page, lab }) => {
  await lab.begin();
  await page.getByText('Sweep one number').click();
  await page.getByLabel('Sweep', { exact: true }).selectOption('queue');
  await page.getByRole('button', { name: 'Run 9 values' }).click();
  const multiples = page.locator('.small-multiple');
  await expect(multiples).toHaveCount(9);
  await expect(multiples.filter({ hasText: 'present value' })).toContainText('300 ms');
  await expect(page.locator('.sweep')).toContainText(/the limit is never reached/);
  await expect(page.locator('.sweep')).toContainText(
    /Queue, DropTail: Queue limit, one run each with seed 1/,
  );
});

test('one number is swept as small multiples, one of which is taken', async ({ page, lab }) => {
  await lab.begin();
  await page.getByText('Sweep one number').click();
  await page.getByRole('button', { name: 'Run 9 values' }).click();
  const multiples = page.locator('.small-multiple');
  await expect(multiples).toHaveCount(9);
  await expect(multiples.first()).toContainText('0.5 Mbps');
  await multiples.first().getByRole('button').click();
  await expect(lab.legend('Capacity')).toContainText('500 kbps');
  await expect(lab.panel('Network').getByRole('spinbutton', { name: 'Capacity Mbps' })).toHaveValue('0.5');
  // Only the swept number has changed, so the small multiples and the range still apply.
  await expect(multiples).toHaveCount(9);
  await expect(multiples.first()).toContainText('present value');
  await expect(page.getByLabel('from', { exact: true })).toHaveValue('0.5');
  await expect(page.getByLabel('to', { exact: true })).toHaveValue('8');
  await expect(
    page.getByRole('img', { name: /^Lines of 95th percentile over Network: Capacity/ }),
  ).toBeVisible();
  // The small multiples show the network without TCP. So they disappear when TCP is added.
  await page.getByRole('button', { name: '+ TCP' }).click();
  await expect(multiples).toHaveCount(0);
});
