/**
 * A part that a call depends on dies during the call. The call must continue, the page must report the failure,
 * and the recording must keep every row.
 */
import { Readable } from 'node:stream';

import type { Page } from '@playwright/test';

import { collector, readTrace, type TraceData } from '../../src/trace/index.js';
import { ServerProcess } from './server_process.js';
import { expect, pressRun, Scope, test as base } from './support.js';

const test = base.extend<{ server: ServerProcess }>({
  server: async ({ served }, use) => {
    expect(served.url, 'the app is built').not.toBe('');
    const server = new ServerProcess();
    await server.start();
    await use(server);
    await server.kill();
  },
});

const notices = (page: Page) => page.getByLabel('Notices');

/**
 * Resolves when the recording has `more` further groups of frames. New groups show that both sides of the
 * controller, sender and receiver, work.
 */
async function grows(page: Page, more = 30): Promise<void> {
  const groups = await page.evaluate(() => window.ccscope.counters().groups);
  await new Scope(page).groups(groups + more);
}

/** The recording so far, exported and parsed like a file. */
async function recorded(page: Page): Promise<TraceData> {
  const text = await page.evaluate(() => window.ccscope.exportTrace());
  const { sink, trace } = collector();
  await readTrace(Readable.from([Buffer.from(text)]), sink);
  return trace;
}

const rowsOf = (trace: TraceData): string[] => [...trace.lines()].filter((line) => !line.includes('"event"'));

/** Expects the later recording to have every row of the earlier one, and more rows in each of these tables. */
function expectKept(before: TraceData, after: TraceData): void {
  const lines = new Set(rowsOf(after));
  const lost = rowsOf(before).filter((line) => !lines.has(line));
  expect(lost).toEqual([]);
  for (const table of ['arrival', 'group', 'rate', 'queue'])
    expect(after.extent().rows[table], table).toBeGreaterThan(before.extent().rows[table] ?? Infinity);
}

const told = (trace: TraceData, ...names: string[]): string[] =>
  trace.events.map(({ name }) => name).filter((name) => names.includes(name));

/**
 * Kills the server during a call. When the page has noticed, resolves with the recording from before the
 * kill.
 */
async function dies(server: ServerProcess, page: Page, scope: Scope): Promise<TraceData> {
  await page.goto(server.url);
  await scope.start();
  await scope.groups(30);
  const before = await recorded(page);
  await server.kill();
  await expect(notices(page)).toContainText('connection to the local server was lost');
  return before;
}

test('the local server dies and comes back: the call goes on over a new link', async ({
  page,
  server,
  scope,
}) => {
  const before = await dies(server, page, scope);
  await server.start();
  await expect(notices(page)).toContainText('The local server is back, so the call was started again.');
  await scope.live();
  await expect(notices(page)).not.toContainText('server was lost');
  await page.getByText('How this is measured').click();
  await expect(page.getByText('shaper, real packets')).toBeVisible();
  await grows(page);
  const after = await recorded(page);
  expectKept(before, after);
  expect(told(after, 'start', 'server_lost', 'stop')).toEqual(['start', 'server_lost', 'stop', 'start']);
});

test('the local server stays away: the call goes on in the page, and moves back when it can', async ({
  page,
  server,
  scope,
}) => {
  const before = await dies(server, page, scope);
  await expect(notices(page)).toContainText('The call goes on with the bottleneck in the page');
  await scope.live();
  await grows(page);
  await page.getByText('Call', { exact: true }).last().click();
  const away = page.getByText('There is no local server now, so the bottleneck is in the page');
  await expect(away).toBeVisible();
  await server.start();
  await expect(notices(page)).toContainText('The local server is back');
  await scope.live();
  await page.getByText('How this is measured').click();
  await expect(page.getByText('shaper, real packets')).toBeVisible();
  await expect(away).toHaveCount(0);
  await grows(page);
  const after = await recorded(page);
  expectKept(before, after);
  expect(told(after, 'start', 'server_lost', 'server_back')).toEqual([
    'start',
    'server_lost',
    'start',
    'server_back',
    'start',
  ]);
});

test('the local server of two pages dies and comes back: both go on', async ({
  page,
  context,
  server,
  scope,
}) => {
  await page.goto(`${server.url}?role=send&room=again`);
  await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
  const far = await context.newPage();
  await far.goto(`${server.url}?role=receive&room=again&autostart=1`);
  await scope.live();
  await new Scope(far).groups(30);
  const before = await recorded(far);
  await server.kill();
  for (const each of [page, far])
    await expect(notices(each)).toContainText('connection to the local server was lost');
  await server.start();
  for (const each of [page, far]) {
    await expect(notices(each)).toContainText('The local server is back');
    await new Scope(each).live();
  }
  await grows(far);
  const after = await recorded(far);
  expect(told(after, 'start', 'server_lost')).toEqual(['start', 'server_lost', 'start']);
  expect(after.extent().rows['group']).toBeGreaterThan(before.extent().rows['group'] ?? Infinity);
});

test('the far side starts again: our half follows, with its recording', async ({
  page,
  context,
  served,
  scope,
}) => {
  await page.goto(`${served.url}?role=send&room=reload`);
  await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
  const far = await context.newPage();
  await far.goto(`${served.url}?role=receive&room=reload&autostart=1`);
  await scope.live();
  await new Scope(far).groups(10);
  await far.reload();
  await expect(notices(page)).toContainText('The other page started again');
  await scope.live();
  await new Scope(far).groups(10);
  expect(told(await recorded(page), 'start', 'far_side_again')).toEqual(['start', 'far_side_again', 'start']);
});

test('the shaped link fails: the call is started again over a new one', async ({ page, served, scope }) => {
  const links: string[] = [];
  let fail: (link: string) => void = () => undefined;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const { result } = JSON.parse(String(text)) as { result?: { link?: string } };
      if (result?.link) links.push(result.link);
      socket.send(text);
    });
    fail = (link) => socket.send(JSON.stringify({ type: 'link/error', link, message: 'its socket closed' }));
  });
  await page.goto(served.url);
  await scope.start();
  await scope.groups(30);
  const before = await recorded(page);
  fail(links[0] ?? '');
  await expect(notices(page)).toContainText(
    'The shaped link failed (its socket closed), so the call was started again.',
  );
  await scope.live();
  await grows(page);
  expect(links).toHaveLength(2);
  const after = await recorded(page);
  expectKept(before, after);
  expect(told(after, 'start', 'link_failed')).toEqual(['start', 'link_failed', 'start']);
});

test('rows that the page did not read in time are missed in words', async ({ page, served, scope }) => {
  let leaveOut = 0;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(String(text)) as { type?: string };
      const dropped = message.type === 'link/rows' ? leaveOut : 0;
      if (dropped > 0) leaveOut = 0;
      socket.send(dropped > 0 ? JSON.stringify({ ...message, dropped }) : text);
    });
  });
  await page.goto(served.url);
  await scope.start();
  await scope.groups(10);
  await expect(notices(page)).not.toContainText('The recording is missing');
  leaveOut = 7;
  await expect(notices(page)).toContainText("The recording is missing 7 rows of the link's queue");
});

for (const [side, index] of [
  ['sender', 0],
  ['receiver', 1],
] as const) {
  test(`the media worker of the ${side} dies: a new call has its control back`, async ({
    page,
    served,
    scope,
  }) => {
    await keepWorkers(page);
    await page.goto(served.url);
    await scope.start();
    await scope.groups(30);
    const before = await recorded(page);
    await endWorker(page, 'entry', index);
    await expect(notices(page)).toContainText(
      `The media worker of the ${side} died, so the call was started again.`,
    );
    await scope.live();
    await grows(page);
    await expect(page.getByText('GCC in control')).toBeVisible();
    const after = await recorded(page);
    expectKept(before, after);
    expect(told(after, 'start', 'worker_died')).toEqual(['start', 'worker_died', 'start']);
  });
}

test('the worker that records dies: nothing recorded is lost, and the recording goes on', async ({
  page,
  served,
  scope,
}) => {
  await keepWorkers(page);
  await page.goto(`${served.url}?bottleneck=in-page`);
  await scope.start();
  await scope.groups(30);
  const before = await recorded(page);
  await endWorker(page, 'trace_worker');
  await expect(notices(page)).toContainText(
    'The worker that writes the recording died and was replaced. No recorded row was lost.',
  );
  await grows(page);
  expectKept(before, await recorded(page));
});

test('the simulation worker of the Lab dies: the page says so, and the next run works', async ({
  page,
  served,
}) => {
  await keepWorkers(page);
  await page.goto(new URL('lab.html', served.url).href);
  const status = page.getByRole('status');
  // The run with which the page begins has ended, so it cannot succeed after the one that fails.
  await expect(status).toHaveText(/Done/);
  // The simulation worker and the recording worker each hold a lock while they run. The lock lets the page
  // detect at once that a worker has ended.
  const locks = () => page.evaluate(async () => (await navigator.locks.query()).held?.length);
  await expect.poll(locks, { intervals: [20] }).toBe(2);
  await endWorkerWhenAsked(page, 'simulation_worker');
  await pressRun(page);
  await expect(notices(page)).toContainText('the simulation worker failed: it ended');
  await pressRun(page);
  await expect(notices(page)).not.toContainText('it ended');
  await expect(status).toHaveText(/Done/);
});

test('the simulation worker of the Lab does not begin: the page says so', async ({ page, served }) => {
  await page.clock.install();
  let load: () => void = () => undefined;
  const loading = new Promise<void>((resolve) => (load = resolve));
  await page.route(/simulation_worker/, load);
  await page.goto(new URL('lab.html', served.url).href);
  await loading;
  // The first worker is started before the page needs it. If the time passes before that, the page starts another.
  await expect(async () => {
    await page.clock.fastForward(30_000);
    const what = 'the simulation worker failed: it did not begin within 30 s';
    await expect(notices(page)).toContainText(what, { timeout: 1000 });
  }).toPass({ timeout: 30_000 });
});

declare global {
  interface Window {
    /** The page's workers, in the order in which they were made. */
    made: { url: string; worker: Worker }[];
  }
}

/** Keeps references to the page's workers, so that a test can end them. */
async function keepWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const NativeWorker = window.Worker;
    window.made = [];
    window.Worker = class extends NativeWorker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        window.made.push({ url: String(url), worker: this });
      }
    };
  });
}

/**
 * Ends a worker that the page created from this script. `index` counts these workers from 0, in the order of
 * their creation.
 */
function endWorker(page: Page, script: string, index = 0): Promise<void> {
  return page.evaluate(
    ([name, i]) => window.made.filter(({ url }) => url.includes(name))[i]?.worker.terminate(),
    [script, index] as const,
  );
}

/** Ends a worker as soon as a request is posted to it, so that even a fast worker cannot answer first. */
function endWorkerWhenAsked(page: Page, script: string): Promise<void> {
  return page.evaluate((name) => {
    const worker = window.made.find(({ url }) => url.includes(name))?.worker;
    if (worker === undefined) throw new Error(`no worker was made from ${name}`);
    const post = worker.postMessage.bind(worker);
    const postMessage = (message: unknown, transfer: Transferable[] = []) => {
      post(message, transfer);
      worker.terminate();
    };
    Object.assign(worker, { postMessage });
  }, script);
}
