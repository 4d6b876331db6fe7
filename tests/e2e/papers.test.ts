import * as v from 'valibot';
import type { Download, Page } from '@playwright/test';

import { reportSchema, type Report } from '../../src/papers/report.js';
import { accessibilityFaults } from '../support/axe.js';
import { start } from './command.js';
import { expect, test as base } from './support.js';

/** An experiment with published numbers, claims, box plots and curves; it takes about a second. */
const QUICK = 'cmp-table1';
/** An experiment that takes a minute or more. */
const LONG = 'aqm-fig7';

/** Drives the page of papers as a reader would. */
class PapersPage {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  async open(query = ''): Promise<void> {
    await this.page.goto(`${this.url}papers.html${query}`);
  }

  button(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }

  get status() {
    return this.page.getByRole('status');
  }

  numbers(id: string) {
    return this.page.getByRole('region', { name: `Numbers of ${id}`, exact: true });
  }

  /** Runs an experiment by clicking its button in the list. */
  async runListed(id: string): Promise<void> {
    await this.page
      .getByRole('row', { name: id })
      .getByRole('button', { name: `Run ${id}` })
      .click();
  }

  async done(): Promise<void> {
    await expect(this.status).toHaveText('Done', { timeout: 60_000 });
  }
}

const test = base.extend<{ papers: PapersPage; errors: string[] }>({
  errors: async ({}, use) => use([]),
  // Every test fails when the page throws or logs an error.
  papers: async ({ page, served, errors }, use) => {
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await use(new PapersPage(page, served.staticUrl));
    expect(errors).toEqual([]);
  },
});

async function reportIn(download: Download): Promise<Report> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return v.parse(reportSchema, JSON.parse(Buffer.concat(chunks).toString()));
}

/**
 * `Math.exp`, and so the p value of a statistical test, may differ between browser and Node in the last
 * digit.
 */
const rounded = (p: number | null): number | null => (p === null ? null : Number(p.toPrecision(12)));

/** The report without the fields that depend on the clock, and with rounded p values. */
const results = ({ experiments, comparison, summary, failures, ccscope }: Report): unknown => ({
  experiments: experiments.map(({ cpu_seconds: _, claims, ...rest }) => ({
    ...rest,
    claims: claims.map((claim) => ({
      ...claim,
      p: rounded(claim.p),
      failing: claim.failing.map((each) => ({ ...each, p: rounded(each.p) })),
    })),
  })),
  ...{ comparison, summary, failures, ccscope },
});

test('an experiment is run: the report is that of `ccscope reproduce`, number by number', async ({
  page,
  papers,
}) => {
  const command = start(['reproduce', QUICK, '--json', '-']);
  await papers.open(`?scenario=${QUICK}`);
  await expect(page.getByText('Not run yet. It takes 50 runs of 100 s each')).toBeVisible();
  await expect(papers.button('Download JSON')).toBeDisabled();
  await papers.button(`Run ${QUICK}`).click();
  await papers.done();
  const verdicts = papers.numbers(QUICK).locator('.verdict');
  await expect(verdicts.filter({ hasText: /^(within|ordering|off)$/ })).toHaveCount(await verdicts.count());
  const first = page.getByRole('img').first();
  await expect(first).toHaveAccessibleName(/^Lines of /);
  await first.scrollIntoViewIfNeeded();
  await expect(page.getByText(/✓ holds/).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Decided when results were known' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Notes' })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    papers.button('Download JSON').click(),
  ]);
  const { status, stdout } = await command.outcome;
  expect(status).toBe(0);
  const shown = await reportIn(download);
  expect(results(shown)).toEqual(results(v.parse(reportSchema, JSON.parse(stdout))));
  expect(shown.complete).toBe(true);
  const numbers = shown.experiments.flatMap(({ cells }) => cells.flatMap(({ metrics }) => metrics));
  await expect(verdicts).toHaveCount(numbers.length);
  expect(numbers.length).toBeGreaterThan(0);
});

test('a click on Run says how much it starts, and moves no other button away', async ({ page, papers }) => {
  await papers.open();
  await expect(page.getByRole('button', { name: /^Run all 33: every paper$/ })).toHaveText('Run all 33');
  const row = page.getByRole('row', { name: QUICK });
  await expect(row).toContainText(/50 runs, about \d+ s\s*simulated: 83 min/);
  await expect(page.getByRole('list', { name: 'Verdicts' })).toContainText(
    'outside the band, but what the paper says of this number',
  );
  const next = papers.button('Run cmp-table2');
  await row.scrollIntoViewIfNeeded();
  const top = async (): Promise<number> => (await next.boundingBox())?.y ?? NaN;
  const before = await top();
  await papers.runListed(QUICK);
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  await papers.done();
  await expect(row.locator('.verdict').first()).toBeVisible();
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  // The speed of this machine is known now.
  await expect(row).toContainText(/50 runs, about \d+ s here/);
});

test('what all experiments take is said when all are loaded', async ({ page, papers }) => {
  let load = (): void => undefined;
  const held = new Promise<void>((resolve) => (load = resolve));
  await page.route(`**/scenarios/${LONG}.json`, async (route) => {
    await held;
    await route.continue();
  });
  await papers.open();
  const all = page.locator('.hint').filter({ hasText: 'of simulated time; about' });
  await expect(all.first()).toBeVisible();
  const sections = await page.locator('section.paper').count();
  await expect(page.getByText('Loading…')).toHaveCount(2);
  await expect(all).toHaveCount(sections - 1);
  load();
  await expect(all).toHaveCount(sections + 1);
});

test('the list’s columns have their width on a narrow screen, and fit on paper', async ({ page, papers }) => {
  await page.setViewportSize({ width: 950, height: 800 });
  await papers.open();
  const what = await page.getByRole('columnheader', { name: 'what' }).first().boundingBox();
  expect(what?.width).toBeGreaterThan(90);
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.report-head')).toBeVisible();
  const beyond = await page.locator('table.experiments').evaluateAll((tables) => {
    const edge = document.querySelector('main')?.getBoundingClientRect().right ?? 0;
    return tables.map((table) => table.getBoundingClientRect().right - edge);
  });
  expect(Math.max(...beyond)).toBeLessThanOrEqual(1);
});

test('the button of all experiments says Cancel while one of them runs', async ({ papers }) => {
  await papers.open();
  await papers.runListed(LONG);
  const cancel = papers.button('Cancel: every paper');
  await expect(cancel).toHaveText('Cancel');
  await cancel.click();
  await expect(papers.status).toHaveText('Cancelled');
});

test('a number outside of its band and a claim that fails say why, or that nobody knows', async ({
  page,
  papers,
}) => {
  await papers.open('?scenario=cmp-table2&run=1');
  await papers.done();
  await expect(page.getByText('Curves over time and distributions are of the first run.')).toBeVisible();
  const off = papers
    .numbers('cmp-table2')
    .getByRole('row')
    .filter({ has: page.getByText('off', { exact: true }) });
  await expect(off).toHaveCount(1);
  await expect(off).toContainText('Why it differs: Not explained. NADA is nearer to its equilibrium');
  const fails = page.getByRole('listitem').filter({ hasText: '✗ fails' });
  await expect(fails.first()).toContainText('Why it differs: Not explained.');
  const within = papers.numbers('cmp-table2').getByRole('row').filter({ hasText: 'within' });
  await expect(within.filter({ hasText: 'Why it differs' })).toHaveCount(0);
  await expect(within.locator('.miss')).toHaveCount(0);
  await expect(within).not.toHaveCount(0);
  await page.getByRole('checkbox', { name: /only the numbers outside their band/ }).check();
  await expect(within).toHaveCount(0);
  await expect(off).toHaveCount(1);
});

test('what was published can be read before anything is run, and a cell opens in the Lab', async ({
  page,
  papers,
}) => {
  await papers.open('?scenario=ton-fig11');
  const row = papers.numbers('ton-fig11').getByRole('row').nth(1);
  await expect(row).toContainText('slightly above 90 %');
  await expect(row).toContainText('90 … 95 %');
  await expect(row.getByRole('cell').nth(3)).toHaveText('–');
  await expect(row.getByRole('cell').nth(4)).toHaveText('–');
  await expect(row).toContainText('Band: ');
  await expect(page.getByText('– not run').first()).toBeVisible();
  await expect(page.getByRole('img')).toHaveCount(0);
  await row.getByRole('link').click();
  await expect(page).toHaveURL(/lab\.html\?scenario=ton-fig11&cell\./);
  await expect(page.getByRole('banner').getByRole('button', { name: 'Run' })).toBeEnabled();
});

test('a run that is cancelled keeps what it has, marked as such, and goes on from there', async ({
  page,
  papers,
}) => {
  await papers.open(`?scenario=${LONG}&run=1`);
  await expect(papers.status).toHaveText('Running');
  const progress = page.getByRole('progressbar', { name: `Runs of ${LONG}` });
  const done = async (): Promise<number> => Number(await progress.getAttribute('value'));
  await expect.poll(done).toBeGreaterThan(0);
  await papers.button(`Cancel ${LONG}`).click();
  await expect(papers.status).toHaveText('Cancelled');
  await expect(progress).toHaveCount(0);
  const state = page.locator('b.partial');
  await expect(state).toHaveText(/^[1-9]\d* of 150 runs$/);
  const before = parseInt((await state.textContent()) ?? '', 10);
  await expect(page.getByText('Statements of the papers')).toHaveCount(0);
  await expect(
    papers
      .numbers(LONG)
      .getByText(/\(1\)$/)
      .first(),
  ).toBeVisible();
  await expect(papers.numbers(LONG).getByText('–', { exact: true }).first()).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    papers.button('Download JSON').click(),
  ]);
  expect((await reportIn(download)).complete).toBe(false);
  await papers.button(`Run ${LONG}`).click();
  await expect(page.getByText(/^\d+ of 150 runs$/)).toBeVisible();
  await papers.button('Cancel all').click();
  await expect(papers.status).toHaveText('Cancelled');
  expect(parseInt((await state.textContent()) ?? '', 10)).toBeGreaterThanOrEqual(before);
});

test('a paper is run by keyboard, and its results stay when one looks elsewhere', async ({
  page,
  papers,
}) => {
  await papers.open('?paper=nada-vs-gcc-2016');
  await papers.button('Run all 4: this paper').focus();
  await page.keyboard.press('Enter');
  await papers.done();
  await expect(page.getByText('4 of 4 experiments have been run.')).toBeVisible();
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).toBe('1');
  await page.getByRole('banner').getByRole('link', { name: 'All papers' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^4 of \d+ experiments have been run\.$/)).toBeVisible();
  await page.getByRole('link', { name: QUICK, exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(papers.button(`Run again ${QUICK}`)).toBeVisible();
  await expect(papers.numbers(QUICK).locator('.verdict').first()).toBeVisible();
  await page.getByRole('link', { name: 'All of NADA and GCC (2016)' }).click();
  await expect(page.getByText('4 of 4 experiments have been run.')).toBeVisible();
  await page.goBack();
  await expect(papers.button(`Run again ${QUICK}`)).toBeVisible();
  expect(new URL(page.url()).searchParams.get('run')).toBe(null);
});

test('controllers stand beside each other where an experiment compares them', async ({ page, papers }) => {
  await papers.open('?paper=rmcat');
  await papers.runListed('rmcat-5.3');
  await papers.done();
  const compared = page.getByRole('region', { name: 'Compared by controller' });
  await expect(compared.getByRole('row')).toHaveCount(5);
  await expect(compared.locator('.best').first()).toContainText('best: ');
});

test('a density and what no paper gives a number for', async ({ page, papers }) => {
  await papers.open('?scenario=lcc-fig1&run=1');
  await papers.done();
  await expect(page.getByRole('img')).toHaveAccessibleName(/Densest at one-way delay/);
  await page.getByText(/^Also measured/).click();
  await expect(
    page.getByRole('region', { name: 'More numbers of lcc-fig1' }).getByRole('row'),
  ).not.toHaveCount(1);
});

test('a map is shown when all of its points are there, and not before', async ({ page, papers }) => {
  await papers.open('?scenario=ton-fig5&run=1');
  await expect(page.getByText('highest at (k_u, k_d) = (0.01, 0.00018)')).toBeVisible();
  await expect(page.getByText(/^[1-9]\d* of 4,800 runs$/)).toBeVisible();
  await papers.button('Cancel ton-fig5').click();
  await expect(page.getByText('a map is shown when all of its points are there')).toBeVisible();
  await expect(page.getByText('– not run')).toHaveCount(2);
  await expect(page.getByRole('img')).toHaveCount(0);
  await expect(papers.button('Download JSON')).toBeDisabled();
});

test('hostile values in the address are told, and the page works', async ({ page, papers }) => {
  await papers.open('?paper=%3Cscript%3E&scenario=__proto__&run=maybe&x=1');
  await page.getByRole('button', { name: /show all/ }).click();
  for (const field of ['paper=<script>', 'scenario=__proto__', 'run=maybe', 'x=1'])
    await expect(page.getByText(`In the address, ${field} was not understood`)).toBeVisible();
  await expect(papers.status).toHaveText('Ready');
  await expect(page.getByRole('link', { name: QUICK, exact: true })).toBeVisible();
  await papers.open(`?paper=lcc-2018&scenario=${QUICK}`);
  await expect(page.getByText('expected nada-vs-gcc-2016')).toBeVisible();
  await expect(papers.button(`Run ${QUICK}`)).toBeEnabled();
});

test('an experiment whose file is gone is told', async ({ page, papers, errors }) => {
  await page.route(`**/scenarios/${QUICK}.json`, (route) => route.fulfill({ status: 404 }));
  await papers.open(`?scenario=${QUICK}`);
  await expect(
    page.getByText(`The experiment ${QUICK} was not opened: the server answered 404`),
  ).toBeVisible();
  await page.unroute(`**/scenarios/${QUICK}.json`);
  await papers.button(`Run ${QUICK}`).click();
  await papers.done();
  expect(errors.splice(0)).toEqual([expect.stringContaining('404')]);
});

test('without the simulator all runs end, and the reason is told once', async ({ page, papers, errors }) => {
  await page.route('**/*.wasm', (route) => route.abort());
  await papers.open('?paper=nada-vs-gcc-2016&run=1');
  await expect(page.getByText(/^Error/)).toHaveCount(1);
  await expect(papers.status).toHaveText('Cancelled');
  await expect(page.getByText('Not run yet.').first()).toBeVisible();
  expect(errors.splice(0).every((text) => text.includes('net::ERR_FAILED'))).toBe(true);
});

test('at the width of a phone nothing is cut off at the right, verdicts included', async ({
  page,
  papers,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const overhang = (): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await papers.open();
  await expect(page.getByRole('link', { name: QUICK, exact: true })).toBeVisible();
  expect(await overhang()).toBe(0);
  const tables = page.locator('.scroll');
  const cut = (): Promise<number[]> =>
    tables.evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth));
  expect(new Set(await cut())).toEqual(new Set([0]));
  await papers.open(`?scenario=${QUICK}&run=1`);
  await papers.done();
  expect(await overhang()).toBe(0);
  expect(new Set(await cut())).toEqual(new Set([0]));
  const verdict = papers.numbers(QUICK).locator('.verdict').first();
  await verdict.scrollIntoViewIfNeeded();
  await expect(verdict).toBeInViewport({ ratio: 1 });
  await papers.open('?paper=rmcat');
  await papers.runListed('rmcat-5.3');
  await papers.done();
  await expect(page.getByRole('region', { name: 'Compared by controller' })).toBeVisible();
  expect(await overhang()).toBe(0);
  for (const name of ['Call', 'Lab', 'Lessons', 'Papers'])
    await expect(page.getByRole('navigation').getByRole('link', { name, exact: true })).toBeInViewport({
      ratio: 1,
    });
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing in the ${theme} theme`, async ({ page, papers }) => {
    await papers.open(`?theme=${theme}`);
    await expect(page.getByText(/^50 runs, about \d+ s/).first()).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await papers.open(`?theme=${theme}&scenario=${QUICK}`);
    await expect(page.getByText('Not run yet.')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await papers.button(`Run ${QUICK}`).click();
    await papers.done();
    expect(await accessibilityFaults(page)).toEqual([]);
    await papers.open(`?theme=${theme}&paper=rmcat`);
    await papers.runListed('rmcat-5.3');
    await papers.done();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
}
