/**
 * A recording of somebody else's page opens in the app; charts show its streams, and the outputs of the controllers
 * that analysed them.
 */
import { readFile } from 'node:fs/promises';

import { openCall } from '../inject/overlay_support.js';
import { expect, test } from './support.js';

test('a recording that was taken home from a page of others is drawn', async ({
  context,
  page,
  served,
  scope,
}) => {
  const foreign = await context.newPage();
  await openCall(foreign, { script: 'ccscope' });
  const overlay = foreign.locator('ccscope-overlay');
  const reading = overlay.getByRole('region', { name: 'Recording' }).locator('.reading');
  await expect(overlay.getByRole('button', { name: /Receives video/i })).toBeVisible();
  await expect(reading).toContainText(/0:(0[8-9]|[1-5]\d),/);
  const downloading = foreign.waitForEvent('download');
  await overlay.getByRole('button', { name: 'Download', exact: true }).click();
  const file = await (await downloading).path();
  await foreign.close();

  await page.goto(served.url);
  const [name, mimeType, buffer] = ['taken_home.ndjson', 'application/x-ndjson', await readFile(file)];
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles({ name, mimeType, buffer });
  await expect(page.getByText('taken_home.ndjson')).toBeVisible();
  await expect(scope.value('Received')).toHaveText(/bps$/);
  await expect(scope.value('T\\b')).toHaveText(/ms$/);
  await page.screenshot({ path: test.info().outputPath('taken_home.png') });
});
