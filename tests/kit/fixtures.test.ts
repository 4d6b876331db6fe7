/** The kit's fixtures in a real Chromium, in any combination and order. */
import { createSocket } from 'node:dgram';

import { mergeExpects, mergeTests, test as plain, type Browser } from '@playwright/test';

import type { Call } from '../../src/playwright/session.js';
import { CALL_FLAGS, withCallFlags } from '../../src/playwright/options.js';
import { asksFor } from '../../src/playwright/parameters.js';
import { expect, expectRouted, test } from './support.js';

/** Resolves if a UDP port is free; rejects if it is not. */
async function expectFree(port: number): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, '127.0.0.1', resolve);
  });
  await new Promise<void>((resolve) => socket.close(resolve));
}

test.describe('whatever the order of the parameters', () => {
  test('page first', async ({ page, call }) => {
    await page.goto('/loop.html');
    await expectRouted(call);
  });

  test('call first', async ({ call, page }) => {
    await page.goto('/loop.html');
    await expectRouted(call);
  });

  test('link without call', async ({ page, link }) => {
    await page.goto('/loop.html');
    await expect.poll(() => link.record.flows.length).toBe(1);
    const change = await link.set({ capacity: '800kbps' });
    expect(link.record.changes.at(-1)).toEqual({ timeUs: change.timeUs, text: change.text });
  });
});

test.describe('a page that a hook opens', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/loop.html');
  });

  test('is observed from its begin, though only the test names call', async ({ call }) => {
    await expectRouted(call);
    expect(call.record.notices).toEqual([]);
  });

  test('is left alone by a test without a call', async ({ page }) => {
    const own = await page.evaluate(() => RTCPeerConnection.toString());
    expect(own).toContain('[native code]');
  });
});

test.describe('a fixture of the user that opens the page and hides the call', () => {
  const room = test.extend<{ room: string; late: string }>({
    room: async ({ page }, use) => {
      await page.goto('/loop.html');
      await use('room');
    },
    late: async ({ call }, use) => {
      await use(call.record.notices.map(({ code }) => code).join());
    },
  });

  room('is told of in a notice', ({ room: opened, late }) => {
    expect([opened, late]).toEqual(['room', 'observed-late']);
  });
});

test('two peers in contexts of their own', async ({ twoPeers, call }) => {
  const [a, b] = await twoPeers('/plain.html?side=a&room=two', '/plain.html?side=b&room=two');
  expect(a.context()).not.toBe(b.context());
  await expectRouted(call);
  expect(call.record.pages.map(({ context }) => context)).toHaveLength(2);
  expect(call.of(a).record).toBe(call.record);
});

test('two peers need a base URL or a whole address', async ({ browser }) => {
  const { CallSession } = await import('../../src/playwright/session.js');
  const session = new CallSession({
    linkOptions: {},
    linkBackend: 'shaper',
    linkPort: 0,
    baseURL: undefined,
    browser,
  });
  await expect(session.peers()).rejects.toThrow(/url.*full URL.*use\.baseURL/s);
  await session.finish();
});

test('a browser that does not throttle WebRTC: the message says what to do', async ({ playwright }) => {
  const { CallSession } = await import('../../src/playwright/session.js');
  const firefox = { browserType: () => playwright.firefox, isConnected: () => true } as Browser;
  const session = new CallSession({
    linkOptions: {},
    linkBackend: 'devtools',
    linkPort: 0,
    baseURL: undefined,
    browser: firefox,
  });
  await expect(session.call()).rejects.toThrow(/linkBackend.*Chromium.*firefox.*remove linkBackend/s);
  await session.finish();
});

test.describe("Chrome's own throttling", () => {
  test.use({ linkBackend: 'devtools', linkOptions: { capacity: '800kbps', queue: 'droptail:100p' } });

  test('needs no relay, and says that nobody saw the packets', async ({ page, link, call }) => {
    await page.goto('/loop.html');
    await call.connected();
    await link.set({ capacity: '600kbps' });
    await call.settle();
    expect(link.backend).toBe('devtools');
    expect(call.record.endpoints).toHaveLength(2);
    expect(call.record.link?.flows).toEqual([]);
    expect(call.metrics().source).toBe('getStats');
  });

  // Chromium does not throttle a connection that began before it was given the conditions.
  const slow = test.extend({
    context: async ({ context }, use) => {
      const open = context.newCDPSession.bind(context);
      context.newCDPSession = async (page) => {
        await new Promise((resolve) => setTimeout(resolve, 2000));
        return open(page);
      };
      await use(context);
    },
  });
  const notShaped = (call: Call) =>
    call.record.notices.filter(({ code }) => code === 'not-shaped').map(({ message }) => message);

  slow('throttles a page that the browser lets the kit reach late', async ({ page, call }) => {
    await page.goto('/loop.html');
    await call.connected();
    await call.settle();
    expect(notShaped(call)).toEqual([]);
  });

  slow('says that a page is not throttled whose connection began before', async ({ context, call }) => {
    const page = await context.newPage();
    await page.goto('/loop.html');
    await call.connected();
    await call.settle();
    expect(notShaped(call)).toEqual([expect.stringContaining('A connection of page 1 began before')]);
  });
});

test('a context that the test made is observed when it is told so', async ({ browser, call }) => {
  const context = await browser.newContext();
  await call.observe(context);
  const page = await context.newPage();
  await page.goto('/loop.html');
  await expectRouted(call);
  await context.close();
});

test('a page that crashes and a context that is closed do not hold up the end', async ({ page, call }) => {
  await page.goto('/loop.html');
  await call.connected();
  const crashed = page.waitForEvent('crash');
  await page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  await call.settle();
  expect(call.record.pages[0]?.ended?.why).toBe('crashed');
  await page.context().close();
  await call.settle();
});

test.describe('a port that is chosen', () => {
  test.describe.configure({ mode: 'default' });
  test.use({ linkPort: 41_999 });

  test('is the one of the link', ({ link }) => {
    expect(link.relay).toMatchObject({ port: 41_999 });
  });

  test('is free again after the test', async () => {
    await expectFree(41_999);
  });

  test('that is in use: the message says what to do', async ({ browser }) => {
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(41_998, '127.0.0.1', resolve));
    const { CallSession } = await import('../../src/playwright/session.js');
    const options = { linkOptions: {}, linkBackend: 'shaper', linkPort: 41_998, baseURL: undefined } as const;
    const session = new CallSession({ ...options, browser });
    await expect(session.link()).rejects.toThrow(/41998/);
    await session.finish();
    taken.close();
  });
});

test.describe('joined to other tests and expectations', () => {
  const other = plain.extend<{ name: string }>({ name: async ({}, use) => use('Ada') });
  const joined = mergeTests(test, other);
  const both = mergeExpects(
    expect,
    plain.expect.extend({
      toBeAda: (name: string) => ({ pass: name === 'Ada', message: () => `expected Ada, got ${name}` }),
    }),
  );

  joined('both are there', async ({ page, call, name }) => {
    await page.goto('/loop.html');
    await expectRouted(call);
    both(name).toBeAda();
    await both(call).toLoseLessThan('100%', { over: '1s' });
  });
});

test.describe('flags for calls', () => {
  test('the browser has a camera without asking', async ({ page }) => {
    await page.goto('/loop.html');
    const kinds = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
      return stream.getTracks().map(({ kind }) => kind);
    });
    expect(kinds.sort()).toEqual(['audio', 'video']);
  });

  test("the user's own arguments stay, and win", () => {
    const own = ['--window-size=1,1', '--use-fake-device-for-media-stream=fps=30'];
    const { args, executablePath } = withCallFlags({ args: own, executablePath: 'chrome' });
    expect(executablePath).toBe('chrome');
    expect(args?.slice(0, 2)).toEqual(own);
    expect(args).not.toContain('--use-fake-device-for-media-stream');
    expect(args).toHaveLength(own.length + CALL_FLAGS.length - 1);
  });
});

test('the fixtures that a function names', () => {
  const named: [string, boolean][] = [
    ['async ({ call }) => {}', true],
    ['async ({ page, call: mine }, testInfo) => {}', true],
    ['async function calls({ link }) {}', true],
    ['({\n  page,\n  call,\n}) => {}', true],
    ['async ({ page, callers }) => {}', false],
    ["() => 'call'", false],
  ];
  for (const [source, expected] of named)
    expect(asksFor({ toString: () => source }, ['call', 'link']), source).toBe(expected);
});
