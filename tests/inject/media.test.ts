/**
 * Media under observation. The frame rate must be the same as without observation, and the page must get no
 * errors.
 */
import { expect, test, type Page } from '@playwright/test';

import { awaitRate, openCall, putScript } from './overlay_support.js';

/** The number of frames over which a rate is measured; they take about six seconds. */
const FRAMES = 150;

/**
 * What `nextFrames` measures: the source's frames per second, and the fraction of sent frames that are decoded.
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

/** Exceptions and logged errors of the page from now on. */
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

/** The tolerated relative difference: the number of frames in transit varies, and the machine may be busy. */
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
