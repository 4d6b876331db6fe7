/**
 * Several controllers on the Call page: the controller in charge, shadows (controllers that only watch), and a
 * user's own controller.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';

import { collector, readTrace } from '../../src/trace/index.js';
import { expect, test } from './support.js';

const shadow = (text: string) => `input[name=shadow][value="${text}"]`;

test('shadows come during a call without a restart, are drawn, and open again from the trace', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.url);
  await scope.start();
  await scope.groups(30);
  await page.locator(shadow('nada')).check();
  await page.locator(shadow('lcc')).check();
  await page.locator('select[name=another-shadow]').selectOption('gcc:ton-2017-literal');
  for (const name of ['NADA', 'LCC', 'ton-2017-literal']) {
    await expect(scope.value(name)).toHaveText(/bps$/);
    await expect(scope.summary(`Shadow .*${name}`)).toContainText(`${name} would ask for`);
  }
  await expect(scope.summary('Target')).toContainText('GCC asks for');
  await expect(page.getByText('GCC in control')).toBeVisible();
  await expect(page.getByLabel('Notices')).not.toContainText('restarted');
  await expect.poll(() => scope.query().get('shadow')).toBe('nada,lcc,gcc:ton-2017-literal');

  // The charts can also show the internal values of a shadow.
  await page.getByLabel('Look into').selectOption('NADA (shadow)');
  await expect(page.getByRole('img', { name: /^Congestion signal/ })).toBeVisible();
  await expect(scope.value('x_curr')).toHaveText(/ms$/);
  await expect(scope.summary('x_curr')).toContainText(/mode: (ramp-up|gradual)/);
  await expect(page.getByRole('img', { name: /^Overuse detector/ })).toHaveCount(0);

  await page.locator(shadow('lcc')).uncheck();
  await expect(page.getByText('NADA, LCC, ton-2017-literal')).toBeVisible();
  await scope.stop();

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save to a file' }).click();
  const path = await (await downloading).path();
  const { sink, trace, header } = collector();
  await readTrace(createReadStream(path), sink, { file: path });
  expect(header()).toMatchObject({
    controller: 'gcc',
    preset: 'gcc-live',
    flows: [
      { flow: 1, name: 'NADA', kind: 'shadow', controller: 'nada', preset: 'nada-live' },
      { flow: 2, name: 'LCC', kind: 'shadow', controller: 'lcc' },
      { flow: 3, name: 'ton-2017-literal', kind: 'shadow', controller: 'gcc' },
    ],
  });
  const { columns } = trace.view({ table: 'arrival', columns: ['flow'] });
  expect(new Set(columns['flow'])).toEqual(new Set([0]));

  await page.goto(served.url);
  const file = { name: 'again.ndjson', mimeType: 'application/x-ndjson', buffer: await readFile(path) };
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles(file);
  await expect(page.getByText('again.ndjson')).toBeVisible();
  for (const name of ['Target', 'NADA', 'ton-2017-literal'])
    await expect(scope.value(name)).toHaveText(/bps$/);
  await expect(scope.value('T\\b')).toHaveText(/ms$/);
});

test('NADA in charge has its own parameters and pictures', async ({ page, served, scope }) => {
  await page.goto(`${served.url}?shadow=gcc`);
  await scope.start();
  await page.locator('select[name=controller]').selectOption('nada');
  await expect(page.getByLabel('Notices')).toContainText('NADA is in charge now');
  await scope.live();
  await expect(page.getByText('NADA in control')).toBeVisible();
  await expect(page.locator('select[name=preset]')).toHaveValue('nada-live');
  await expect(scope.value('x_curr')).toHaveText(/ms$/);
  await expect(scope.value('Target')).toHaveText(/bps$/);
  await expect(scope.value('Received')).toHaveText(/bps$/);
  await expect(page.getByRole('img', { name: /^Overuse detector/ })).toHaveCount(0);
  await page.getByText('Parameters', { exact: true }).click();
  await expect(page.getByLabel('kappa', { exact: false }).first()).toBeVisible();
  expect(scope.query().get('controller')).toBe('nada');
});

const own = (rate: string, targetBps = 400e3): Buffer =>
  Buffer.from(`export default {
    name: 'mine',
    createReceiver: () => ({ onArrival: (a) => [a.sizeBytes] }),
    createSender: () => { let n = 0; return { onFeedback() {}, rate() { n++; ${rate} return { targetBps: ${targetBps} }; } }; },
  };`);

/** The user's file `mine.mjs`, which requests a fixed rate. */
const mine = (targetBps: number) => ({
  name: 'mine.mjs',
  mimeType: 'text/javascript',
  buffer: own('', targetBps),
});

test('a file of the user is in charge, and named when it fails', async ({ page, served, scope }) => {
  await page.goto(served.url);
  const field = page.locator('input[name=own-controller]');
  await field.setInputFiles({ name: 'mine.ts', mimeType: 'text/plain', buffer: own('') });
  await expect(page.getByLabel('Notices')).toContainText(
    /mine\.ts is not a controller that a page can run.*command line/s,
  );

  await field.setInputFiles({ name: 'mine.mjs', mimeType: 'text/javascript', buffer: own('') });
  await scope.start();
  await expect(page.getByText('mine.mjs in control')).toBeVisible();
  await expect(scope.value('Target')).toHaveText('400 kbps');
  await field.setInputFiles({ name: 'mine.mjs', mimeType: 'text/javascript', buffer: own('n++;') });
  await expect(page.getByLabel('Notices')).toContainText(
    'The call goes on with the mine.mjs that it began with.',
  );

  const wrong = own('if (n > 20) throw new Error("boom");');
  await field.setInputFiles({ name: 'wrong.mjs', mimeType: 'text/javascript', buffer: wrong });
  await expect(page.getByLabel('Notices')).toContainText(/wrong\.mjs failed at the sender: .*boom/);
  await expect(scope.value('Target')).toHaveText('400 kbps');
  await expect(page.getByRole('status')).toHaveText('Live');
});

test('a file that only watched takes charge as it is now', async ({ page, served, scope }) => {
  await page.goto(served.url);
  const field = page.locator('input[name=own-controller]');
  await field.setInputFiles(mine(400e3));
  await page.locator('select[name=controller]').selectOption('gcc');
  await page.locator(shadow('own:mine.mjs')).check();
  await scope.start();
  await expect(scope.value('mine.mjs')).toHaveText('400 kbps');
  await field.setInputFiles(mine(800e3));
  await expect(page.getByText('mine.mjs in control')).toBeVisible();
  await expect(scope.value('Target')).toHaveText('800 kbps');
  await expect(page.getByLabel('Notices')).not.toContainText('goes on with');
});

test('a call keeps the file that it began with until it is stopped, through restarts too', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.url);
  const field = page.locator('input[name=own-controller]');
  await field.setInputFiles(mine(400e3));
  await scope.start();
  await expect(scope.value('Target')).toHaveText('400 kbps');
  await field.setInputFiles(mine(800e3));
  const goesOn = 'The call goes on with the mine.mjs that it began with.';
  await expect(page.getByLabel('Notices')).toContainText(goesOn);

  await page.locator('summary', { hasText: /^Call$/ }).click();
  await page.getByLabel('Codec').selectOption('vp9');
  await expect(page.getByLabel('Notices')).toContainText('the video is VP9 now');
  await scope.live();
  await expect.poll(() => page.evaluate(() => window.ccscope.state().connectedForS ?? 0)).toBeGreaterThan(2);
  await expect(scope.value('Target')).toHaveText('400 kbps');
  await expect(page.getByLabel('Notices')).toContainText(goesOn);

  await scope.stop();
  await expect(page.getByLabel('Notices')).not.toContainText(goesOn);
  await scope.start();
  await expect(scope.value('Target')).toHaveText('800 kbps');
});

test('a file whose name cannot be in an address as it is decides a call', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await page
    .locator('input[name=own-controller]')
    .setInputFiles({ name: 'mine, second.mjs', mimeType: 'text/javascript', buffer: own('') });
  await scope.start();
  await expect(page.getByText('mine second.mjs in control')).toBeVisible();
  await expect(scope.value('Target')).toHaveText('400 kbps');
});

test('a link to a file that is not here says so', async ({ page, served }) => {
  await page.goto(`${served.url}?controller=own:gone.mjs`);
  await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
  await expect(page.getByLabel('Notices')).toContainText(
    /does not have the controller gone\.mjs.*Choose the file again/s,
  );
});
