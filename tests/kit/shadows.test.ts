/**
 * Measures how close a GCC that sees only the receiving side comes to a GCC that also gets the send times of frames.
 * Some calls use simulcast, of which an SFU forwards one layer. Others use one stream with spatial and temporal
 * layers. Run by `npm run measure:shadows`, which writes the results into the guide.
 */
import { fileURLToPath } from 'node:url';

import type { Browser, BrowserContext, Page, TestInfo } from '@playwright/test';

import { compareArrivals, type ToldArrival } from '../../scripts/shadows/compare.mjs';
import { CallObserver } from '../../src/observe/observer.js';
import { openShaperLink } from '../../src/shaper/index.js';
import { Bed, expect, secondsOfVideo, test } from './bed.js';
import type { TestServer } from './server.js';
import { startPion } from './sfu/servers.js';

interface TimedFrame {
  /** The SSRC with which the frame was sent. */
  layer: number;
  /** The frame's spatial layer within the stream. All spatial layers of a picture have the same RTP timestamp. */
  spatialIndex: number;
  /** The frame's number within its layer. */
  number: number;
  sentMs: number;
  receivedMs: number;
  rtpTimestamp: number;
  sizeBytes: number;
  keyFrame: boolean;
}

const SETTLE_S = 20;
const FALLS = 3;
const FALL_MS = 8_000;
const BETWEEN_MS = 12_000;

/**
 * The frames in the order of arrival. `seq` numbers them in the order of sending. When the layer changes, the numbers
 * of the new layer continue those of the previous layer.
 */
function toldArrivals(frames: readonly TimedFrame[], originMs: number): ToldArrival[] {
  const inOrder = [...frames].sort((a, b) => a.receivedMs - b.receivedMs);
  let [layer, offset, newest] = [NaN, 0, -1];
  return inOrder.map(({ layer: its, number, sentMs, receivedMs, ...frame }) => {
    if (its !== layer) offset = newest + 1 - number;
    layer = its;
    const seq = number + offset;
    newest = Math.max(newest, seq);
    const us = (ms: number): number => Math.round((ms - originMs) * 1000);
    return { ...frame, seq, sendTimeUs: us(sentMs), arrivalTimeUs: us(receivedMs), rttUs: NaN };
  });
}

/**
 * Makes a call over a link of 2 Mbps whose capacity falls three times, and feeds its frames to both
 * controllers.
 */
async function measure(
  { browser, server }: { browser: Browser; server: TestServer },
  testInfo: TestInfo,
  open: (bed: Bed, timed: (context: BrowserContext) => Promise<void>) => Promise<Page>,
): Promise<void> {
  const originEpochMs = Date.now();
  const settings = { capacity: '2mbps', queue: 'droptail:300ms', rtt: 50 };
  const link = await openShaperLink({ settings, originEpochMs });
  const observer = new CallObserver({ link, originEpochMs });
  const bed = new Bed(server, link, observer, () => browser.newContext());
  const path = fileURLToPath(new URL('./pages/timed_frames.js', import.meta.url));
  try {
    const receiver = await open(bed, async (context) => {
      await context.addInitScript({ path });
    });
    await bed.until(
      'a call that has found its rate',
      ({ endpoints }) => endpoints.some((endpoint) => secondsOfVideo(endpoint) >= SETTLE_S),
      90_000,
    );
    const fallsUs: number[] = [];
    for (let fall = 0; fall < FALLS; fall++) {
      fallsUs.push((Date.now() - originEpochMs) * 1000);
      await link.set({ capacity: '500kbps' });
      await receiver.waitForTimeout(FALL_MS);
      await link.set({ capacity: '2mbps' });
      await receiver.waitForTimeout(BETWEEN_MS);
    }
    const frames = await receiver.evaluate(() =>
      (globalThis as unknown as { timedFrames(): Promise<TimedFrame[]> }).timedFrames(),
    );
    const result = await compareArrivals(toldArrivals(frames, originEpochMs), fallsUs);
    testInfo.annotations.push({ type: 'shadow', description: JSON.stringify(result) });
    expect(result.groups).toBeGreaterThan(500);
  } finally {
    await bed.close();
  }
}

test('simulcast through a unit @shadows', async ({ browser, server }, testInfo) => {
  const unit = await startPion();
  // Forwards the lower layer, which is always sent. The publisher pauses the upper layer while the capacity is low.
  await unit.control({ rid: 'm' });
  try {
    await measure({ browser, server }, testInfo, async (bed, timed) => {
      await bed.open(unit.page('publish', { layers: 2, width: 640, height: 360 }), timed);
      return bed.open(unit.page('watch'), timed);
    });
  } finally {
    await unit.close();
  }
});

test('spatial and temporal layers @shadows', async ({ browser, server }, testInfo) => {
  await measure({ browser, server }, testInfo, async (bed, timed) => {
    const receiver = await bed.open('plain.html?side=b', timed);
    const sender = await bed.open('plain.html?mode=L3T3&width=960&height=540', timed);
    await expect
      .poll(() => sender.evaluate(sentMode))
      .toEqual({ codec: 'video/VP9', scalabilityMode: 'L3T3' });
    return receiver;
  });
});

/** Runs in the page. Returns how the page's video is encoded, according to the browser's statistics. */
async function sentMode(): Promise<{ codec: unknown; scalabilityMode: unknown }> {
  const { peer } = globalThis as unknown as { peer: RTCPeerConnection };
  const stats = [...(await peer.getStats()).values()] as Record<string, unknown>[];
  const sent = stats.find(({ type }) => type === 'outbound-rtp');
  const codec = stats.find(({ id }) => id === sent?.['codecId']);
  return { codec: codec?.['mimeType'], scalabilityMode: sent?.['scalabilityMode'] };
}
