/** What the page says of a machine that is too busy for the call; alone, since a busy one would say it, too. */
import { expect, test } from './support.js';

/** Takes most of this process, and so of the local server's shaper, until it is ended: its packets leave late. */
function busyShaper(): () => void {
  const timer = setInterval(() => {
    const untilMs = performance.now() + 60;
    while (performance.now() < untilMs);
  }, 90);
  return () => clearInterval(timer);
}

test('a banner while the shaper is late, and the events of its begin and end in the trace @measures', async ({
  page,
  served,
  scope,
}) => {
  test.setTimeout(150_000);
  await page.goto(served.url);
  await scope.start();
  const banner = page
    .getByLabel('Notices')
    .getByRole('listitem')
    .filter({ hasText: 'too busy for the call' });
  const machine = () => page.evaluate(() => window.ccscope.state().status?.machine);
  await expect.poll(async () => (await machine())?.worst.shaper, { timeout: 20_000 }).not.toBeNull();
  await expect(banner).toHaveCount(0);

  const rest = busyShaper();
  try {
    await expect(banner).toContainText(/packets leave the shaper \d+\.\d ms late/, { timeout: 40_000 });
  } finally {
    rest();
  }
  await expect(banner).toContainText('the link is slower');
  await expect(banner).toContainText('Close what else runs on this machine');
  expect((await machine())?.reasons.map(({ by }) => by)).toContain('shaper');
  await expect(banner).toHaveCount(0, { timeout: 60_000 });
  expect(await machine()).toMatchObject({ overloaded: false, sinceUs: null, reasons: [] });

  const lines = (await page.evaluate(() => window.ccscope.exportTrace())).trim().split('\n');
  const events = lines
    .map((line) => JSON.parse(line) as { name?: string; time_us: number; detail: Record<string, unknown> })
    .filter(({ name }) => name?.startsWith('machine_'));
  const [began, ended] = events;
  expect(events.map(({ name }) => name)).toEqual(['machine_overloaded', 'machine_recovered']);
  expect(began?.detail['reasons']).toMatchObject([{ by: 'shaper' }]);
  expect(began?.detail['since_us']).toBeLessThan(began?.time_us ?? 0);
  expect(ended?.detail['for_us']).toBe((ended?.time_us ?? 0) - (began?.time_us ?? 0));
});

test('a media worker that is late is a reason of its own', async ({ page, served, scope }) => {
  await page.goto(`${served.staticUrl}?bottleneck=in-page`);
  await scope.start();
  // Its thread is taken away from it for a while, again and again, as a busy machine does.
  const busy = page.workers().map((worker) =>
    worker.evaluate(() => {
      if (!('rtctransform' in globalThis) && !('onrtctransform' in globalThis)) return;
      setInterval(() => {
        const untilMs = performance.now() + 150;
        while (performance.now() < untilMs);
      }, 230);
    }),
  );
  await Promise.all(busy);
  const banner = page
    .getByLabel('Notices')
    .getByRole('listitem')
    .filter({ hasText: 'too busy for the call' });
  await expect(banner).toContainText(/callbacks come \d+ ms late/, { timeout: 40_000 });
  await expect(banner).toContainText('stamped late');
});
