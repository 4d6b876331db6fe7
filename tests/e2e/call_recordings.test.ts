/** Recordings that outlive their page, and files that are dropped on the wrong page. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';

import type { BrowserContext, Page } from '@playwright/test';

import { collector, readTrace, type TraceData } from '../../src/trace/index.js';
import { accessibilityFaults } from '../support/axe.js';
import { expect, Scope, test } from './support.js';

const notices = (page: Page) => page.getByLabel('Notices');
const recoverButton = (page: Page) =>
  notices(page).getByRole('button', { name: /^Recover the recording of \d/ });

async function recorded(page: Page): Promise<{ trace: TraceData; header: object }> {
  const text = await page.evaluate(() => window.ccscope.exportTrace());
  const { sink, trace, header } = collector();
  await readTrace(Readable.from([Buffer.from(text)]), sink);
  return { trace, header: header() };
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content ?? ''], file ?? ''));
      return data;
    },
    [name, text],
  );
  await page.locator('.page').dispatchEvent('drop', { dataTransfer: transfer });
}

/** How many recordings the browser's database holds. */
const keptRecordings = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('ccscope');
        opening.onerror = () => reject(new Error('The database cannot be opened.'));
        opening.onsuccess = () => {
          const database = opening.result;
          const counting = database.transaction('recordings').objectStore('recordings').count();
          counting.onsuccess = () => {
            database.close();
            resolve(counting.result);
          };
        };
      }),
  );

test('a recording survives a page that crashed, with its header and nearly every row', async ({
  page,
  context,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?shadow=nada`);
  await scope.start();
  await scope.groups(150);
  const before = await recorded(page);
  const other = await context.newPage();
  await other.goto(served.url);
  await expect(other.getByRole('status')).toHaveText('No call');
  // The page that makes the recording is still alive, so there is nothing to recover.
  await expect(recoverButton(other)).toHaveCount(0);

  const crashed = page.waitForEvent('crash');
  await page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  await other.reload();
  await recoverButton(other).click();
  await expect(other.getByText(/^recording of \d/)).toBeVisible();
  await expect(new Scope(other).value('Received')).toHaveText(/bps$/);
  const after = await recorded(other);
  expect(after.header).toMatchObject({
    source: 'call',
    controller: 'gcc',
    flows: [{ flow: 1, name: 'NADA', kind: 'shadow' }],
  });
  for (const table of ['arrival', 'group', 'rate', 'queue'])
    expect(after.trace.extent().rows[table], table).toBeGreaterThan(
      0.4 * (before.trace.extent().rows[table] ?? Infinity),
    );
  const lines = new Set(before.trace.lines());
  const groups = [...after.trace.lines()].filter((line) => line.startsWith('{"type":"group"'));
  const newest = before.trace.extent().toUs ?? 0;
  for (const line of groups)
    if ((JSON.parse(line) as { time_us: number }).time_us < newest - 1e6) expect(lines.has(line)).toBe(true);

  // A recording that was downloaded is no longer offered for recovery.
  const downloading = other.waitForEvent('download');
  await other.getByRole('button', { name: 'Save to a file' }).click();
  await downloading;
  await expect.poll(() => keptRecordings(other)).toBe(0);
  await other.reload();
  await expect(other.getByRole('status')).toHaveText('No call');
  await expect(recoverButton(other)).toHaveCount(0);
});

test('the page asks before a recording is left that was not downloaded, and only then', async ({
  page,
  served,
  scope,
}) => {
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.goto(served.url);
  await page.getByRole('heading', { name: /under the scope/ }).click();
  await page.reload();
  expect(asked).toEqual([]);
  await scope.start();
  await scope.groups(30);
  await page.getByRole('link', { name: 'Lab' }).click();
  await expect(page).toHaveURL(/lab\.html/);
  expect(asked).toEqual(['beforeunload']);

  await page.goto(served.url);
  await expect(recoverButton(page)).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
  await recoverButton(page).click();
  await expect(page.getByText(/^recording of \d/)).toBeVisible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save to a file' }).click();
  expect((await readFile(await (await downloading).path(), 'utf8')).split('\n')[0]).toContain(
    '"source":"call"',
  );
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
});

test('a recording that nobody wants is discarded', async ({ page, served, scope }) => {
  await page.goto(served.url);
  await scope.start();
  await scope.groups(30);
  await scope.stop();
  await page.reload();
  await notices(page).getByRole('button', { name: 'Discard it' }).click();
  await expect(recoverButton(page)).toHaveCount(0);
  await expect.poll(() => keptRecordings(page)).toBe(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: /under the scope/ })).toBeVisible();
  await expect(recoverButton(page)).toHaveCount(0);
});

/** Makes a recording in a page that is then closed, and opens two pages that both offer the recording. */
async function offeredTwice(context: BrowserContext, url: string): Promise<[first: Page, second: Page]> {
  const before = await context.newPage();
  await before.goto(url);
  const call = new Scope(before);
  await call.start();
  await call.groups(30);
  await call.stop();
  await before.close();
  const pages: [Page, Page] = [await context.newPage(), await context.newPage()];
  for (const page of pages) {
    await page.goto(url);
    await expect(recoverButton(page)).toBeVisible();
  }
  return pages;
}

test('a recording that was saved in one page is not recovered empty in another', async ({
  context,
  served,
}) => {
  const [first, second] = await offeredTwice(context, served.url);
  await recoverButton(first).click();
  await expect(first.getByText(/^recording of \d/)).toBeVisible();
  const downloading = first.waitForEvent('download');
  await first.getByRole('button', { name: 'Save to a file' }).click();
  await downloading;
  await expect.poll(() => keptRecordings(first)).toBe(0);

  await recoverButton(second).click();
  await expect(notices(second)).toContainText(
    /was not recovered: it was saved or discarded in another tab\..*If it was saved, open its file\./s,
  );
  await expect(second.getByText(/^recording of \d/)).toHaveCount(0);
  await expect(second.getByRole('heading', { name: /under the scope/ })).toBeVisible();
});

test('a recording that was recovered in one page is not discarded in another', async ({
  context,
  served,
}) => {
  const [first, second] = await offeredTwice(context, served.url);
  await recoverButton(first).click();
  await expect(first.getByText(/^recording of \d/)).toBeVisible();
  await notices(second).getByRole('button', { name: 'Discard it' }).click();
  await expect(recoverButton(second)).toHaveCount(0);
  await second.close();
  await first.reload();
  await recoverButton(first).click();
  await expect(first.getByText(/^recording of \d/)).toBeVisible();
  await expect(new Scope(first).value('Received')).toHaveText(/bps$/);
});

test('a scenario on Call and a trace on the Lab are named, and opened where they belong', async ({
  page,
  served,
  scope,
}) => {
  const scenario = await readFile(new URL('../../public/scenarios/rmcat-5.1.json', import.meta.url), 'utf8');
  await page.goto(served.url);
  await drop(page, 'mine.json', scenario);
  await expect(notices(page)).toContainText('mine.json is a scenario, which the Lab runs.');
  await notices(page).getByRole('button', { name: 'Open it in the Lab' }).click();
  await expect(page).toHaveURL(/lab\.html#own=/);
  await expect(page.getByText('Variable capacity, one flow').first()).toBeVisible();

  const rows = [0, 1, 2].map(
    (i) => `{"type":"rate","flow":0,"time_us":${i * 1e5},"target_bps":5e5,"a_r_bps":5e5,"sent_bps":4e5}`,
  );
  const trace = ['{"ccscope_trace":1,"source":"call","controller":"gcc"}', ...rows, ''].join('\n');
  await drop(page, 'mine.ndjson', trace);
  await expect(notices(page)).toContainText('mine.ndjson is a trace, which the Call page shows.');
  await notices(page).getByRole('button', { name: 'Open it in Call' }).click();
  await expect(page.locator('.provenance')).toContainText('mine.ndjson');
  await expect(scope.value('Target')).toHaveText('500 kbps');
  expect(new URL(page.url()).pathname).toBe('/');
  // The Lab passed the file on for one use only, so a reload does not open the file again.
  await page.reload();
  await expect(page.getByRole('heading', { name: /under the scope/ })).toBeVisible();
});

test('what a parser says of a broken file does not reach the user', async ({ page, served }) => {
  await page.goto(served.url);
  await drop(page, 'broken.ndjson', '{"ccscope_trace":1}\n{"type":"rate",,}\n');
  await expect(notices(page)).toContainText(/broken\.ndjson:2: line: expected/);
  await expect(notices(page)).not.toContainText(/Unexpected|Invalid/);
  await page.goto(`${served.url}lab.html`);
  await drop(page, 'broken.json', '{"ccscope_scenario":1,\n "id" "x"}');
  await expect(notices(page)).toContainText('expected JSON, got something else at line 2, column 7');
  await expect(notices(page)).not.toContainText(/Unexpected|Invalid/);
});
