/** Errors in pages: they are reported, nothing hangs, and calls are not disturbed. */
import type { BrowserContext } from '@playwright/test';

import type { EndpointRecord } from '../../src/calls/record/record.js';
import { expect, framesDecoded, secondsOfVideo, test } from './bed.js';

const CALL_S = 3;

test('a page crashes in a call', async ({ bed }) => {
  const { a, b } = await bed.openBoth('plain.html');
  await bed.receiveVideo(1);
  const crashed = a.waitForEvent('crash');
  void a.goto('chrome://crash').catch(() => undefined);
  await crashed;
  const began = performance.now();
  await bed.observer.collect();
  expect(performance.now() - began).toBeLessThan(5000);
  const { pages, endpoints } = bed.record;
  expect(pages[bed.observer.pageId(a) ?? -1]?.ended?.why).toBe('crashed');
  expect(pages[bed.observer.pageId(b) ?? -1]?.ended).toBe(null);
  const gone = endpoints.find(({ page }) => page === bed.observer.pageId(a));
  expect(gone?.states.at(-1)?.state).toBe('closed');
});

test('a context is closed in a call', async ({ bed }) => {
  const { a, b } = await bed.openBoth('plain.html');
  await bed.receiveVideo(1);
  const collected = bed.observer.collect();
  await a.context().close();
  await collected;
  await bed.observer.collect();
  const { pages, endpoints } = bed.record;
  expect(pages[bed.observer.pageId(a) ?? -1]?.ended?.why).toBe('closed');
  const gone = endpoints.find(({ page }) => page === bed.observer.pageId(a));
  const samples = gone?.samples.length;
  expect(samples).toBeGreaterThan(0);
  expect(gone?.states.at(-1)?.state).toBe('closed');
  const other = endpoints.find(({ page }) => page === bed.observer.pageId(b));
  const told = other?.samples.length ?? 0;
  await bed.until('the other side goes on', () => (other?.samples.length ?? 0) > told);
  expect(gone?.samples.length).toBe(samples);
});

test('a page goes to another address in a call', async ({ bed, server }) => {
  const { a } = await bed.openBoth('plain.html');
  await bed.receiveVideo(1);
  await a.goto(`${server.url}/plain.html?side=b&room=another`);
  await bed.until('both connections of the page', ({ endpoints }) => endpoints.length === 3);
  const ofPage = bed.record.endpoints.filter(({ page }) => page === bed.observer.pageId(a));
  expect(ofPage.map(({ states }) => states.at(-1)?.state)).toEqual(['closed', 'new']);
});

test('a page goes to an address without a call', async ({ bed }) => {
  const { a } = await bed.openBoth('plain.html');
  await bed.receiveVideo(1);
  const states = () =>
    bed.record.endpoints
      .filter(({ page }) => page === bed.observer.pageId(a))
      .map((endpoint) => endpoint.states.map(({ state }) => state));
  // Neither another place in the same document nor an event that the page dispatches itself ends the call.
  await a.evaluate(() => {
    location.hash = '#elsewhere';
    dispatchEvent(new PageTransitionEvent('pagehide'));
  });
  await bed.observer.collect();
  expect(states().map((all) => all.at(-1))).toEqual(['connected']);
  await a.goto('about:blank');
  await bed.until('the end of the connection', () => states()[0]?.at(-1) === 'closed');
  expect(states().map((all) => all.filter((state) => state === 'closed'))).toEqual([['closed']]);
});

/** Pages in which the observer cannot see single frames. The video of their calls must flow nevertheless. */
const refusals: Readonly<
  Record<string, { headers?: Record<string, string>; script?: string; code: string }>
> = {
  "a Content-Security-Policy with worker-src 'none'": {
    headers: { 'Content-Security-Policy': "worker-src 'none'" },
    code: 'worker-refused',
  },
  'Trusted Types with no policy for the observer': {
    headers: { 'Content-Security-Policy': "require-trusted-types-for 'script'; trusted-types app" },
    code: 'worker-refused',
  },
  'a browser without RTCRtpScriptTransform': {
    script: 'delete globalThis.RTCRtpScriptTransform',
    code: 'no-transforms',
  },
};

for (const [what, { headers = {}, script, code }] of Object.entries(refusals)) {
  test(what, async ({ bed, server }) => {
    server.headers = headers;
    const prepare = async (context: BrowserContext) => {
      if (script !== undefined) await context.addInitScript(script);
    };
    await bed.open('plain.html?both=1&side=b', prepare);
    await bed.open('plain.html?both=1&side=a', prepare);
    const flows = (endpoint: EndpointRecord) =>
      secondsOfVideo(endpoint) >= CALL_S && framesDecoded(endpoint) > 8 * CALL_S;
    await bed.until('video both ways', ({ endpoints }) => endpoints.filter(flows).length === 2);
    expect(bed.record.endpoints).toHaveLength(2);
    for (const endpoint of bed.record.endpoints) {
      expect(endpoint).toMatchObject({ frameSource: 'getStats', routed: true });
      expect(endpoint.notices.map((notice) => notice.code)).toEqual([code]);
    }
  });
}

test('Trusted Types that let any policy be made', async ({ bed, server }) => {
  server.headers = { 'Content-Security-Policy': "require-trusted-types-for 'script'" };
  await bed.openBoth('plain.html');
  const receiver = await bed.receiveVideo(CALL_S);
  expect(receiver.frameSource).toBe('transform');
  expect(receiver.frames.rows).toBeGreaterThan(8 * CALL_S);
});

test('a browser without RTCPeerConnection', async ({ bed }) => {
  const errors: string[] = [];
  const page = await bed.open('plain.html', async (context) => {
    await context.addInitScript(
      'delete globalThis.RTCPeerConnection; delete globalThis.webkitRTCPeerConnection',
    );
    context.on('weberror', (error) => errors.push(error.error().message));
  });
  expect(await page.title()).toContain('browser');
  // Only the page's own error occurs; the observer's script adds none.
  expect(errors).toEqual(['RTCPeerConnection is not defined']);
  await bed.observer.collect();
  expect(bed.record.endpoints).toEqual([]);
});

test("a page that asks for iceTransportPolicy 'relay'", async ({ bed }) => {
  const { b } = await bed.openBoth('plain.html?policy=relay');
  const receiver = await bed.receiveVideo(1);
  expect(receiver.notices.map(({ code }) => code)).toEqual(['relay-policy']);
  expect(receiver.routed).toBe(true);
  const seen = await b.evaluate(
    () => (globalThis as unknown as { peer: RTCPeerConnection }).peer.getConfiguration().iceTransportPolicy,
  );
  expect(seen).toBe('relay');
});
