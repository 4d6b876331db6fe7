/**
 * Charts as files: an SVG contains everything that the chart shows, as text and lines that other programs can
 * edit.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './support.js';

const NAME = 'call.1';

const SCENARIO = {
  ccscope_scenario: 1,
  id: 'names',
  title: 'Names',
  description: 'Two flows.',
  duration_s: 20,
  forward: { capacity: '1mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
  flows: [
    { kind: 'media', name: NAME },
    { kind: 'tcp', name: 'download', start_s: 8 },
  ],
};

async function saved(page: Page, button: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFile(await download.path());
}

/** The content of an SVG, parsed as XML. */
const read = (page: Page, source: string) =>
  page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    const all = [...parsed.querySelectorAll('*')];
    const of = (name: string) => [...parsed.querySelectorAll(name)];
    return {
      root: parsed.documentElement.localName,
      names: [...new Set(all.map(({ localName }) => localName))],
      title: of('title').map(({ textContent }) => textContent),
      texts: of('text').map((each) => ({
        text: each.textContent,
        fill: each.getAttribute('fill'),
        family: each.getAttribute('font-family'),
        size: each.getAttribute('font-size'),
        weight: each.getAttribute('font-weight'),
      })),
      strokes: of('path[d]').map((each) => ({
        stroke: each.getAttribute('stroke'),
        opacity: each.getAttribute('stroke-opacity'),
        dashes: each.getAttribute('stroke-dasharray'),
        commands: (each.getAttribute('d') ?? '').split(/[ML]/).length,
      })),
      rects: of('rect').map((each) => each.getAttribute('fill')),
    };
  }, source);

async function openLab(page: Page, url: string): Promise<void> {
  await page.goto(`${url}lab.html?theme=light`);
  await page
    .locator('input[type=file][accept*=json]')
    .first()
    .setInputFiles({
      name: 'names.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(SCENARIO)),
    });
  await expect(page.getByRole('status')).toHaveText('Done');
  await expect(page.locator('.provenance')).toContainText('names');
}

test('an SVG of the Lab has title, legend, axes, lines, and the ghost of the run before', async ({
  page,
  served,
}) => {
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await openLab(page, served.staticUrl);
  const button = page.locator('figure.chart.rates').getByRole('button', { name: 'SVG of Rates' });
  const source = (await saved(page, button)).toString();
  const { root, names, title, texts, strokes } = await read(page, source);
  expect(root).toBe('svg');
  expect(names).not.toContain('script');
  expect(title).toEqual(['Rates']);
  const byText = Object.fromEntries(texts.map((each) => [each.text, each]));
  expect(byText['Rates']).toMatchObject({ weight: 'bold', size: '12px' });
  expect(byText['Rates']?.family).toContain('system-ui');
  for (const text of ['Mbps', NAME, 'download', 'Capacity', '1', '4 s', '10 s'])
    expect(Object.keys(byText)).toContain(text);
  // Each flow's line has the colour of the flow's name in the legend.
  for (const name of [NAME, 'download']) {
    const line = strokes.filter(({ stroke, commands }) => stroke === byText[name]?.fill && commands > 50);
    expect(line, name).not.toHaveLength(0);
  }
  const isGhost = ({ opacity, commands }: (typeof strokes)[number]): boolean =>
    Number(opacity ?? 1) < 0.5 && commands > 50;
  expect(strokes.filter(isGhost)).toHaveLength(0);
  const seed = page.getByRole('spinbutton', { name: 'Seed' });
  await seed.fill('7');
  await seed.press('Enter');
  await expect(page.locator('.provenance')).toContainText('Seed7');
  await expect(page.getByRole('status')).toHaveText('Done');
  await expect(async () => {
    const again = await read(page, (await saved(page, button)).toString());
    expect(again.strokes.filter(isGhost).length).toBeGreaterThan(0);
  }).toPass();
  // A chart of states contains the states' names, and fills each state with the colour of its name.
  const states = page.locator('figure.chart.states').getByRole('button', { name: 'SVG of States' });
  const strip = await read(page, (await saved(page, states)).toString());
  const normal = strip.texts.find(({ text }) => text === 'normal');
  expect(strip.texts.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['signal', 'state', 'overuse', 'increase']),
  );
  expect(strip.rects.filter((fill) => fill === normal?.fill).length).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

test('markup in a name of a recording comes out as text', async ({ page, served }) => {
  const name = '<script>x()</script> & "1"';
  const [head = '', ...rows] = readFileSync(join(served.appDir, 'sample/call.ndjson'), 'utf8').split('\n');
  const flows = [{ flow: 7, name, kind: 'shadow', controller: 'nada' }];
  const header = JSON.stringify({ ...(JSON.parse(head) as object), flows });
  await page.goto(`${served.staticUrl}?theme=light`);
  await page.locator('input[type=file][accept*=ndjson]').setInputFiles({
    name: 'call.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from([header, ...rows].join('\n')),
  });
  await expect(page.locator('.provenance')).toContainText('call.ndjson');
  const button = page.locator('figure.chart.rates').getByRole('button', { name: 'SVG of Rates' });
  const { root, names, texts } = await read(page, (await saved(page, button)).toString());
  expect(root).toBe('svg');
  expect(names).not.toContain('script');
  expect(texts.filter(({ text }) => text.includes(name))).toHaveLength(1);
});

test('a mark of the link stands in the SVG of a call’s chart', async ({ page, scope, served }) => {
  await page.goto(`${served.staticUrl}?theme=light&bottleneck=in-page`);
  await scope.start();
  await scope.groups(20);
  const capacity = page.getByRole('combobox', { name: 'Capacity' });
  await capacity.fill('600kbps');
  await capacity.press('Enter');
  await expect(page.locator('.mark-labels button').first()).toBeAttached();
  const button = page.locator('figure.chart.delays').getByRole('button', { name: 'SVG of Delay' });
  const { strokes, texts } = await read(page, (await saved(page, button)).toString());
  expect(strokes.map(({ dashes }) => dashes)).toContain('3,4');
  expect(texts.map(({ text }) => text)).toEqual(expect.arrayContaining(['Delay', 'ms', 'RTT']));
});

test('the legend counts the drops that the chart shows', async ({ page, served }) => {
  await openLab(page, served.url);
  const reading = page.getByRole('button', { name: /^Dropped, all flows/ }).locator('.reading');
  await expect(reading).toHaveText(/^[1-9]/);
  const csv = await saved(page, page.getByRole('button', { name: /^CSV of Loss/ }));
  const rows = csv.toString().trimEnd().split('\r\n');
  const counts = rows
    .filter((row) => row.startsWith('"Dropped, all flows"'))
    .map((row) => row.split(',').at(-1));
  expect(await reading.textContent()).toBe(counts.at(-1));
});

test('drops are counted from the left edge of the window, and not from before', async ({ page, served }) => {
  await page.goto(`${served.staticUrl}lab.html?scenario=rmcat-5.3&run=1&window_s=30&from_s=41&theme=light`);
  await expect(page.getByRole('status').first()).toHaveText('Done');
  const reading = page.getByRole('button', { name: /^Dropped, all flows/ }).locator('.reading');
  await expect(reading).toHaveText('18');
  const csv = await saved(page, page.getByRole('button', { name: /^CSV of Loss/ }));
  const points = csv
    .toString()
    .trimEnd()
    .split('\r\n')
    .filter((row) => row.startsWith('"Dropped, all flows"'))
    .map((row) => row.split(',').slice(-2).map(Number));
  const inWindow = points.filter(([timeS = NaN]) => timeS >= 41 && timeS <= 71);
  expect(inWindow[0]?.[1]).toBe(0);
  expect(inWindow.at(-1)?.[1]).toBe(18);
});

test('a paper’s figure is taken home as PNG, SVG and CSV', async ({ page, served }) => {
  await page.goto(`${served.staticUrl}papers.html?scenario=cmp-table1&run=1&theme=light`);
  await expect(page.getByRole('status')).toHaveText('Done', { timeout: 60_000 });
  const heading = page.locator('.figure-head').first();
  await heading.scrollIntoViewIfNeeded();
  const name = (await heading.getByRole('heading').textContent()) ?? '';
  const file = (kind: string) => saved(page, heading.getByRole('button', { name: `${kind} of ${name}` }));
  expect((await file('PNG')).subarray(1, 4).toString()).toBe('PNG');
  const { title, texts, strokes } = await read(page, (await file('SVG')).toString());
  expect(title).toEqual([name]);
  const rows = (await file('CSV')).toString().trimEnd().split('\r\n');
  expect(rows.length).toBeGreaterThan(5);
  const series = [...new Set(rows.slice(1).map((row) => row.split(',')[0] ?? ''))];
  expect(texts.map(({ text }) => text)).toEqual(expect.arrayContaining([name, ...series]));
  expect(strokes.filter(({ commands }) => commands > 3).length).toBeGreaterThan(0);
});
