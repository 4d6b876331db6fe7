/** Media under observation: as many frames a second as without, and nothing that a page would notice. */
import { expect, test, type Page } from '@playwright/test';

import { awaitRate, openCall, putScript } from './overlay_support.js';

/** Six seconds of them. */
const FRAMES = 150;

/**
 * Frames over the next seconds: how many per second the page's source gives, and the share of the sent ones that
 * is shown.
 */
interface Frames {
  givenPerS: number;
  shownShare: number;
}

const nextFrames = (page: Page): Promise<Frames> =>
  page.evaluate(async (count) => {
    const look = async () => {
      const { caller, callee } = window.call;
      const reports = await Promise.all([caller.getStats(), callee.getStats()]);
      const stats = reports.flatMap((report) => [...report.values()] as Record<string, unknown>[]);
      const of = (type: string, field: string): number =>
        stats.reduce((sum, stat) => sum + (stat['type'] === type ? Number(stat[field] ?? 0) : 0), 0);
      return {
        ms: performance.now(),
        given: of('media-source', 'frames'),
        sent: of('outbound-rtp', 'framesSent'),
        shown: of('inbound-rtp', 'framesDecoded'),
      };
    };
    const first = await look();
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { ms, given, sent, shown } = await look();
      if (given - first.given < count) continue;
      return {
        givenPerS: (1000 * (given - first.given)) / (ms - first.ms),
        shownShare: (shown - first.shown) / (sent - first.sent),
      };
    }
  }, FRAMES);

/** What a page would notice. */
function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return faults;
}

const tell = (page: Page, what: 'collapse' | 'detach'): Promise<void> =>
  page.evaluate((name) => {
    const scope = globalThis as unknown as Record<symbol, Record<string, () => void>>;
    scope[Symbol.for('ccscope.inject')]?.[name]?.();
  }, what);

/** The tolerance for a frame more or less in transit, and for the machine. */
const ALIKE = 0.05;

async function expectSame(page: Page, without: Frames): Promise<void> {
  const now = await nextFrames(page);
  for (const ratio of [now.givenPerS / without.givenPerS, now.shownShare / without.shownShare])
    expect(Math.abs(ratio - 1), `${JSON.stringify(now)}, ${JSON.stringify(without)} without`).toBeLessThan(
      ALIKE,
    );
}

test('a call that runs has the same frames a second with the script, open and collapsed @measures', async ({
  page,
}) => {
  const faults = faultsOf(page);
  await openCall(page);
  await awaitRate(page, 400e3);
  const without = await nextFrames(page);
  await putScript(page);
  await expectSame(page, without);
  await tell(page, 'collapse');
  await expectSame(page, without);
  expect(faults).toEqual([]);
});

test('so has one whose frames pass the script from the first on, and after it went @measures', async ({
  page,
}) => {
  const faults = faultsOf(page);
  await openCall(page, { script: 'ccscope' });
  await awaitRate(page, 400e3);
  const watched = await nextFrames(page);
  await tell(page, 'detach');
  await expectSame(page, watched);
  expect(faults).toEqual([]);
});
