/** Rows that a recording no longer keeps in memory move to the private file system of the page's origin. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Page } from '@playwright/test';
import type * as Comlink from 'comlink';

import { tableSpec, type TableName } from '../../src/core/index.js';
import { FRAME_COLUMNS } from '../../src/calls/record/columns.js';
import { NUMBERS_PER_FRAME, type PageBatch } from '../../src/inject/protocol.js';
import type { RecordingState, WatchService } from '../../src/overlay/watch_service.js';
import { collector, TraceReader, type TraceData } from '../../src/trace/index.js';
import { batchesOf } from '../unit/watch/calls.js';
import { expect, test, type Foreign } from './support.js';

/** The length of the tests' calls, in minutes. A recording keeps only ten minutes in memory. */
const CALL_MIN = 13;
const BATCHES_AT_ONCE = 200;

interface Scope {
  watch: Comlink.Remote<WatchService>;
  worker: Worker;
}

/**
 * A script that runs in the worker before the worker's own script. It lets the page choose how many of the next
 * writes fail.
 */
const FULL_DISK = `{
  const { write } = FileSystemSyncAccessHandle.prototype;
  let failures = 0;
  addEventListener('message', ({ data }) => {
    if (typeof data.failures !== 'number') return;
    ({ failures } = data);
    postMessage('so be it');
  });
  FileSystemSyncAccessHandle.prototype.write = function (...given) {
    if (failures-- > 0) throw new DOMException('there is no room', 'QuotaExceededError');
    return write.apply(this, given);
  };
}
`;

const made: Readonly<Record<string, string>> = {
  '/watch_worker.js':
    FULL_DISK + readFileSync(new URL('../../dist/lib/view/watch_worker.js', import.meta.url), 'utf8'),
  '/comlink.mjs': readFileSync(
    createRequire(import.meta.url).resolve('comlink/dist/esm/comlink.mjs'),
    'utf8',
  ),
};

const recordingOf = (page: Page): Promise<RecordingState> =>
  page.evaluate(async () => (await (globalThis as unknown as Scope).watch.state()).recording);

/** Opens a page that runs the watch (the analysis of an observer's reports) in a worker. */
async function openWatch({ visit, server }: Foreign, beside?: Page, spills = true): Promise<Page> {
  const page = beside === undefined ? (await visit('frame.html')).page : await beside.context().newPage();
  for (const [path, body] of Object.entries(made))
    await page.route(`${server.url}${path}`, (route) =>
      route.fulfill({ body, contentType: 'text/javascript' }),
    );
  await page.goto(`${server.url}/frame.html`);
  await page.evaluate(async (toDisk) => {
    const library = '/comlink.mjs';
    const { wrap } = (await import(library)) as typeof Comlink;
    const worker = new Worker('/watch_worker.js', { type: 'module' });
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ originEpochMs: 0, place: 'worker', spills: toDisk, port: port2 }, [port2]);
    Object.assign(globalThis, { watch: wrap(port1), worker });
  }, spills);
  await expect.poll(async () => (await recordingOf(page)).keepsAll).toBe(spills);
  return page;
}

/** Makes this many of the next writes to the disk fail. */
const failWrites = (page: Page, failures: number): Promise<void> =>
  page.evaluate(async (count) => {
    const { worker } = globalThis as unknown as Scope;
    const heard = new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
    worker.postMessage({ failures: count });
    await heard;
  }, failures);

/** Feeds the watch with the batches of a call, from minute `fromMin` to minute `minutes`. */
async function hear(page: Page, minutes: number, fromMin = 0): Promise<void> {
  const hearAll = (batches: readonly PageBatch[]) =>
    page.evaluate(async (each) => {
      for (const batch of each) await (globalThis as unknown as Scope).watch.hear(batch);
    }, batches);
  let waiting: PageBatch[] = [];
  for (const batch of [...batchesOf(minutes * 60, 1)].slice(fromMin * 120)) {
    waiting.push(batch);
    if (waiting.length < BATCHES_AT_ONCE) continue;
    await hearAll(waiting);
    waiting = [];
  }
  await hearAll(waiting);
}

const close = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as Scope).watch.close());

/** The number of segment files in each session's folder in the origin's private file system. */
const kept = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(async () => {
    // A folder, with the method that lists the names of its entries.
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

/**
 * A session that has given out its files leaves them for two minutes, since a browser reads a download piece by piece.
 * This removes the mark that says when that was. The next session then removes the folder.
 */
async function expectGoneWithTheNext(page: Page, foreign: Foreign): Promise<void> {
  await page.evaluate(async () => {
    type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };
    const origin = await navigator.storage.getDirectory();
    const recordings = (await origin.getDirectoryHandle('ccscope-recordings')) as Folder;
    for await (const name of recordings.keys())
      await (await recordings.getDirectoryHandle(name)).removeEntry('given');
  });
  const next = await openWatch(foreign, page);
  await close(next);
  expect(await kept(page)).toEqual({});
}

const textOf = (page: Page): Promise<string> =>
  page.evaluate(async () =>
    (await (globalThis as unknown as Scope).watch.file({ identifiers: false })).text(),
  );

function traceOf(text: string): TraceData {
  const { sink, trace } = collector();
  const reader = new TraceReader(sink);
  reader.push(new TextEncoder().encode(text));
  reader.end();
  return trace;
}

/** The RTP timestamps of the frames that `hear` feeds. */
function toldTimestamps(minutes: number): number[] {
  const told = [...batchesOf(minutes * 60, 1)].flatMap(({ messages }) => messages);
  const rows = told.flatMap((message) => (message.type === 'frames' ? message.rows : []));
  return rows.filter((_, i) => i % NUMBERS_PER_FRAME === FRAME_COLUMNS.indexOf('rtpTimestamp'));
}

/** The values of a table's column in a trace file. */
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
  const text = await textOf(page);
  const [files = 0] = Object.values(await kept(page));
  expect(files).toBeGreaterThan(3);
  expect(columnOf(traceOf(text), 'arrival', 'rtp_timestamp')).toEqual(toldTimestamps(CALL_MIN));
  await close(page);
  await expectGoneWithTheNext(page, foreign);
});

test('the files of a call that nobody downloaded go with its end', async ({ foreign }) => {
  const page = await openWatch(foreign);
  await hear(page, CALL_MIN);
  await close(page);
  expect(await kept(page)).toEqual({});
});

test('a file can still be read after the watch has ended, and the next session leaves it', async ({
  foreign,
}) => {
  const page = await openWatch(foreign);
  await hear(page, CALL_MIN);
  await page.evaluate(async () => {
    const { watch } = globalThis as unknown as Scope;
    Object.assign(globalThis, { download: await watch.file({ identifiers: false }) });
    await watch.close();
  });
  await close(await openWatch(foreign, page));
  const text = await page.evaluate(() => (globalThis as unknown as { download: Blob }).download.text());
  expect(columnOf(traceOf(text), 'arrival', 'rtp_timestamp')).toEqual(toldTimestamps(CALL_MIN));
  await expectGoneWithTheNext(page, foreign);
});

/** Expects the frames in the watch's file to be the latest frames that were reported, without a gap. */
function expectLatest(text: string, minutes: number): void {
  const [told, there] = [toldTimestamps(minutes), columnOf(traceOf(text), 'arrival', 'rtp_timestamp')];
  expect(there).toEqual(told.slice(-there.length));
  expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toHaveProperty('cut_before_us');
}

test('a file that is made while the call goes on has every frame once', async ({ foreign }) => {
  const page = await openWatch(foreign);
  await hear(page, CALL_MIN);
  const more = [...batchesOf((CALL_MIN + 1) * 60, 1)].slice(CALL_MIN * 120);
  const text = await page.evaluate(async (batches) => {
    const { watch } = globalThis as unknown as Scope;
    const [first, ...others] = batches;
    // While the file is made, these batches may cause further segments to be moved from memory to disk.
    if (first !== undefined) void watch.hear(first);
    const file = watch.file({ identifiers: false });
    for (const batch of others) void watch.hear(batch);
    return (await file).text();
  }, more);
  const there = columnOf(traceOf(text), 'arrival', 'rtp_timestamp');
  expect(there.length).toBeGreaterThanOrEqual(toldTimestamps(CALL_MIN).length);
  expect(there).toEqual(toldTimestamps(CALL_MIN + 1).slice(0, there.length));
  await close(page);
});

test('a write that fails costs the oldest piece, and what is shown is what is kept', async ({ foreign }) => {
  const page = await openWatch(foreign);
  await hear(page, CALL_MIN);
  const { lengthUs, keptUs, keepsAll } = await recordingOf(page);
  expect([keepsAll, keptUs]).toEqual([true, lengthUs]);
  await failWrites(page, 1);
  await hear(page, CALL_MIN + 1, CALL_MIN);
  const text = await textOf(page);
  const after = await recordingOf(page);
  expect(after).toMatchObject({ keepsAll: false });
  expect(after.keptUs).toBeGreaterThan(720e6);
  expect(after.keptUs).toBeLessThan(after.lengthUs);
  expectLatest(text, CALL_MIN + 1);
  await close(page);
  await expectGoneWithTheNext(page, foreign);
});

test('a disk that takes nothing more ends that, and says so', async ({ foreign }) => {
  const page = await openWatch(foreign);
  await hear(page, CALL_MIN);
  await failWrites(page, 1e6);
  await hear(page, CALL_MIN + 1, CALL_MIN);
  await expect.poll(async () => Object.values(await kept(page))).toEqual([0]);
  const { recording, notices } = await page.evaluate(() => (globalThis as unknown as Scope).watch.state());
  expect(recording).toMatchObject({ keepsAll: false, keptUs: 600e6 });
  expect(notices.map(({ code }) => code)).toContain('recording-cut');
  expectLatest(await textOf(page), CALL_MIN + 1);
  await close(page);
});

test('a watch that is told to keep all in memory leaves the file system alone', async ({ foreign }) => {
  const page = await openWatch(foreign, undefined, false);
  await hear(page, CALL_MIN);
  const names = await page.evaluate(async () => {
    type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };
    const found: string[] = [];
    for await (const name of ((await navigator.storage.getDirectory()) as Folder).keys()) found.push(name);
    return found;
  });
  expect(names).toEqual([]);
  expect(await recordingOf(page)).toMatchObject({ keepsAll: false, keptUs: 600e6 });
  expectLatest(await textOf(page), CALL_MIN);
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
