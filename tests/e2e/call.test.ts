import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { loadCore } from '../../src/core/index.js';
import { collector, readTrace, Replayer, TraceData } from '../../src/trace/index.js';
import { expect, test } from './support.js';

test('a call over the shaper fills every chart and the summary', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await expect(page.getByRole('heading', { name: /under the scope/ })).toBeVisible();
  await scope.start();
  await scope.groups(150);
  for (const series of ['Capacity', 'Received', 'Sent', 'Target', 'Ar\\b', 'As\\b']) {
    await expect(scope.value(series), series).toHaveText(/bps$/);
  }
  for (const series of ['Queuing delay', 'RTT', 'dm\\b', 'm\\b', 'T\\b', '\\+γ', '−γ']) {
    await expect(scope.value(series), series).toHaveText(/ms$/);
  }
  await expect(scope.value('Loss ratio')).toHaveText(/%$/);
  await expect(scope.summary('Detector')).toContainText(/normal|overuse|underuse/);
  await expect(scope.summary('Queue')).toContainText('at the shaper');
  await page.getByText('How this is measured').click();
  await expect(page.getByText('shaper, real packets')).toBeVisible();
  await expect(page.getByText('GCC in control')).toBeVisible();
  await expect
    .poll(() => page.evaluate(async () => (await window.ccscope.media())?.framesDecoded))
    .toBeGreaterThan(60);
});

test('controls change the link and the controller of the running call', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await scope.start();
  await expect(scope.value('Capacity')).toHaveText('1.00 Mbps');

  const capacity = page.getByLabel('Capacity', { exact: true }).first();
  await capacity.fill('600kbps');
  await capacity.press('Enter');
  await expect(scope.value('Capacity')).toHaveText('600 kbps');

  await capacity.fill('600 parsecs');
  await capacity.press('Enter');
  await expect(page.getByText(/Expected a rate from/)).toBeVisible();
  await expect(scope.value('Capacity')).toHaveText('600 kbps');

  await page.getByText('Parameters', { exact: true }).click();
  const gain = page.getByLabel('k_u', { exact: false }).first();
  await gain.fill('0.02');
  await gain.press('Enter');
  await expect
    .poll(() => page.evaluate(() => window.ccscope.exportTrace()))
    .toMatch(/"name":"parameter","detail":\{"name":"k_u","value":0\.02\}/);
  await expect.poll(() => scope.query().get('set.k_u')).toBe('0.02');
  expect(scope.query().get('capacity')).toBe('600kbps');
});

test('who decides the bitrate can be changed during a call, which starts again by itself', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.url);
  await scope.start();
  await scope.groups(60);
  const controller = page.getByLabel('Who decides the bitrate');
  const notices = page.getByLabel('Notices');
  const inCharge = page.locator('.provenance div', { hasText: 'In charge' }).locator('dd');
  const framesFlow = (): Promise<void> =>
    expect
      .poll(() => page.evaluate(async () => (await window.ccscope.media())?.framesDecoded))
      .toBeGreaterThan(30);

  let groups = await page.evaluate(() => window.ccscope.counters().groups);
  await controller.selectOption('native');
  await expect(notices).toContainText(
    'The call was restarted: the browser’s own controller is in charge now.',
  );
  await scope.live();
  await expect(inCharge).toHaveText('the browser’s own controller');
  await framesFlow();
  await scope.groups(groups + 30);

  groups = await page.evaluate(() => window.ccscope.counters().groups);
  await controller.selectOption('gcc');
  await expect(notices).toContainText('The call was restarted: GCC is in charge now.');
  await scope.live();
  await expect(inCharge).toHaveText('GCC in control');
  await framesFlow();
  await scope.groups(groups + 30);
  await scope.stop();

  // One recording contains the three calls. The replay of each call must produce the recorded `group` rows.
  const recorded = await page.evaluate(() => window.ccscope.exportTrace());
  const { sink, trace } = collector();
  await readTrace(Readable.from([Buffer.from(recorded)]), sink);
  const told = trace.events.filter(({ name }) => ['start', 'controller', 'stop'].includes(name));
  expect(told.map(({ name }) => name)).toEqual([
    'start',
    ...['controller', 'stop', 'start'],
    ...['controller', 'stop', 'start'],
    'stop',
  ]);
  expect(told[1]?.detail).toEqual({ from: 'gcc', to: 'native' });
  const replayed = new TraceData();
  const replayer = new Replayer(await loadCore(), {
    emit: (batch) => batch.table === 'group' && replayed.append(batch),
  });
  await readTrace(Readable.from([Buffer.from(recorded)]), replayer);
  replayer.end();
  replayer.destroy();
  const groupsOf = (data: TraceData): string[] =>
    [...data.lines()].filter((line) => line.startsWith('{"type":"group"'));
  expect(groupsOf(replayed)).toEqual(groupsOf(trace));
});

test('the recorded trace downloads as format v1 and opens again', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await scope.start();
  await scope.groups(60);
  const [early] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save to a file' }).click(),
  ]);
  const part = page.getByText(
    `Saved as ${early.suggestedFilename()}. The rest of the call is not in this file.`,
  );
  await expect(part).toBeVisible();
  await scope.stop();
  await expect(part).toBeVisible();

  const downloading = page.waitForEvent('download');
  await page.getByRole('banner').getByRole('button', { name: 'Save' }).click();
  const path = await (await downloading).path();
  await expect(page.getByText(`Saved as ${(await downloading).suggestedFilename()}.`)).toBeVisible();
  const { sink, trace, header } = collector();
  await readTrace(createReadStream(path), sink, { file: path });
  expect(header()).toMatchObject({ ccscope_trace: 1, source: 'call', controller: 'gcc', preset: 'gcc-live' });
  const { rows } = trace.extent();
  for (const table of ['arrival', 'inbound', 'group', 'feedback', 'rate', 'queue'])
    expect(rows[table], table).toBeGreaterThan(5);
  expect(trace.events.map(({ name }) => name)).toEqual(expect.arrayContaining(['start', 'stop']));

  // With `paused=1` in the address, the sample recording does not start to play.
  await page.goto(`${served.url}?paused=1`);
  await expect(scope.value('Received')).toHaveText('–');
  const file = { name: 'again.ndjson', mimeType: 'application/x-ndjson', buffer: await readFile(path) };
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles(file);
  await expect(page.getByText('again.ndjson')).toBeVisible();
  await expect(scope.value('Received')).toHaveText(/bps$/);
  await expect(scope.value('T\\b')).toHaveText(/ms$/);
});

test('a file that is no trace is refused with line and field', async ({ page, served }) => {
  await page.goto(served.url);
  const buffer = Buffer.from('{"ccscope_trace":1}\n{"type":"group","time_us":"soon"}\n');
  await page
    .locator('input[type=file][accept*=ndjson]')
    .setInputFiles({ name: 'bad.ndjson', mimeType: 'text/plain', buffer });
  await expect(page.getByLabel('Notices')).toContainText(/bad\.ndjson:2: .*expected/);
});

test('on a static host the bottleneck is in the page, and the page says so', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.staticUrl);
  await scope.start();
  await scope.groups(60);
  await expect(page.getByLabel('Notices')).toContainText('the bottleneck is in the page');
  await expect(scope.summary('Queue')).toContainText('in-page bottleneck');
  await expect(scope.value('Capacity')).toHaveText('1.00 Mbps');
});

test('a second page takes the far side by link', async ({ page, context, served, scope }) => {
  await page.goto(`${served.url}?role=send&room=e2e`);
  await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
  await expect(page.getByRole('status')).toHaveText(/Waiting/);
  // While this page waits, the link that invites another page can still be copied.
  await expect(page.getByRole('button', { name: 'Copy join link' })).toBeVisible();
  const twin = await context.newPage();
  await twin.goto(`${served.url}?role=send&room=e2e&autostart=1`);
  await expect(page.getByLabel('Notices')).toContainText('The other page of this room also sends');
  await twin.close();
  const far = await context.newPage();
  await far.goto(`${served.url}?role=receive&room=e2e&autostart=1`);
  await scope.live();
  await expect(far.getByRole('status')).toHaveText('Live');
  await expect.poll(() => far.evaluate(() => window.ccscope.counters().groups)).toBeGreaterThan(60);
  await expect.poll(() => page.evaluate(() => window.ccscope.counters().rows['rate'])).toBeGreaterThan(20);
});
