/** The pages link to the documentation if the server has it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    // A theme from a shared address is not stored. A theme that the user chooses is stored where the
    // documentation looks for it.
    await page.goto(`${server.url}lab.html?theme=dark`);
    await expect(link).toHaveAttribute('href', './docs/');
    await page.getByRole('button', { name: 'Light theme' }).click();
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await link.click();
    await expect(page).toHaveURL(/\/docs\/$/);
    expect(await page.evaluate(() => localStorage.getItem('vitepress-theme-appearance'))).toBe('dark');
    await page.goto(served.url);
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Lab' })).toBeVisible();
    await expect(link).toHaveCount(0);
  } finally {
    await server.close();
    rmSync(docsDir, { recursive: true });
  }
});

test('a notice leads to the section on its code', async ({ page, served }) => {
  const docsDir = mkdtempSync(join(tmpdir(), 'ccscope-docs-'));
  mkdirSync(join(docsDir, 'src/text'), { recursive: true });
  writeFileSync(
    join(docsDir, 'src/text/errors.html'),
    '<!doctype html><title>Errors</title><h3 id="url">url-…</h3>',
  );
  const server = await startServer({ appDir: served.appDir, docsDir });
  try {
    await page.goto(`${server.url}?rtt_ms=-5`);
    const more = page.getByLabel('Notices').getByRole('link', { name: 'More on url-rtt_ms' });
    const [opened] = await Promise.all([page.waitForEvent('popup'), more.click()]);
    await expect(opened).toHaveTitle('Errors');
    expect(new URL(opened.url()).hash).toBe('#url');
    await page.goto(`${served.url}?rtt_ms=-5`);
    await expect(page.getByLabel('Notices')).toContainText('rtt_ms=-5 was not understood');
    await expect(more).toHaveCount(0);
  } finally {
    await server.close();
    rmSync(docsDir, { recursive: true });
  }
});

test('the lesson beside TCP leads to the rule that live calls have for it', async ({ page, served }) => {
  const docsDir = mkdtempSync(join(tmpdir(), 'ccscope-docs-'));
  mkdirSync(join(docsDir, 'wasm/cc/gcc'), { recursive: true });
  writeFileSync(join(docsDir, 'wasm/cc/gcc/gcc.html'), '<!doctype html><title>GCC</title>');
  const server = await startServer({ appDir: served.appDir, docsDir });
  const rule = page.getByRole('link', { name: 'a rule of its own for TCP' });
  const show = page.getByRole('button', { name: 'Show without predicting' });
  try {
    await page.goto(`${server.url}lessons.html?lesson=adaptive-threshold`);
    await show.click();
    const [opened] = await Promise.all([page.waitForEvent('popup'), rule.click()]);
    await expect(opened).toHaveTitle('GCC');
    expect(new URL(opened.url()).hash).toBe('#in-a-call');
    await page.goto(`${served.url}lessons.html?lesson=adaptive-threshold`);
    await show.click();
    await expect(page.getByText('a rule of its own for TCP')).toBeVisible();
    await expect(rule).toHaveCount(0);
  } finally {
    await server.close();
    rmSync(docsDir, { recursive: true });
  }
});
