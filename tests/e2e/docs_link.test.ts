/** The pages lead to the documentation where the server has it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from '../../src/server/server.js';
import { expect, test } from './support.js';

test('a server with the documentation has a link to it, one without has none', async ({ page, served }) => {
  const docsDir = mkdtempSync(join(tmpdir(), 'ccscope-docs-'));
  writeFileSync(join(docsDir, 'index.html'), '<!doctype html><title>The documentation</title>');
  const server = await startServer({ appDir: served.appDir, docsDir });
  try {
    const link = page.getByRole('navigation').getByRole('link', { name: 'Docs' });
    for (const file of ['', 'lab.html', 'lessons.html']) {
      await page.goto(`${server.url}${file}`);
      await link.click();
      await expect(page).toHaveTitle('The documentation');
    }
    await page.goto(served.url);
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Lab' })).toBeVisible();
    await expect(link).toHaveCount(0);
  } finally {
    await server.close();
    rmSync(docsDir, { recursive: true });
  }
});
