/**
 * The matchers on real calls. Each matcher passes on a good call, and names the cause in a call that was broken on
 * purpose.
 */
import type { Page } from '@playwright/test';

import type { CauseKind } from '../../src/judge/index.js';
import { expect, test as kit, type Call } from '../../src/playwright/index.js';
import { startTestServer, type TestServer } from './server.js';

interface Fixtures {
  /** Two pages with a call that uses no library; `a` offers the call and sends. */
  pages: { a: Page; b: Page };
}

const test = kit.extend<Fixtures, { server: TestServer }>({
  server: [
    async ({}, use) => {
      const server = await startTestServer();
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],
  // An automatic fixture: every test here needs the call, even if the test does not use the pages.
  pages: [
    async ({ call, twoPeers, server }, use, { testId }) => {
      const url = (side: string): string => `${server.url}/plain.html?side=${side}&room=${testId}`;
      const [a, b] = await twoPeers(url('a'), url('b'));
      await call.connected();
      await use({ a, b });
    },
    { auto: true },
  ],
});
test.use({ evidence: 'on-failure' });

/** The cause that a failed assertion names, taken from the call's last judgement. */
async function causeOf(call: Call, assertion: Promise<void>): Promise<CauseKind> {
  const error = await assertion.then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  expect(error, 'the assertion should have failed').not.toBeNull();
  const { judgement } = call.judgements.at(-1) ?? {};
  expect(error?.message).toContain(judgement?.cause?.evidence ?? 'no cause');
  return judgement?.cause?.kind ?? 'unknown';
}

test.describe('on a link of 1 Mbps', { tag: '@measures' }, () => {
  test.use({ linkOptions: { capacity: '1mbps', queue: 'droptail:300ms', rtt: '50ms' } });

  test('a call as it should be', async ({ call, pages }) => {
    await expect(call).toConvergeTo('900kbps', { within: '45s', tolerance: '30%' });
    await expect(call).toHaveUtilisation({ min: 0.5, max: 1 });
    await expect(call).toKeepQueuingDelayBelow({ p50: '150ms', max: '330ms' });
    await expect(call).toLoseLessThan('10%');
    await expect(call).toHaveNoFreezeLongerThan('5s');
    await expect(call.sentBy(pages.a)).toHaveUtilisation({ min: 0.5 });
    // Page b sends only RTCP, for which there is no verdict. So an assertion fails, and its `.not` fails, too.
    const silent = expect(call.sentBy(pages.b)).toHaveUtilisation({ max: 0.2 });
    expect(await causeOf(call, silent)).toBe('no-media');
  });

  test('outage: the link carries next to nothing for three seconds', async ({ call, link, pages }) => {
    await expect(call).toHaveUtilisation({ min: 0.3 }, { over: '3s', timeout: '45s' });
    const cut = await link.set({ capacity: '1kbps' });
    await pages.a.waitForTimeout(3000);
    await link.set({ capacity: '1mbps' });
    const assertion = expect(call).toHaveNoFreezeLongerThan('1s', { after: cut, over: '10s' });
    expect(await causeOf(call, assertion)).toBe('outage');
    await expect(call).toHaveNoFreezeLongerThan('3s', { over: '5s' });
  });

  test('cap: maxBitrate of 200 kbps', async ({ call, pages }) => {
    await pages.a.evaluate(async () => {
      const [sender] = (window as unknown as { peer: RTCPeerConnection }).peer.getSenders();
      const parameters = sender?.getParameters();
      if (!sender || !parameters) throw new Error('no sender');
      for (const encoding of parameters.encodings) encoding.maxBitrate = 200_000;
      await sender.setParameters(parameters);
    });
    const assertion = expect(call).toConvergeTo('900kbps', { within: '8s' });
    expect(await causeOf(call, assertion)).toBe('cap');
  });

  test('application-limited: a picture that does not move', async ({ call, pages }) => {
    await pages.a.evaluate(async () => {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d');
      setInterval(() => context?.fillRect(0, 0, 10, 10), 33);
      const [track] = canvas.captureStream(30).getTracks();
      await (window as unknown as { peer: RTCPeerConnection }).peer
        .getSenders()[0]
        ?.replaceTrack(track ?? null);
    });
    const assertion = expect(call).toConvergeTo('900kbps', { within: '8s' });
    expect(await causeOf(call, assertion)).toBe('application-limited');
  });

  test('recovery after a drop', async ({ call, link }) => {
    await expect(call).toConvergeTo('900kbps', { within: '45s', tolerance: '30%' });
    const drop = await link.set({ capacity: '400kbps' });
    // Does not test how fast Chrome recovers (it took up to 20.5 s), only that the matcher detects the recovery.
    await expect(call).toRecoverWithin('45s', { after: drop });
    await expect(call).not.toConvergeTo('900kbps', { within: '3s' });
  });
});

test.describe('on a link that is too small', { tag: '@measures' }, () => {
  test.use({ linkOptions: { capacity: '300kbps', queue: 'droptail:300ms', rtt: '50ms' } });

  test('capacity', async ({ call }) => {
    const assertion = expect(call).toConvergeTo('1mbps', { within: '8s' });
    expect(await causeOf(call, assertion)).toBe('capacity');
  });
});

test.describe('on a link with 20 % loss', { tag: '@measures' }, () => {
  test.use({ linkOptions: { capacity: '2mbps', loss: '20%', rtt: '50ms' } });

  test('loss', async ({ call }) => {
    expect(await causeOf(call, expect(call).toConvergeTo('1.5mbps', { within: '8s' }))).toBe('loss');
    expect(await causeOf(call, expect(call).toLoseLessThan('5%'))).toBe('loss');
    await expect(call).not.toLoseLessThan('5%');
  });
});

test.describe('with two TCP connections in the queue', { tag: '@measures' }, () => {
  test.use({
    linkOptions: { capacity: '2mbps', queue: 'droptail:300ms', rtt: '50ms', crossTraffic: 'cubic:2' },
  });

  test('cross-traffic', async ({ call }) => {
    const assertion = expect(call).toKeepQueuingDelayBelow({ p95: '100ms' });
    expect(await causeOf(call, assertion)).toBe('cross-traffic');
    await expect(call).toHaveUtilisation({ min: 0.8 }, { of: 'link' });
  });
});

test.describe("with Chrome's own throttling", { tag: '@measures' }, () => {
  test.use({ linkBackend: 'devtools', linkOptions: { capacity: '500kbps', rtt: '50ms' } });

  test('numbers of getStats', async ({ call }) => {
    const assertion = expect(call).toConvergeTo('1mbps', { within: '8s' });
    expect(await causeOf(call, assertion)).toBe('capacity');
    expect(call.metrics()).toMatchObject({ source: 'getStats', queueDelayEstimated: true });
    await expect(call).toHaveUtilisation({ min: 0.4, max: 1 });
    await expect(call).toKeepQueuingDelayBelow({ p50: '2s' });
  });
});
