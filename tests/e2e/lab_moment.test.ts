/** The moment, the window and the charts of a run in the Lab. */
import { readFile } from 'node:fs/promises';

import { test } from './live_lab.js';
import { expect } from './support.js';

test('a moment is played, stepped and dragged, with its packets, state and equations', async ({
  page,
  lab,
}) => {
  await lab.begin();
  await page.getByRole('button', { name: '+ TCP' }).click();
  await lab.done();
  await page.getByRole('button', { name: 'Packets and equations' }).click();
  const moment = page.getByRole('slider', { name: 'Moment' });
  // Packets that have not left the queue when the run ends have no rows of their own.
  await moment.fill('60000000');
  await expect(page.locator('.stage figcaption')).toContainText(
    /at least \d+ in pacers, .* in the queue and another [1-9][\d.]*\skB of packets that stay there/,
  );
  await moment.fill('20000000');
  await expect(page.locator('.stage figcaption')).toContainText(/[1-9]\d* in the queue,/);
  await expect(page.getByRole('img', { name: /feedback messages on their way back/ })).toBeVisible();
  const equations = page.locator('.equations');
  await expect(equations).toContainText('Adaptive threshold');
  await expect.poll(() => equations.locator('math').count()).toBeGreaterThan(4);
  await expect(page.getByRole('img', { name: /^State: (hold|increase|decrease), signal: / })).toBeVisible();

  const seconds = async (): Promise<number> =>
    Number.parseFloat((await page.locator('.playback .reading').textContent()) ?? '');
  await page.getByRole('button', { name: 'On by one step: 100 ms' }).click();
  expect(await seconds()).toBeCloseTo(20.1, 6);
  await page.getByRole('button', { name: 'On by one step: the next thing that happens to a packet' }).click();
  await expect.poll(seconds).toBeGreaterThan(20.1);
  const happening = page.locator('.happening');
  await expect(happening).toHaveText(/^20\.\d+\ss: a packet of (call|tcp) (leaves the queue|is dropped)/);
  const after = await seconds();
  await page.getByRole('button', { name: 'Back by one step: the next decision of the controller' }).click();
  await expect.poll(seconds).toBeLessThan(after);
  await expect(happening).toHaveText(/\ss: (signal|state|Ar) /);
  await expect(page.locator('.moment')).toContainText('ToN: “Congestion Control for Web Real-Time');
  await page.getByRole('button', { name: 'Play' }).click();
  const began = await seconds();
  await expect.poll(seconds).toBeGreaterThan(began);
  // Polls in every animation frame, because a feedback message is shown in transit for only a few animation frames.
  await page.waitForFunction(() =>
    /Feedback messages of calls on their way back: [1-9]/.test(
      document.querySelector('.stage figcaption')?.textContent ?? '',
    ),
  );
  await page.getByRole('button', { name: 'Pause' }).click();
  // Opening the page's address again shows the same moment of the run.
  const shown = await seconds();
  await expect.poll(() => Number(new URL(page.url()).searchParams.get('at_s'))).toBeCloseTo(shown, 2);
  await page.reload();
  await expect.poll(seconds).toBeCloseTo(shown, 2);
});

test('what happened at a step is not said of the next run, nor of another flow', async ({ page, lab }) => {
  await lab.begin('?inside=1');
  await page.getByRole('button', { name: '+ call' }).click();
  await lab.done();
  await page.getByRole('slider', { name: 'Moment' }).fill('20000000');
  const step = page.getByRole('button', { name: 'On by one step: the next thing that happens to a packet' });
  const happening = page.locator('.happening');
  await step.click();
  await expect(happening).toHaveText(/^20\.\d+\ss: a packet of /);
  await page.locator('select[name=queue]').first().selectOption('codel');
  await lab.done();
  await expect(happening).toHaveText('');
  await step.click();
  await expect(happening).toHaveText(/^20\.\d+\ss: a packet of /);
  const flow = page.getByLabel('Of which flow');
  await flow.selectOption({ index: 1 });
  await expect(happening).toHaveText('');
});

test('a change releases the cursor that was held in the run before', async ({ page, lab }) => {
  await lab.begin();
  await page.getByRole('slider', { name: 'Moment' }).fill('16200000');
  await expect(page.locator('.window')).toContainText('cursor held at');
  await page.locator('select[name=queue]').first().selectOption('codel');
  await lab.done();
  await expect(page.locator('.window')).not.toContainText('cursor');
});

test('the link carries the moment that is shown, and an open sweep', async ({ page, lab }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await lab.begin();
  const moment = page.getByRole('slider', { name: 'Moment' });
  const reading = page.locator('.playback .reading');
  const copied = async (): Promise<URLSearchParams> => {
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible();
    return new URL(text).searchParams;
  };
  expect((await copied()).has('at_s')).toBe(false);
  // So far, the test has not opened the view of packets and equations.
  await moment.fill('30368000');
  await expect(page).toHaveURL(/at_s=30\.368/);
  expect((await copied()).get('at_s')).toBe('30.368');
  await page.getByRole('button', { name: 'Packets and equations' }).click();
  await lab.done();
  await page.getByRole('button', { name: 'Packets and equations' }).click();
  await moment.fill('12500000');
  await expect(page).toHaveURL(/at_s=12\.5/);

  await page.getByText('Sweep one number').click();
  await page.getByLabel('Sweep', { exact: true }).selectOption('rtt');
  await page.getByLabel('to', { exact: true }).fill('100');
  await page.getByLabel('to', { exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Run 9 values' }).click();
  await expect(page.locator('.small-multiple')).toHaveCount(9);
  const link = await copied();
  expect(Object.fromEntries(link)).toMatchObject({ sweep: 'rtt', sweep_from: '10', sweep_to: '100' });
  await page.reload();
  await expect(reading).toHaveText('12.500 s');
  await expect(page.locator('.small-multiple')).toHaveCount(9);
  await expect(page.locator('.small-multiple').last()).toContainText('100 ms');

  // The address of the page does not contain a sweep that failed.
  await page.getByLabel('to', { exact: true }).fill('1e9');
  await page.getByLabel('to', { exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Run 9 values' }).click();
  await expect(page.getByLabel('Notices')).toContainText('The sweep failed');
  await expect(page).not.toHaveURL(/sweep/);
});

test('End shows the end of a run and shortens nothing, and Space has nothing to pause', async ({
  page,
  lab,
}) => {
  await lab.begin();
  const charts = page.getByRole('group', { name: /^Charts/ });
  await expect(charts).not.toHaveAccessibleName(/Space|follows/);
  await charts.focus();
  await page.keyboard.press('Home');
  await expect(page.locator('.window')).toContainText('1:00 shown');
  await page.keyboard.press('End');
  await page.keyboard.press(' ');
  await expect(page.locator('.window')).toContainText('1:00 shown');
  await page.keyboard.press('+');
  await page.keyboard.press('End');
  await expect(page.locator('.window')).toContainText('40 s shown');
  await expect(page).toHaveURL(/from_s=20/);
});

test('a click holds the cursor of charts and slider, and Escape releases it', async ({ page, lab }) => {
  await lab.begin();
  const reading = page.locator('.playback .reading');
  const plot = page.locator('figure.chart.rates canvas');
  const box = await plot.boundingBox();
  if (!box) throw new Error('the chart is not there');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const held = await reading.textContent();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await expect(reading).not.toHaveText(held ?? '');
  // While the pointer is over a chart, the time at the pointer is shown instead of the held time.
  await expect(page.locator('.window')).toContainText('cursor at');
  await page.mouse.move(5, 5);
  await expect(reading).toHaveText(held ?? '');
  await expect(page.locator('.window')).toContainText('cursor held at');
  await page.keyboard.press('Escape');
  await expect(page.locator('.window')).not.toContainText('cursor');
  await expect(reading).toHaveText('60.000 s');
  await expect(page.getByText('values at its end')).toBeVisible();
});

test('the values at the end do not depend on the width of the page', async ({ page, lab }) => {
  const readings = async (width: number): Promise<readonly string[]> => {
    await page.setViewportSize({ width, height: 800 });
    await lab.begin();
    await page.waitForTimeout(500);
    return page.locator('.charts .legend .reading').allTextContents();
  };
  const wide = await readings(1280);
  expect(wide.length).toBeGreaterThan(10);
  expect(wide.filter((text) => text !== '–').length).toBeGreaterThan(10);
  expect(await readings(390)).toEqual(wide);
});

test('the capacity of each path is that of its own bottleneck, whichever flow is shown', async ({
  page,
  lab,
}) => {
  await page.goto(`${lab.served.staticUrl}lab.html?scenario=rmcat-5.3&flow=back&at_s=25&run=1`);
  await lab.done();
  const reading = (chart: string, label: string) =>
    page
      .locator(`figure.chart.${chart}`)
      .getByRole('button', { name: new RegExp(`^${label} [\\d–]`) })
      .locator('.reading');
  await expect(reading('rates', 'Capacity')).toHaveText('1.00 Mbps');
  await expect(reading('rates', 'Capacity back')).toHaveText('2.00 Mbps');
  await expect(reading('control', 'Capacity')).toHaveText('2.00 Mbps');
});

test('a chart out of view is painted when it comes into view', async ({ page, lab }) => {
  await page.addInitScript(() => {
    const drawings: PerformanceEntry[] = [];
    Object.assign(window, { drawings });
    new PerformanceObserver((list) => drawings.push(...list.getEntries())).observe({ type: 'measure' });
  });
  const drawings = (): Promise<number> =>
    page.evaluate(() => (window as unknown as { drawings: unknown[] }).drawings.length);
  await page.setViewportSize({ width: 1280, height: 400 });
  await lab.begin();
  await expect.poll(drawings).toBeGreaterThan(0);
  const chart = page.locator('.chart').last();
  const painted = (): Promise<string> =>
    chart.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const [drawnBefore, before] = [await drawings(), await painted()];
  // Moves the capacity slider by dispatching an event, because Playwright's actions would scroll to the
  // slider. A change of the capacity creates no new charts. (New charts would count as in view until the
  // browser reports their positions.)
  await page
    .locator('aside input[type=range]')
    .first()
    .evaluate((slider) => {
      (slider as HTMLInputElement).stepDown(20);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    });
  await expect.poll(drawings).toBeGreaterThan(drawnBefore);
  // Compares the pictures with `===`, because they are too long for an error message.
  expect((await painted()) === before).toBe(true);
  await chart.scrollIntoViewIfNeeded();
  await expect.poll(async () => (await painted()) === before).toBe(false);
});

test('a chart is taken home as a picture and as numbers', async ({ page, lab }) => {
  await lab.begin();
  const rates = page.locator('figure.chart.rates');
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    rates.getByRole('button', { name: 'PNG of Rates' }).click(),
  ]);
  expect((await readFile(await picture.path())).subarray(1, 4).toString()).toBe('PNG');
  const [numbers] = await Promise.all([
    page.waitForEvent('download'),
    rates.getByRole('button', { name: 'CSV of Rates' }).click(),
  ]);
  const [head, ...rows] = (await readFile(await numbers.path(), 'utf8')).trimEnd().split('\r\n');
  expect(head).toBe('series,unit,time_s,value');
  const capacities = rows
    .filter((row) => row.startsWith('Capacity,bps,'))
    .map((row) => Number(row.split(',')[3]));
  expect(capacities.length).toBeGreaterThan(100);
  expect(new Set(capacities)).toEqual(new Set([2e6]));
  const received = rows.filter((row) => row.startsWith('call,bps,')).map((row) => Number(row.split(',')[3]));
  expect(Math.max(...received)).toBeGreaterThan(1e6);
  expect(Math.max(...received)).toBeLessThan(2.2e6);
});
