/**
 * The printable report: in the light theme, without controls, with the results, their settings in words, and the
 * address of the view.
 */
import { join } from 'node:path';
import type { Page } from '@playwright/test';

import { expect, test } from './support.js';

/** Returns what the page shows in print, and the measurements of its charts. */
const onPaper = (page: Page) =>
  page.evaluate(() => {
    const isSeen = (element: Element): boolean => element.getClientRects().length > 0;
    const report = document.querySelector('.report-head');
    const facts = [...(report?.querySelectorAll('dl > div') ?? [])].map((each) => [
      each.querySelector('dt')?.textContent ?? '',
      each.querySelector('dd')?.textContent ?? '',
    ]);
    const charts = [...document.querySelectorAll<HTMLCanvasElement>('.plot canvas, .canvas canvas')];
    const { right } = document.querySelector('main')?.getBoundingClientRect() ?? { right: 0 };
    return {
      title: report?.querySelector('h2')?.textContent,
      facts: Object.fromEntries(facts) as Record<string, string>,
      theme: document.documentElement.dataset['theme'],
      controls: [...document.querySelectorAll('header, aside, nav, video, input, select')].filter(isSeen)
        .length,
      buttons: [...document.querySelectorAll('button')]
        .filter((button) => isSeen(button) && !button.closest('.legend, .why-lines'))
        .map(({ textContent }) => textContent),
      charts: charts.map((canvas) => {
        const { width, height, right: end } = canvas.getBoundingClientRect();
        const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        let drawn = 0;
        for (let i = 3; i < pixels.length; i += 4) if ((pixels[i] ?? 0) > 0) drawn += 1;
        const breaks = getComputedStyle(canvas.closest('figure') ?? canvas).breakInside;
        return { fits: end <= right + 1, ratio: canvas.width / width, drawn, height, breaks, width };
      }),
      lines: [...document.querySelectorAll('.why-lines li')].filter(isSeen).length,
    };
  });

/** Switches to the print style, without printing. */
async function turnToPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.report-head')).toBeVisible();
}

const isFine = ({
  fits,
  ratio,
  drawn,
  breaks,
  width,
}: Awaited<ReturnType<typeof onPaper>>['charts'][number]) =>
  fits && Math.abs(ratio - 2) < 0.1 && drawn > 1000 && breaks === 'avoid' && width > 400;

test('a run of the Lab is printed with its network, seed, charts, table and reasons', async ({
  page,
  served,
}) => {
  await page.goto(`${served.staticUrl}lab.html?scenario=ton-fig11&run=1&theme=dark&seed=5`);
  await expect(page.getByRole('status')).toHaveText('Done');
  await expect(page.locator('.why-lines li').first()).toBeVisible();
  await page.evaluate(() => {
    window.print = () => void (document.title = 'printed');
  });
  await page.getByRole('button', { name: 'Print report' }).click();
  await expect(page).toHaveTitle('printed');
  await turnToPaper(page);
  const paper = await onPaper(page);
  expect(paper).toMatchObject({ theme: 'light', controls: 0, buttons: [] });
  expect(paper.lines).toBeGreaterThan(10);
  expect(paper.title).toBe('One flow over a constant capacity');
  expect(paper.facts).toMatchObject({ Seed: '5' });
  expect(paper.facts['Network']).toMatch(/kbps|mbps/i);
  expect(paper.facts['Flows']).toMatch(/GCC|gcc/);
  expect(paper.facts['Printed']).toContain('ccscope');
  expect(paper.facts['This view']).toContain('lab.html?scenario=ton-fig11');
  expect(paper.charts.length).toBeGreaterThan(3);
  expect(paper.charts.filter((chart) => !isFine(chart))).toEqual([]);
  await expect(page.getByRole('heading', { name: 'Flows' })).toBeVisible();
  // After printing, the screen shows the same as before.
  await page.emulateMedia({ media: 'screen' });
  await expect(page.locator(':root')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('.report-head')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Print report' })).toBeVisible();
  // For printing, the browser lays out the page again after the charts were drawn. The charts must not be
  // stretched on paper.
  await page.evaluate(() => {
    const look = (): void => {
      const charts = [...document.querySelectorAll<HTMLCanvasElement>('.plot canvas')];
      const ratios = charts.flatMap((each) => [
        each.width / each.clientWidth,
        each.height / each.clientHeight,
      ]);
      document.title = ratios.map((ratio) => ratio.toFixed(1)).join(' ');
    };
    matchMedia('print').addEventListener('change', look, { once: true });
  });
  await page.emulateMedia({ media: null });
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  await expect(page).toHaveTitle(/^2\.0( 2\.0)+$/);
});

test('a recording is printed with what its header says', async ({ page, served }) => {
  await page.goto(served.staticUrl);
  await page
    .locator('input[type=file][accept*=ndjson]')
    .setInputFiles(join(served.appDir, 'sample/call.ndjson'));
  await expect(page.locator('.provenance')).toContainText('call.ndjson');
  await expect(page.locator('.why-lines li').first()).toBeVisible();
  await page.locator('.why > summary').click();
  await turnToPaper(page);
  const paper = await onPaper(page);
  expect(paper).toMatchObject({ theme: 'light', controls: 0, buttons: [] });
  expect(paper.title).toBe('Recording of a call: call.ndjson');
  expect(paper.facts).toMatchObject({ Controller: 'gcc, gcc' });
  expect(paper.charts).toHaveLength(5);
  expect(paper.charts.filter((chart) => !isFine(chart))).toEqual([]);
  await expect(page.locator('table.summary')).toBeVisible();
  // On paper the list is expanded, although it was collapsed on the screen.
  expect(paper.lines).toBeGreaterThan(0);
});

test('a call is printed with its link and parameters in words', async ({ page, scope, served }) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page&capacity=700kbps&set.k_u=0.02`);
  await scope.start();
  await scope.groups(20);
  await turnToPaper(page);
  const { facts, controls, theme } = await onPaper(page);
  expect({ controls, theme }).toEqual({ controls: 0, theme: 'light' });
  expect(facts['Network']).toMatch(/^700kbps, .*rtt \d+ ms/);
  expect(facts['Parameters']).toContain('k_u 0.02');
  expect(facts['Video']).toContain('640 × 360');
  expect(facts['This view']).toContain('set.k_u=0.02');
});

test('all figures of a paper’s experiment are on paper, those too that nobody scrolled to', async ({
  page,
  served,
}) => {
  await page.goto(`${served.staticUrl}papers.html?scenario=cmp-table1&run=1&theme=dark`);
  await expect(page.getByRole('status')).toHaveText('Done', { timeout: 60_000 });
  const figures = await page.locator('.canvas').count();
  expect(await page.locator('.canvas canvas').count()).toBeLessThan(figures);
  await turnToPaper(page);
  const paper = await onPaper(page);
  expect(paper).toMatchObject({ theme: 'light', controls: 0, buttons: [] });
  expect(paper.charts).toHaveLength(figures);
  expect(paper.charts.filter((chart) => !isFine(chart))).toEqual([]);
  expect(paper.facts['This view']).toContain('scenario=cmp-table1');
});
