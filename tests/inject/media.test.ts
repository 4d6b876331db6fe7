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

const nextFrames = (page: Page, atLeast = FRAMES): Promise<Frames> =>
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
  }, atLeast);

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

/**
 * Expects each measurement to lie within the range of the measurements that it is compared with, or close to it. Some
 * of those are made before and some after it, since the load of the machine changes.
 */
function expectLike(measured: readonly Frames[], others: readonly Frames[]): void {
  for (const key of ['givenPerS', 'shownShare'] as const) {
    const range = others.map((frames) => frames[key]);
    for (const { [key]: value } of measured) {
      const text = `${key} ${value}, compared with ${range.join(' and ')}`;
      expect(value, text).toBeGreaterThan((1 - ALIKE) * Math.min(...range));
      expect(value, text).toBeLessThan((1 + ALIKE) * Math.max(...range));
    }
  }
}

test('a call that runs has the same frames a second with the script, open and collapsed @measures', async ({
  page,
}) => {
  const faults = faultsOf(page);
  await openCall(page);
  await awaitRate(page, 400e3);
  const before = await nextFrames(page);
  await putScript(page);
  // While the script starts, its core is compiled. That takes processor time once, so it is measured over more frames.
  const open = await nextFrames(page, 2 * FRAMES);
  await tell(page, 'collapse');
  const collapsed = await nextFrames(page);
  await tell(page, 'detach');
  expectLike([open, collapsed], [before, await nextFrames(page)]);
  expect(faults).toEqual([]);
});

test('so has one whose frames pass the script from the first on, and after it went @measures', async ({
  page,
}) => {
  const faults = faultsOf(page);
  await openCall(page, { script: 'ccscope' });
  await awaitRate(page, 400e3);
  const watched = [await nextFrames(page), await nextFrames(page)];
  await tell(page, 'detach');
  expectLike([await nextFrames(page)], watched);
  expect(faults).toEqual([]);
});
