/**
 * Actions on a WebRTC call. The tests measure the effect of each action. Values that the page sets must never
 * be lost.
 */
import { expect, test, type Page } from '@playwright/test';

import type { Action, EncodingName } from '../../src/inject/protocol.js';
import { act, actionsTold, awaitRate, openCall, RECEIVED, sentBps, VIDEO } from './overlay_support.js';

const cap = (maxBitrateBps: number, encoding: EncodingName = null): Action => ({
  ...{ kind: 'cap', target: VIDEO, encoding, maxBitrateBps },
});
const release: Action = { kind: 'release', target: VIDEO, of: null };

/** The video sender's real parameters in the browser, not those that the page gets to read. */
const inBrowser = (page: Page): Promise<RTCRtpSendParameters> =>
  page.evaluate(() => window.call.getParameters.call(window.call.sender));
const asPageReads = (page: Page): Promise<RTCRtpSendParameters> =>
  page.evaluate(() => window.call.sender.getParameters());

/** A counter of the sender's statistics, summed over all layers, or for the layer `rid`. */
const sum = (page: Page, field: 'keyFramesEncoded' | 'framesEncoded', rid = ''): Promise<number> =>
  page.evaluate(
    async ([name, wanted]) => {
      const stats = [...(await window.call.sender.getStats()).values()] as RTCOutboundRtpStreamStats[];
      return stats
        .filter((stat) => stat.type === 'outbound-rtp' && (wanted === '' || stat.rid === wanted))
        .reduce((total, stat) => total + (stat[name] ?? 0), 0);
    },
    [field, rid] as const,
  );

test('a cap holds the rate under it, and a release lets it rise again', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 400e3);
  expect(await act(page, cap(150e3))).toEqual({
    ok: true,
    message: 'The stream is capped at 150 kbps.',
    inForce: [{ kind: 'cap', encoding: null, maxBitrateBps: 150e3 }],
  });
  await expect.poll(() => sentBps(page)).toBeLessThan(200e3);
  expect(await act(page, release)).toMatchObject({ ok: true, inForce: [] });
  await awaitRate(page, 400e3);
  const told = await actionsTold(page);
  expect(told.map(({ action, result }) => [action.kind, result.ok])).toEqual([
    ['cap', true],
    ['release', true],
  ]);
  expect(told[1]?.timeUs).toBeGreaterThan(told[0]?.timeUs ?? Infinity);
});

test('hold caps at the rate of the last second', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 400e3);
  const result = await act(page, { kind: 'hold', target: VIDEO });
  expect(result).toMatchObject({ ok: true, inForce: [{ kind: 'cap', encoding: null }] });
  const [bound] = (await inBrowser(page)).encodings;
  const [held] = result.ok ? result.inForce : [];
  if (held?.kind !== 'cap') throw new Error('nothing is held');
  expect(bound?.maxBitrate).toBe(held.maxBitrateBps);
  expect(held.maxBitrateBps).toBeGreaterThan(200e3);
  expect(held.maxBitrateBps).toBeLessThan(3e6);
});

test('a key frame is encoded when it is asked for; a receiver says that it cannot ask', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 100e3);
  for (let i = 0; i < 3; i++) {
    const before = await sum(page, 'keyFramesEncoded');
    const result = await act(page, { kind: 'key-frame', target: VIDEO, encoding: null });
    expect(result).toMatchObject({ ok: true });
    await expect.poll(() => sum(page, 'keyFramesEncoded')).toBeGreaterThan(before);
  }
  const refused = await act(page, { kind: 'key-frame', target: RECEIVED, encoding: null });
  expect(refused).toMatchObject({ ok: false, why: expect.stringContaining('receiver') });
});

test('a layer that is dropped sends nothing while others go on, and comes back', async ({ page }) => {
  await openCall(page, { script: 'observer', rids: ['q', 'h'] });
  await awaitRate(page, 10e3, 'q');
  const layer = (active: boolean): Action => ({ kind: 'layer', target: VIDEO, encoding: 'q', active });
  expect(await act(page, layer(false))).toMatchObject({
    ok: true,
    inForce: [{ kind: 'layer', encoding: 'q', active: false }],
  });
  await expect.poll(() => sentBps(page, 'q')).toBe(0);
  await awaitRate(page, 10e3, 'h');
  const frames = await sum(page, 'framesEncoded', 'q');
  expect((await asPageReads(page)).encodings.map(({ active }) => active)).toEqual([true, true]);
  expect(await act(page, layer(true))).toMatchObject({ ok: true });
  await expect.poll(() => sum(page, 'framesEncoded', 'q')).toBeGreaterThan(frames);
  // A layer can also be named by its index.
  expect(await act(page, { kind: 'layer', target: VIDEO, encoding: 1, active: false })).toMatchObject({
    ok: true,
  });
  expect((await inBrowser(page)).encodings.map(({ active }) => active)).toEqual([true, false]);
});

test('a cap of all layers is shared among them, and their bounds never exceed it', async ({ page }) => {
  await openCall(page, { script: 'observer', rids: ['q', 'h', 'f'] });
  expect(await act(page, cap(300e3))).toMatchObject({ ok: true });
  const bounds = (await inBrowser(page)).encodings.map(({ maxBitrate = NaN }) => maxBitrate);
  expect(bounds.reduce((total, bound) => total + bound, 0)).toBeLessThanOrEqual(300e3 + 2);
  expect(bounds[0]).toBeLessThan(bounds[2] ?? NaN);
  // When a layer is switched off, its share of the cap goes to the other layers.
  expect(await act(page, { kind: 'layer', target: VIDEO, encoding: 'f', active: false })).toMatchObject({
    ok: true,
  });
  const shared = (await inBrowser(page)).encodings.map(({ maxBitrate = NaN }) => maxBitrate);
  expect((shared[0] ?? NaN) + (shared[1] ?? NaN)).toBeGreaterThan(299e3);
});

test('what the page sets is what it reads, and what a release restores', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  const set = (maxBitrate: number, scaleResolutionDownBy: number): Promise<void> =>
    page.evaluate(
      async ([bound, scale]) => {
        const { sender } = window.call;
        const parameters = sender.getParameters();
        Object.assign(parameters.encodings[0] ?? {}, { maxBitrate: bound, scaleResolutionDownBy: scale });
        parameters.degradationPreference = 'maintain-resolution';
        await sender.setParameters(parameters);
      },
      [maxBitrate, scaleResolutionDownBy] as const,
    );
  await set(900e3, 1);
  await act(page, cap(200e3));
  await act(page, { kind: 'degradation-preference', target: VIDEO, preference: 'maintain-framerate' });
  expect(await asPageReads(page)).toMatchObject({
    degradationPreference: 'maintain-resolution',
    encodings: [{ maxBitrate: 900e3 }],
  });
  expect(await inBrowser(page)).toMatchObject({
    degradationPreference: 'maintain-framerate',
    encodings: [{ maxBitrate: 200e3 }],
  });
  await set(700e3, 2);
  expect(await inBrowser(page)).toMatchObject({
    degradationPreference: 'maintain-framerate',
    encodings: [{ maxBitrate: 200e3, scaleResolutionDownBy: 2 }],
  });
  // If the page itself sets a limit below the cap, the page's limit applies.
  await set(100e3, 2);
  expect(await inBrowser(page)).toMatchObject({ encodings: [{ maxBitrate: 100e3 }] });
  await set(800e3, 2);
  await act(page, { kind: 'release', target: VIDEO, of: 'cap' });
  expect(await inBrowser(page)).toMatchObject({
    degradationPreference: 'maintain-framerate',
    encodings: [{ maxBitrate: 800e3, scaleResolutionDownBy: 2 }],
  });
  await act(page, release);
  expect(await inBrowser(page)).toMatchObject({ degradationPreference: 'maintain-resolution' });
});

test('transactions of the page stay valid as long as they would have been', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  const outcomes = await page.evaluate(async (action) => {
    const { sender } = window.call;
    const outcome = (set: Promise<void>): Promise<string> =>
      set.then(
        () => 'resolved',
        (error: unknown) => (error instanceof DOMException ? error.name : String(error)),
      );
    const begun = sender.getParameters();
    await window.acting.act(action);
    const overtaken = await outcome(sender.setParameters(begun));
    const used = await outcome(sender.setParameters(begun));
    const old = sender.getParameters();
    sender.getParameters();
    const replaced = await outcome(sender.setParameters(old));
    // The page and an action set parameters at the same time. The page's `setParameters` waits until the
    // action's call has finished.
    const now = sender.getParameters();
    const acting = window.acting.act(action);
    const together = await outcome(sender.setParameters(now));
    return { overtaken, used, replaced, together, acted: (await acting).ok };
  }, cap(300e3));
  expect(outcomes).toEqual({
    overtaken: 'resolved',
    used: 'InvalidStateError',
    replaced: 'InvalidModificationError',
    together: 'resolved',
    acted: true,
  });
});

test('several calls of the page at once reach the browser at once, as without the script', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const { setParameters } = RTCRtpSender.prototype;
    RTCRtpSender.prototype.setParameters = function (...args) {
      performance.mark('setParameters');
      return setParameters.apply(this, args);
    };
  });
  await openCall(page, { script: 'observer' });
  /**
   * Calls `setParameters` twice in one task of the page. Returns how many of the calls reached the browser
   * within this task. (The browser decides which of them succeeds.)
   */
  const calls = (): Promise<number> =>
    page.evaluate(async () => {
      const { sender } = window.call;
      performance.clearMarks('setParameters');
      const first = sender.setParameters(sender.getParameters());
      const second = sender.setParameters(sender.getParameters());
      const { length } = performance.getEntriesByName('setParameters');
      await Promise.allSettled([first, second]);
      return length;
    });
  expect(await calls()).toBe(2);
  await act(page, cap(300e3));
  expect(await calls()).toBe(2);
});

test('page and user set parameters fifty times at once, and none is refused', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  const failures = await page.evaluate(async (target) => {
    const { sender } = window.call;
    const failed: string[] = [];
    const ours = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) {
        const result = await window.acting.act({
          kind: 'cap',
          target,
          encoding: null,
          maxBitrateBps: 200e3 + i,
        });
        if (!result.ok) failed.push(result.why);
      }
    };
    const theirs = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) {
        const parameters = sender.getParameters();
        Object.assign(parameters.encodings[0] ?? {}, { maxBitrate: 500e3 + i });
        await sender.setParameters(parameters).catch((error: unknown) => failed.push(String(error)));
      }
    };
    await Promise.all([ours(), theirs()]);
    return failed;
  }, VIDEO);
  expect(failures).toEqual([]);
  expect((await inBrowser(page)).encodings[0]?.maxBitrate).toBe(200_049);
  expect((await asPageReads(page)).encodings[0]?.maxBitrate).toBe(500_049);
});

test('a drive that is not renewed ends by itself, and only its beginning and end are told', async ({
  page,
}) => {
  await openCall(page, { script: 'observer' });
  const drive = (maxBitrateBps: number): Action => ({
    ...{ kind: 'drive', target: VIDEO, controller: 'GCC', maxBitrateBps },
  });
  for (const bps of [400e3, 300e3, 200e3]) expect(await act(page, drive(bps))).toMatchObject({ ok: true });
  expect((await inBrowser(page)).encodings[0]?.maxBitrate).toBe(200e3);
  await expect
    .poll(async () => (await actionsTold(page)).map(({ action }) => action.kind))
    .toEqual(['drive', 'release']);
  expect((await inBrowser(page)).encodings[0]?.maxBitrate).toBeUndefined();
});

test('the end of the watch takes everything back', async ({ page }) => {
  await openCall(page, { script: 'observer', rids: ['q', 'h'] });
  const before = await inBrowser(page);
  await act(page, cap(100e3));
  await act(page, { kind: 'layer', target: VIDEO, encoding: 'h', active: false });
  await act(page, { kind: 'playout-delay', target: RECEIVED, delayMs: 300 });
  await page.evaluate(() => window.acting.pause());
  const after = await inBrowser(page);
  expect(after.encodings).toEqual(before.encodings);
  const target = await page.evaluate(() => window.call.callee.getReceivers()[0]?.jitterBufferTarget);
  expect(target).toBeNull();
});

test('what was done is taken back when nobody hears the observer any more, and may be done again later', async ({
  page,
}) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 100e3);
  const bound = async (): Promise<number | undefined> => (await inBrowser(page)).encodings[0]?.maxBitrate;
  const listenerIsGone = (isGone: boolean): Promise<unknown> =>
    page.evaluate((value) => Object.assign(window, { isListenerGone: value }), isGone);
  expect(await act(page, cap(100e3))).toMatchObject({ ok: true });
  expect(await bound()).toBe(100e3);
  await listenerIsGone(true);
  await expect.poll(bound).toBeUndefined();
  await listenerIsGone(false);
  const told = await actionsTold(page);
  expect(told.map(({ action: { kind }, result }) => [kind, result.ok && result.inForce.length])).toEqual([
    ['cap', 1],
    ['release', 0],
  ]);
  await expect.poll(async () => (await act(page, cap(100e3))).ok).toBe(true);
});

test('a hold that is under way at the end changes nothing', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 100e3);
  const before = await inBrowser(page);
  const result = await page.evaluate(async (target) => {
    const holding = window.acting.act({ kind: 'hold', target });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await window.acting.pause();
    return holding;
  }, VIDEO);
  expect(result).toMatchObject({ ok: false, why: expect.stringContaining('no longer watches') });
  expect((await inBrowser(page)).encodings).toEqual(before.encodings);
});

test('a stream that is looked for by its SSRC at the end is left as it is', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 100e3);
  const { result, target } = await page.evaluate(async () => {
    const [receiver] = window.call.callee.getReceivers();
    if (receiver === undefined) throw new Error('nothing is received');
    const stats = [...(await receiver.getStats()).values()] as RTCInboundRtpStreamStats[];
    const ssrc = stats.find(({ type }) => type === 'inbound-rtp')?.ssrc ?? NaN;
    const found = { endpoint: 1, direction: 'receive', mid: '', ssrc };
    const acting = window.acting.act({ kind: 'playout-delay', target: found, delayMs: 300 });
    await window.acting.pause();
    return { result: await acting, target: receiver.jitterBufferTarget };
  });
  expect(result).toMatchObject({ ok: false, why: expect.stringContaining('no longer watches') });
  expect(target).toBeNull();
});

test('media is held back before it is played, and the page reads what it has set', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  await awaitRate(page, 100e3);
  /** How long a frame waits in the jitter buffer, averaged over the next half second. */
  const waitedMs = (): Promise<number> =>
    page.evaluate(async () => {
      const look = async (): Promise<RTCInboundRtpStreamStats> => {
        const stats = [...(await window.call.callee.getStats()).values()] as RTCInboundRtpStreamStats[];
        const video = stats.find(({ type, kind }) => type === 'inbound-rtp' && kind === 'video');
        if (video === undefined) throw new Error('no video is received');
        return video;
      };
      const before = await look();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const now = await look();
      const frames = (now.jitterBufferEmittedCount ?? 0) - (before.jitterBufferEmittedCount ?? 0);
      return (1000 * ((now.jitterBufferDelay ?? 0) - (before.jitterBufferDelay ?? 0))) / frames;
    });
  const ofPage = (set?: number | null): Promise<number | null | undefined> =>
    page.evaluate((value) => {
      const [receiver] = window.call.callee.getReceivers();
      if (receiver !== undefined && value !== undefined) receiver.jitterBufferTarget = value;
      return receiver?.jitterBufferTarget;
    }, set);
  expect(await act(page, { kind: 'playout-delay', target: RECEIVED, delayMs: 900 })).toMatchObject({
    ok: true,
    inForce: [{ kind: 'playout-delay', delayMs: 900 }],
  });
  await expect.poll(waitedMs).toBeGreaterThan(600);
  expect(await ofPage()).toBeNull();
  expect(await ofPage(40)).toBe(40);
  await expect(ofPage(9000)).rejects.toThrow(/range/);
  await expect.poll(waitedMs).toBeGreaterThan(600);
  expect(await act(page, { kind: 'release', target: RECEIVED, of: null })).toMatchObject({
    ok: true,
    inForce: [],
  });
  await expect.poll(waitedMs).toBeLessThan(500);
  expect(await ofPage()).toBe(40);
});

test('what cannot be done says why, and what to do', async ({ page }) => {
  await openCall(page, { script: 'observer' });
  const refused = async (action: unknown, why: RegExp, fix: RegExp): Promise<void> => {
    const result = await page.evaluate((each) => window.acting.act(each), action);
    expect(result).toMatchObject({
      ok: false,
      why: expect.stringMatching(why),
      fix: expect.stringMatching(fix),
    });
  };
  await refused({ kind: 'explode' }, /kind: expected cap, hold/, /type Action/);
  await refused(
    { ...cap(300e3), maxBitrateBps: -1 },
    /maxBitrateBps: expected a whole number from 1000/,
    /type Action/,
  );
  await refused({ ...cap(300e3), target: { ...VIDEO, mid: 3 } }, /target\.mid: expected/, /type Action/);
  await refused(cap(300e3, 'x'), /no encoding x/, /name one of these: 0/);
  await refused({ ...cap(300e3), target: { ...VIDEO, mid: '7' } }, /gone/, /another stream/);
  await refused({ ...cap(300e3), target: { ...VIDEO, endpoint: 9 } }, /closed/, /open/);
  await refused({ ...cap(300e3), target: RECEIVED }, /sending side/, /page that sends/);
  await refused({ kind: 'key-frame', target: { ...VIDEO, mid: '1' }, encoding: null }, /Only video/, /video/);
  await refused({ kind: 'playout-delay', target: VIDEO, delayMs: 10 }, /receiving side/, /receives/);
  await page.evaluate(() => window.call.caller.close());
  await refused(cap(300e3), /closed/, /open/);
});

test('a browser without the means says so', async ({ page }) => {
  await page.addInitScript(() => {
    // Imitates browsers whose `setParameters` takes one argument, and which have no `jitterBufferTarget`.
    const { setParameters } = RTCRtpSender.prototype;
    RTCRtpSender.prototype.setParameters = function (parameters) {
      return setParameters.call(this, parameters);
    };
    Reflect.deleteProperty(RTCRtpReceiver.prototype, 'jitterBufferTarget');
    Reflect.deleteProperty(RTCRtpReceiver.prototype, 'playoutDelayHint');
  });
  await openCall(page, { script: 'observer' });
  expect(await act(page, { kind: 'key-frame', target: VIDEO, encoding: null })).toMatchObject({
    ok: false,
    why: expect.stringContaining('encodingOptions'),
  });
  expect(await act(page, { kind: 'playout-delay', target: RECEIVED, delayMs: 100 })).toMatchObject({
    ok: false,
    why: expect.stringContaining('jitterBufferTarget'),
  });
});
