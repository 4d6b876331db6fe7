/**
 * What the page reports when the machine is too busy for the call. The machine that runs these tests may really be
 * busy, so each test only looks for the kind of overload that it causes.
 */
import type { Locator, Page } from '@playwright/test';

import { LIMITS } from '../../src/machine/index.js';
import { ServerProcess } from './server_process.js';
import { expect, test } from './support.js';

/** The mark in the page's header that warns of a busy machine. Opening the mark shows its text. */
const markOf = (page: Page): Locator =>
  page.getByRole('banner').locator('.machine details').filter({ hasText: 'too busy for the call' });

const LATE_SHAPER = 'packets leave the shaper';

/** Replaces the packets' lateness in the server's reports to the page with `state.lateMs`. */
async function tellLateness(page: Page, state: { lateMs: number }): Promise<void> {
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(String(text)) as { type?: string };
      const late = message.type === 'link/lateness' ? { recent_p95_ms: state.lateMs } : {};
      socket.send(JSON.stringify({ ...message, ...late }));
    });
  });
}

interface TraceEvent {
  name?: string;
  time_us: number;
  detail: { since_us?: number; reasons?: { by: string; value: number; limit: number }[] };
}

test('a mark while the shaper is late, and events at its begin and end', async ({ page, served, scope }) => {
  const told = { lateMs: 1 };
  await tellLateness(page, told);
  await page.goto(served.url);
  await scope.start();
  const machine = () => page.evaluate(() => window.ccscope.state().status?.machine);
  await expect.poll(async () => (await machine())?.worst.shaper).toBe(1);
  await expect(markOf(page).filter({ hasText: LATE_SHAPER })).toHaveCount(0);

  told.lateMs = 50;
  await expect(markOf(page)).toContainText(`${LATE_SHAPER} 50.0 ms late (p95)`);
  await expect(markOf(page)).toContainText(
    'packets are late, and the controller sees delay that is not there',
  );
  await expect(markOf(page)).toContainText('Close other programs on this machine');
  expect(await machine()).toMatchObject({ overloaded: true, worst: { shaper: 50 } });
  await expect(page.getByLabel('Notices')).not.toContainText('too busy');
  await expect(page.getByText('Close other programs on this machine')).toBeHidden();
  await page.getByText('Machine too busy', { exact: true }).click();
  await expect(page.getByText('Close other programs on this machine')).toBeVisible();

  told.lateMs = 1;
  await expect(markOf(page).filter({ hasText: LATE_SHAPER })).toHaveCount(0);
  const after = await machine();
  expect(after?.reasons.map(({ by }) => by)).not.toContain('shaper');
  expect(after?.everBy).toContain('shaper');
  await expect(markOf(page)).toHaveCount(after?.overloaded === true ? 1 : 0);

  const lines = (await page.evaluate(() => window.ccscope.exportTrace())).trim().split('\n');
  const events = lines
    .map((line) => JSON.parse(line) as TraceEvent)
    .filter(({ name }) => name?.startsWith('machine_'));
  const shaperOf = ({ detail }: TraceEvent) => detail.reasons?.find(({ by }) => by === 'shaper');
  const began = events.findIndex((event) => shaperOf(event) !== undefined);
  const [first, next] = events.slice(began);
  expect(first).toMatchObject({ name: 'machine_overloaded' });
  expect(first && shaperOf(first)).toEqual({ by: 'shaper', value: 50, limit: LIMITS.shaper.begin });
  expect(first?.detail.since_us).toBeLessThan(first?.time_us ?? 0);
  const last = events.at(-1);
  expect(last && shaperOf(last)).toBeUndefined();
  expect(last?.time_us).toBeGreaterThanOrEqual(next?.time_us ?? Infinity);
});

test('a shaper whose process has no time is late, and the page says so', async ({ page, served, scope }) => {
  expect(served.url, 'the app is built').not.toBe('');
  const server = new ServerProcess();
  await server.start();
  await page.goto(server.url);
  await scope.start();
  // Repeatedly stops all threads of the server process, including the shaper's, for 60 ms.
  const busy = setInterval(() => {
    server.signal('SIGSTOP');
    setTimeout(() => server.signal('SIGCONT'), 60);
  }, 90);
  try {
    await expect(markOf(page)).toContainText(LATE_SHAPER, { timeout: 40_000 });
  } finally {
    clearInterval(busy);
    await server.kill();
  }
});

test('media workers that are late are a reason, too', async ({ page, served, scope }) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page`);
  await scope.start();
  // Blocks the media workers' threads again and again, as a busy machine does.
  const busy = page.workers().map((worker) =>
    worker.evaluate(() => {
      if (!('onrtctransform' in globalThis)) return;
      setInterval(() => {
        const untilMs = performance.now() + 150;
        while (performance.now() < untilMs);
      }, 230);
    }),
  );
  await Promise.all(busy);
  await expect(markOf(page)).toContainText(/callbacks come \d+ ms late/, { timeout: 40_000 });
  await expect(markOf(page)).toContainText('stamped late');
});
