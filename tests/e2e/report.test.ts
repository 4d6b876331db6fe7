import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { expect, test as base } from '@playwright/test';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The report on a small scenario that has a figure of each kind, 8 figures in all. */
const test = base.extend<object, { report: string }>({
  report: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'ccscope-'));
      const file = join(folder, 'report.html');
      const scenario = join(root, 'tests/node/reproduce_scenario.json');
      const args = ['scripts/ccscope.mjs', 'reproduce', scenario, '--runs', '2', '--html', file];
      execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' });
      await use(pathToFileURL(file).href);
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

test('the report draws every picture by itself, without the network', async ({ page, report }) => {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== report && !request.url().startsWith('data:')) problems.push(request.url());
  });
  await page.goto(report);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Published and measured');
  const pictures = page.getByRole('img');
  await expect(pictures).toHaveCount(8);
  await expect(
    page.getByRole('img', { name: /^Bars of utilisation over queue \(150ms, codel\)\. C 1 Mbps: .* %/ }),
  ).toBeVisible();
  await expect(page.getByRole('img', { name: /^Box plot of RTT/ })).toBeVisible();
  // A canvas without a drawing has only one colour, the background's.
  const colours = await page.locator('canvas').evaluateAll((canvases) =>
    canvases.map((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const pixels = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
      return new Set(new Uint32Array(pixels?.buffer ?? new ArrayBuffer())).size;
    }),
  );
  expect(colours).not.toEqual([]);
  for (const count of colours) expect(count).toBeGreaterThan(20);
  expect(problems).toEqual([]);
});

test('the report reads without pictures: numbers, verdicts and claims in tables and lists', async ({
  page,
  report,
}) => {
  await page.goto(report);
  const table = page.getByRole('table', { name: /^Published beside measured/ });
  await expect(table.getByRole('row')).toHaveCount(1 + 8);
  await expect(
    table.getByRole('row', { name: /nearly a second .* 850 … 950 ms ° ordering \[1\]/ }),
  ).toHaveCount(2);
  await expect(page.getByRole('listitem').filter({ hasText: '✓ holds [1] CoDel queues less' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'small' })).toHaveAttribute('href', '#small');
});

test('the report follows the theme, and a button changes it', async ({ page, report }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(report);
  const background = (): Promise<string> =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const drawn = (): Promise<string> =>
    page
      .locator('canvas')
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const [dark, darkPicture] = [await background(), await drawn()];
  await page.getByRole('button', { name: 'Dark or light' }).click();
  expect(await background()).not.toBe(dark);
  await expect.poll(drawn).not.toBe(darkPicture);
});

test('no script runs in the report but its own', async ({ page, report }) => {
  await page.goto(report);
  const outcome = await page.evaluate(async () => {
    const refused = new Promise<string>((resolve) =>
      addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective)),
    );
    const script = document.createElement('script');
    script.textContent = 'document.title = "injected"';
    document.body.append(script);
    return { refused: await refused, title: document.title };
  });
  expect(outcome.refused).toBe('script-src-elem');
  expect(outcome.title).not.toContain('injected');
});
