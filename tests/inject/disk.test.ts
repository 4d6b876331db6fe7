/** What gets too old for a recording's memory is kept in the private file system of the page's origin. */
import { createRequire } from 'node:module';

import type { Page } from '@playwright/test';
import type * as Comlink from 'comlink';

import { tableSpec, type TableName } from '../../src/core/index.js';
import type { PageBatch } from '../../src/inject/protocol.js';
import type { WatchService } from '../../src/overlay/watch_service.js';
import { collector, TraceReader, type TraceData } from '../../src/trace/index.js';
import { batchesOf } from '../unit/watch/calls.js';
import { expect, test, type Foreign } from './support.js';

/** A recording keeps ten minutes in memory. */
const CALL_MIN = 13;
const BATCHES_AT_ONCE = 200;

interface Scope {
  watch: Comlink.Remote<WatchService>;
  worker: Worker;
}

const made: Readonly<Record<string, string>> = {
  '/watch_worker.js': new URL('../../dist/lib/view/watch_worker.js', import.meta.url).pathname,
  '/comlink.mjs': createRequire(import.meta.url).resolve('comlink/dist/esm/comlink.mjs'),
};

/** A page with the watch in a worker. */
async function openWatch({ visit, server }: Foreign, beside?: Page): Promise<Page> {
  const page = beside === undefined ? (await visit('frame.html')).page : await beside.context().newPage();
  for (const [path, file] of Object.entries(made))
    await page.route(`${server.url}${path}`, (route) => route.fulfill({ path: file }));
  await page.goto(`${server.url}/frame.html`);
  await page.evaluate(async () => {
    const library = '/comlink.mjs';
    const { wrap } = (await import(library)) as typeof Comlink;
    const worker = new Worker('/watch_worker.js', { type: 'module' });
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ originEpochMs: 0, place: 'worker', port: port2 }, [port2]);
    Object.assign(globalThis, { watch: wrap(port1), worker });
  });
  const keepsAll = () =>
    page.evaluate(async () => (await (globalThis as unknown as Scope).watch.state()).recording.keepsAll);
  await expect.poll(keepsAll).toBe(true);
  return page;
}

async function hear(page: Page, minutes: number): Promise<void> {
  const hearAll = (batches: readonly PageBatch[]) =>
    page.evaluate(async (each) => {
      for (const batch of each) await (globalThis as unknown as Scope).watch.hear(batch);
    }, batches);
  let waiting: PageBatch[] = [];
  for (const batch of batchesOf(minutes * 60, 1)) {
    waiting.push(batch);
    if (waiting.length < BATCHES_AT_ONCE) continue;
    await hearAll(waiting);
    waiting = [];
  }
  await hearAll(waiting);
}

const close = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as Scope).watch.close());

/** Files of each session that the origin keeps, by the session's folder. */
const kept = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(async () => {
    // TypeScript's library knows the entries of a folder only with a setting of their own.
    type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };
    const origin = await navigator.storage.getDirectory();
    const recordings = (await origin.getDirectoryHandle('ccscope-recordings')) as Folder;
    const files: Record<string, number> = {};
    for await (const name of recordings.keys()) {
      const session = (await recordings.getDirectoryHandle(name)) as Folder;
      files[name] = 0;
      for await (const file of session.keys()) if (file.endsWith('.ndjson')) files[name]++;
    }
    return files;
  });

/** The RTP timestamps of the frames that `hear` tells of. */
function toldTimestamps(minutes: number): number[] {
  const told = [...batchesOf(minutes * 60, 1)].flatMap(({ messages }) => messages);
  const rows = told.flatMap((message) => (message.type === 'frames' ? message.rows : []));
  // Of the five numbers of a frame the second one.
  return rows.filter((_, i) => i % 5 === 1);
}

/** A column of a file's table. */
function columnOf(trace: TraceData, table: TableName, name: string): number[] {
  const index = tableSpec(table).columns.findIndex((column) => column.name === name);
  return [...trace.table(table).column(index)];
}

test('a file of the whole call has every frame once, in its order, from the disk and from memory', async ({
  foreign,
}) => {
  const page = await openWatch(foreign);
  await hear(page, CALL_MIN);
  await expect.poll(async () => Object.values(await kept(page))).toEqual([expect.any(Number)]);
  const text = await page.evaluate(async () =>
    (await (globalThis as unknown as Scope).watch.file({ identifiers: false })).text(),
  );
  const [files = 0] = Object.values(await kept(page));
  expect(files).toBeGreaterThan(3);
  const { sink, trace } = collector();
  const reader = new TraceReader(sink);
  reader.push(new TextEncoder().encode(text));
  reader.end();
  expect(columnOf(trace, 'arrival', 'rtp_timestamp')).toEqual(toldTimestamps(CALL_MIN));
  await close(page);
  expect(await kept(page)).toEqual({});
});

test('what a session that died has left is taken away by the next one, and no other session’s files', async ({
  foreign,
}) => {
  const first = await openWatch(foreign);
  await hear(first, CALL_MIN);
  const [[lost, files]] = Object.entries(await kept(first)) as [[string, number]];
  expect(files).toBeGreaterThan(3);
  const second = await openWatch(foreign, first);
  expect(await kept(second)).toMatchObject({ [lost]: files });
  await first.evaluate(() => (globalThis as unknown as Scope).worker.terminate());
  await first.close();
  await expect
    .poll(async () => {
      const third = await openWatch(foreign, second);
      await close(third);
      await third.close();
      return Object.keys(await kept(second));
    })
    .toEqual([expect.not.stringContaining(lost)]);
  await close(second);
  expect(await kept(second)).toEqual({});
});
