/** `ccscope attach` observes a browser that somebody else has started, including calls that are already in progress. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { expect, test as base, type Page } from '@playwright/test';

import { startTestServer, type TestServer } from '../kit/server.js';
import { startBrowser, type BrowserProcess } from './browser_process.js';
import { start, type Command } from './command.js';

interface Fixtures {
  server: TestServer;
  /** The browser to which the command attaches. */
  attached: BrowserProcess;
  folder: string;
  /**
   * Starts `ccscope attach` with the given arguments. If the command still runs after the test, the command is ended.
   */
  attach: (args: readonly string[], env?: NodeJS.ProcessEnv) => Command;
}

const test = base.extend<Fixtures>({
  server: async ({ browserName: _ }, use) => {
    const server = await startTestServer();
    await use(server);
    await server.close();
  },
  attached: async ({ launchOptions }, use) => {
    const attached = await startBrowser(launchOptions.executablePath);
    await use(attached);
    await attached.close();
  },
  folder: async ({ browserName: _ }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'ccscope-attach-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
  attach: async ({ browserName: _ }, use) => {
    const commands: Command[] = [];
    await use((args, env) => {
      const command = start(['attach', ...args, '--no-open'], env ?? process.env);
      commands.push(command);
      return command;
    });
    for (const { child, outcome } of commands) {
      child.kill('SIGINT');
      await outcome;
    }
  },
});

/** Opens both sides of a call in tabs of one browser. The first page in the result is the side that receives video. */
async function openCall({ open }: BrowserProcess, server: TestServer, room: string): Promise<[Page, Page]> {
  const b = await open(`${server.url}/plain.html?side=b&room=${room}`);
  const a = await open(`${server.url}/plain.html?side=a&room=${room}`);
  await plays(b, 10);
  return [b, a];
}

type Called = Window & { peer: RTCPeerConnection };

/**
 * Frames shown so far. They are read from the video element, because the tests count how often the connection's
 * statistics are read.
 */
const framesShown = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0);

/** Waits until this many more frames have been shown. */
async function plays(page: Page, frames: number): Promise<void> {
  const before = await framesShown(page);
  await expect.poll(() => framesShown(page)).toBeGreaterThan(before + frames);
}

/** Counts how often the statistics of the page's connection are read while `work` runs. */
async function questionsWhile(page: Page, work: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const scope = window as unknown as Called & { asked: number };
    scope.asked = 0;
    scope.peer.getStats = () => {
      scope.asked += 1;
      return RTCPeerConnection.prototype.getStats.call(scope.peer);
    };
  });
  await work();
  return page.evaluate(() => (window as unknown as { asked: number }).asked);
}

/** Uncaught exceptions and unhandled rejections in these pages from now on. */
function faultsOf(pages: readonly Page[]): string[] {
  const faults: string[] = [];
  for (const page of pages) page.on('pageerror', (error) => faults.push(String(error)));
  return faults;
}

type Row = Readonly<Record<string, unknown>> & { type?: string; flow?: number };

const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

/** Opens the view whose address the command prints, in another browser. */
async function openView(page: Page, command: Command): Promise<void> {
  const [, url = ''] = await command.said(/^view (\S+)$/m);
  await page.goto(url);
}

test('a call that runs already is listed, shown and recorded, and goes on as before', async ({
  server,
  attached,
  attach,
  folder,
  page: view,
}, testInfo) => {
  // Several pages, two calls and two runs of the command: the longest of these tests.
  test.slow();
  const [b, a] = await openCall(attached, server, 'early');
  const loop = await attached.open(`${server.url}/loop.html`);
  const faults = faultsOf([a, b, loop]);

  const list = await attach([attached.url, '--list', '--json', join(folder, 'list.json')]).outcome;
  expect(list).toMatchObject({ status: 0, stderr: '' });
  expect(list.stdout).toMatch(/1 +A call with nothing but the browser +http:\S+side=b/);
  expect(list.stdout).toContain('connected: receives video VP8');
  const listed = JSON.parse(readFileSync(join(folder, 'list.json'), 'utf8')) as {
    pages: { url: string; connections: unknown[] }[];
  };
  // loop.html makes a call with itself. Both of its connections are listed, although neither is reachable
  // from `window`.
  expect(listed.pages.find(({ url }) => url === loop.url())?.connections).toHaveLength(2);
  expect(await b.evaluate(() => Symbol.for('ccscope.observer') in window)).toBe(false);

  const [file, report] = [join(folder, 'call.ndjson'), join(folder, 'report.json')];
  const command = attach([attached.url, '--record', file, '--json', report]);
  const problems = faultsOf([view]);
  await openView(view, command);
  const stream = (name: string) => view.getByRole('button', { name });
  await expect(stream('▼ receives video')).toHaveCount(2);
  await expect(stream('▲ sends video')).toHaveCount(2);
  // Single frames are observed only on connections that are made during the observation. So the test makes a
  // connection now.
  const [late] = await openCall(attached, server, 'late');
  const connection = view.getByRole('region').filter({ hasText: 'side=b&room=late' });
  await connection.getByRole('button').click();
  await expect(view.locator('figure.states')).toBeVisible();
  await expect(view.locator('figure.rates .reading').first()).toHaveText(/bps/);
  await plays(late, 60);
  await view.screenshot({ path: testInfo.outputPath('view.png') });
  // The view makes its own recording, separate from the command's.
  await stream('▲ sends video').first().focus();
  await view.keyboard.press('b');
  await expect(view.getByText(/^Bookmark at /)).toBeVisible();
  const [download] = await Promise.all([view.waitForEvent('download'), stream('Download').click()]);
  const seen = rowsOf(readFileSync(await download.path(), 'utf8'));
  expect(seen.filter(({ type }) => type === 'arrival').length).toBeGreaterThan(10);
  expect(JSON.stringify(seen)).toContain('"bookmark 1"');

  command.child.kill('SIGINT');
  const outcome = await command.outcome;
  expect(outcome).toMatchObject({ status: 0, stderr: '' });
  await expect(view.locator('.ended')).toContainText('has ended');
  expect(problems).toEqual([]);

  // After the command has ended, nothing reads the connections' statistics. The page has no property that is
  // named after ccscope.
  expect(await questionsWhile(b, () => plays(late, 30))).toBe(0);
  await plays(b, 30);
  const left = () => Object.getOwnPropertyNames(window).filter((name) => /ccscope/i.test(name));
  expect(await b.evaluate(left)).toEqual([]);
  expect(faults).toEqual([]);
  expect(attached.seen.contexts()[0]?.pages()).toContain(loop);

  const rows = rowsOf(readFileSync(file, 'utf8'));
  const flows = (type: string) => new Set(rows.filter((row) => row.type === type).map(({ flow }) => flow));
  const named = (rows[0]?.['flows'] ?? []) as { flow: number; name: string }[];
  const received = [...flows('throughput')].map((flow) => named.find((each) => each.flow === flow)?.name);
  expect(received).toHaveLength(3);
  const replay = await start(['replay', file, '--rows', 'group']).outcome;
  expect(replay).toMatchObject({ status: 0, stderr: '' });
  const replayed = rowsOf(replay.stdout);
  for (const flow of flows('arrival')) {
    const recorded = rows.filter((row) => row.type === 'group' && row.flow === flow);
    expect(recorded.length).toBeGreaterThan(30);
    expect(replayed.filter((row) => row.flow === flow)).toEqual(recorded);
  }
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    connections: 6,
    recording: { rows: rows.length - 1 },
  });

  // An idle observer stays in the pages. It starts again for the next command. Its times are relative to the
  // start of that command.
  const again = attach([attached.url, '--record', file, '--duration', '4s']);
  expect(await again.outcome).toMatchObject({ status: 0, stderr: '' });
  const arrivals = rowsOf(readFileSync(file, 'utf8')).filter(({ type }) => type === 'arrival');
  expect(arrivals.length).toBeGreaterThan(10);
  for (const { arrival_time_us: timeUs } of arrivals) {
    expect(timeUs).toBeGreaterThan(-1e6);
    expect(timeUs).toBeLessThan(60e6);
  }
  await plays(late, 30);
  expect(faults).toEqual([]);
});

test('a page under a strict policy is watched all the same, and says how', async ({
  server,
  attached,
  attach,
  page: view,
}) => {
  server.headers = {
    'content-security-policy':
      "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
  };
  const [b] = await openCall(attached, server, 'strict');
  const command = attach([attached.url]);
  await openView(view, command);
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);
  await expect(view.locator('.notice').first()).toContainText('timed as the browser shows them');
  await plays(b, 30);
});

test('calls in an iframe of another site are found, too', async ({
  server,
  attached,
  attach,
  page: view,
}) => {
  const page = await attached.open(`${server.url}/plain.html?side=b&room=frame`);
  // Another host name for the same machine is another site for Chromium, which gives each site its own process.
  const elsewhere = `${server.url.replace('127.0.0.1', 'localhost')}/loop.html`;
  await page.evaluate((url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.body.append(frame);
  }, elsewhere);
  const inside = page.frameLocator('iframe').locator('video');
  await expect.poll(() => inside.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(1);
  const list = await attach([attached.url, '--list']).outcome;
  expect(list.stdout).toContain('connected: receives video VP8');
  await openView(view, attach([attached.url]));
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);
});

test('--page watches what it names, and a page that is closed is reported', async ({
  server,
  attached,
  attach,
  page: view,
}) => {
  const [b] = await openCall(attached, server, 'one');
  await openCall(attached, server, 'two');
  const command = attach([attached.url, '--page', 'side=*room=one']);
  await command.said(/: 2 pages$/m);
  await openView(view, command);
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);
  await b.close();
  await command.said(/^page closed: \S+side=b&room=one$/m);
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(0);
  await expect(view.getByRole('button', { name: '▲ sends video' })).toHaveCount(1);

  const none = await attach([attached.url, '--page', 'nowhere']).outcome;
  expect(none.status).toBe(1);
  expect(none.stderr).toMatch(/^--page: no page has nowhere in its id, title or URL .*--list` to see all\n$/);
});

test('the pause of the view rests the observers, and another view is told what came before', async ({
  server,
  attached,
  attach,
  page: view,
  context,
  folder,
}) => {
  const [b] = await openCall(attached, server, 'paused');
  const report = join(folder, 'report.json');
  const command = attach([attached.url, '--json', report]);
  await openView(view, command);
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);
  const second = await context.newPage();
  await openView(second, command);
  await expect(second.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);

  await view.getByRole('button', { name: 'Pause', exact: true }).first().click();
  await expect(view.getByRole('button', { name: 'Resume', exact: true })).toBeVisible();
  expect(await questionsWhile(b, () => plays(b, 30))).toBe(0);
  // The pause applies to all views: to one that was open already, and to one that is opened later.
  await expect(second.getByRole('button', { name: 'Resume', exact: true })).toBeVisible();
  await view.reload();
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);
  await expect(view.getByRole('button', { name: 'Resume', exact: true })).toBeVisible();
  await second.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(view.getByRole('button', { name: 'Resume', exact: true })).toHaveCount(0);
  await expect(view.getByRole('button', { name: 'Pause', exact: true }).first()).toBeVisible();
  await expect(view.getByRole('button', { name: '▼ receives video' })).toHaveCount(1);
  expect(await questionsWhile(b, () => plays(b, 30))).toBeGreaterThan(0);

  command.child.kill('SIGINT');
  expect(await command.outcome).toMatchObject({ status: 0, stderr: '' });
  // The connections are reported a second time after the pause, but counted only once.
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ connections: 2 });
});

test('a browser that ends ends the command, and the recording is whole', async ({
  server,
  attached,
  attach,
  folder,
}) => {
  await openCall(attached, server, 'early');
  const file = join(folder, 'call.ndjson');
  const command = attach([attached.url, '--record', file]);
  await command.said(/^recording /m);
  const [late] = await openCall(attached, server, 'late');
  await plays(late, 30);
  attached.child.kill('SIGKILL');
  const { status, stderr } = await command.outcome;
  expect(status).toBe(1);
  expect(stderr).toBe(
    `the connection to the browser at ${attached.url} ended; the recording up to then is in ${file}\n`,
  );
  const replay = await start(['replay', file, '--json', '-']).outcome;
  expect(replay).toMatchObject({ status: 0, stderr: '' });
});

test('without a browser, or without pages, the message says what to do', async ({
  server,
  attached,
  attach,
}) => {
  const free = await startTestServer();
  await free.close();
  const nobody = await attach([free.url]).outcome;
  const { port } = new URL(free.url);
  expect(nobody.status).toBe(1);
  expect(nobody.stderr).toContain(`no browser was found at ${free.url} (nothing listens there)`);
  expect(nobody.stderr).toContain(`start the browser with --remote-debugging-port=${port}`);

  const other = await attach([server.url]).outcome;
  expect(other.status).toBe(1);
  expect(other.stderr).toContain("does not answer like Chromium's debugging port (HTTP status 404)");
  expect(other.stderr).toContain('give the port on which it already listens');

  const [context] = attached.seen.contexts();
  const empty = attach([attached.url]);
  await empty.said(/^view /m);
  for (const page of context?.pages() ?? []) await page.close();
  await empty.said(/^page closed: about:blank$/m);
});

test('--adb takes the port of a phone, and gives it back', async ({ server, attached, attach, folder }) => {
  await openCall(attached, server, 'phone');
  const log = join(folder, 'adb.log');
  writeFileSync(
    join(folder, 'adb'),
    `#!/bin/sh
echo "$@" >> ${log}
case "$*" in
  *unknown*) echo "error: device 'unknown' not found" >&2; exit 1;;
  get-serialno) echo R58M12ABCDE;;
  "-s R58M12ABCDE forward --remove"*) echo "error: listener not found" >&2; exit 1;;
  *"forward tcp:0 "*) echo ${new URL(attached.url).port};;
esac
`,
  );
  chmodSync(join(folder, 'adb'), 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` };
  const list = await attach(['--list', '--adb', 'emulator-5554'], env).outcome;
  expect(list).toMatchObject({ status: 0, stderr: '' });
  expect(list.stdout).toContain('connected: receives video VP8');
  expect(readFileSync(log, 'utf8')).toBe(
    `-s emulator-5554 forward tcp:0 localabstract:chrome_devtools_remote
-s emulator-5554 forward --remove tcp:${new URL(attached.url).port}
`,
  );

  // Even if only one phone is connected, the command first requests the phone's serial number from adb. All later
  // calls of adb name this phone, since another phone may be plugged in.
  writeFileSync(log, '');
  const only = await attach(['--list', '--adb'], env).outcome;
  expect(only.status).toBe(0);
  const { port } = new URL(attached.url);
  expect(only.stderr).toContain(
    `port ${port} may still lead to the phone: --adb: \`adb -s R58M12ABCDE forward`,
  );
  expect(readFileSync(log, 'utf8')).toBe(
    `get-serialno
-s R58M12ABCDE forward tcp:0 localabstract:chrome_devtools_remote
-s R58M12ABCDE forward --remove tcp:${port}
`,
  );

  const unknown = await attach(['--list', '--adb', 'unknown'], env).outcome;
  expect(unknown.status).toBe(1);
  expect(unknown.stderr).toContain("device 'unknown' not found");
  expect(unknown.stderr).toContain('check the output of `adb devices`');
  const missing = await attach(['--list', '--adb'], { ...process.env, PATH: '' }).outcome;
  expect(missing.stderr).toContain('adb is not in the PATH; install the Android platform tools');
});
