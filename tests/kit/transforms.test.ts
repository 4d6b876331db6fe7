/**
 * Pages that transform frames themselves. Their transforms must work as they do without an observer, and the
 * record must have a notice about them.
 */
import type { Page } from '@playwright/test';

import { expect, framesDecoded, test } from './bed.js';

const CALL_S = 3;

const modes = {
  'script-handler': 'set in the handler of the track event',
  'script-later': 'set some time after the track event',
  'script-before': 'set before there is a track event',
  'streams-handler': 'with createEncodedStreams in the handler of the track event',
  'streams-configured': 'announced by encodedInsertableStreams, and made in a later task',
};

/** The number of frames that the page's own transform has processed. */
const scrambled = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { scrambled: number }).scrambled);

for (const [mode, how] of Object.entries(modes)) {
  test(`a transform of the page, ${how}`, async ({ bed }) => {
    const { b } = await bed.openBoth(`own_transforms.html?mode=${mode}`);
    const receiver = await bed.receiveVideo(CALL_S);
    expect(receiver.page).toBe(bed.observer.pageId(b));
    // The number of decoded frames is normal only if each scrambled frame was unscrambled exactly once. There
    // are two samples a second.
    const seconds = receiver.samples.length / 2;
    expect(framesDecoded(receiver)).toBeGreaterThan(8 * seconds);
    expect(await scrambled(b)).toBeGreaterThan(0.7 * framesDecoded(receiver));
    expect(receiver.frameSource).toBe('getStats');
    expect(receiver.notices.map(({ code }) => code)).toEqual(['page-transforms']);
    expect(receiver.routed).toBe(true);
    expect(bed.connectionOf(receiver)?.flows).toHaveLength(1);
    if (mode === 'script-handler')
      expect(await b.evaluate(() => (globalThis as unknown as { seen: unknown }).seen)).toBe(null);
  });
}
