/**
 * A call uses its link, whatever is at the other end. If a call cannot use its link, the reason is reported.
 */
import type { Page } from '@playwright/test';

import { routingOf } from '../../src/judge/routing.js';
import { pathsOf } from '../../src/judge/view.js';
import { expect, selectedRemotePorts, test } from './bed.js';
import { expect as kitExpect, test as kit } from './support.js';

type Peer = { peer: RTCPeerConnection };
/** Defined in common.js, a script of the page. */
declare const signals: { tell(message: unknown): Promise<void> };

test('a page tells nobody its own addresses', async ({ bed }) => {
  const page = await bed.open('frame.html');
  const told = await page.evaluate(async () => {
    const peer = new RTCPeerConnection();
    peer.createDataChannel('one');
    const candidates: (RTCIceCandidate | null)[] = [];
    const gathered = new Promise<void>((resolve) => {
      peer.addEventListener('icecandidate', ({ candidate }) => {
        candidates.push(candidate);
        if (candidate === null) resolve();
      });
    });
    const first = await peer.createOffer();
    await peer.setLocalDescription(first);
    await gathered;
    const again = await peer.createOffer();
    const legacy = await new Promise<RTCSessionDescriptionInit>((resolve, reject) => {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- pages use it still
      void peer.createOffer(resolve, reject);
    });
    const { localDescription, pendingLocalDescription, currentLocalDescription } = peer;
    // The connection must accept a rewritten description that it has returned itself.
    await peer.setLocalDescription(again);
    const stats: { type: string; address?: string; port?: number }[] = [];
    (await peer.getStats()).forEach((stat: (typeof stats)[number]) => stats.push(stat));
    const real = candidates.filter((candidate) => candidate !== null);
    return {
      texts: [...real.map((each) => each.candidate), ...real.map((each) => JSON.stringify(each))],
      descriptions: [localDescription, pendingLocalDescription, again, legacy].map((each) => each?.sdp ?? ''),
      addresses: real.map(({ address, port, protocol }) => ({ address, port, protocol })),
      kinds: [
        real.every((each) => each instanceof RTCIceCandidate),
        localDescription instanceof RTCSessionDescription,
        peer.localDescription === peer.localDescription,
        currentLocalDescription,
        candidates.at(-1),
      ],
      own: stats.filter(({ type }) => type === 'local-candidate').map(({ port }) => port),
    };
  });
  const { address, port } = bed.link.relay;
  expect(told.kinds).toEqual([true, true, true, null, null]);
  expect(told.own.length).toBeGreaterThan(0);
  expect(told.own).not.toContain(port);
  const lines = [...told.texts, ...told.descriptions.flatMap((sdp) => sdp.match(/a=candidate:.*/g) ?? [])];
  expect(lines.length).toBeGreaterThan(told.texts.length + 2);
  for (const line of lines)
    expect(line).toMatch(/(udp \d+ 127\.0\.0\.1 \d+ typ)|(tcp \d+ 127\.0\.0\.1 9 typ)/);
  const udp = told.addresses.filter(({ protocol }) => protocol === 'udp');
  for (const each of udp) expect(each).toMatchObject({ address, port });
  // The page's real ports must appear nowhere, not even as a default candidate.
  for (const own of told.own.filter((each) => each !== 9))
    for (const text of [...lines, ...told.descriptions]) expect(text).not.toContain(` ${own} `);
});

/** Restarts ICE from one side, and waits until both sides are connected through new candidates. */
async function restart(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { peer } = globalThis as unknown as Peer;
    const stable = new Promise<void>((resolve) => {
      peer.addEventListener('signalingstatechange', () => peer.signalingState === 'stable' && resolve());
    });
    peer.restartIce();
    await peer.setLocalDescription();
    await signals.tell({ description: peer.localDescription });
    await stable;
  });
}

test('after an ICE restart', async ({ bed }) => {
  const { a } = await bed.openBoth('plain.html');
  await bed.receiveVideo(2);
  await restart(a);
  await bed.until('the flow of the restart', ({ link }) => (link?.flows.length ?? 0) >= 2);
  const before = bed.record.endpoints.map(({ samples }) => samples.length);
  await bed.until('looks at both ends', ({ endpoints }) =>
    endpoints.every(({ samples }, i) => samples.length > (before[i] ?? 0) + 4),
  );
  await bed.link.sync();
  const routing = routingOf(bed.record, pathsOf(bed.record, {}));
  expect(routing).toMatchObject({ outsideRatio: 0 });
  expect(await selectedRemotePorts(a)).toEqual([bed.link.relay.port]);
});

for (const observed of ['a', 'b'] as const) {
  test(`with a far side in a browser that nobody observes, side ${observed} observed`, async ({
    bed,
    browser,
    server,
  }) => {
    const far = await browser.newContext();
    const other = observed === 'a' ? 'b' : 'a';
    await (await far.newPage()).goto(`${server.url}/plain.html?side=${other}&both`);
    const page = await bed.open(`plain.html?side=${observed}&both`);
    await bed.receiveVideo(4);
    expect(await selectedRemotePorts(page)).toEqual([bed.link.relay.port]);
    const routing = routingOf(bed.record, pathsOf(bed.record, {}));
    expect(routing).toMatchObject({ outsideRatio: 0 });
    const [endpoint] = routing?.endpoints ?? [];
    expect(endpoint?.linkBytes).toBeGreaterThan(100_000);
    await far.close();
  });
}

test('TCP candidates alone: a failure by name', async ({ bed }) => {
  const page = await bed.open('frame.html');
  await page.evaluate(async () => {
    const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
    Object.assign(globalThis, { peer: a, other: b });
    a.createDataChannel('one');
    await a.setLocalDescription();
    await b.setRemoteDescription(a.localDescription ?? { type: 'offer' });
    const answer = await b.createAnswer();
    const tcp = 'a=candidate:1 1 tcp 1518280447 192.0.2.1 3478 typ host tcptype passive\r\n';
    await a.setRemoteDescription({ type: 'answer', sdp: `${answer.sdp ?? ''}${tcp}` });
  });
  await bed.until('a notice on it', ({ endpoints }) =>
    endpoints.some(({ notices }) =>
      notices.some(({ code, level }) => code === 'ice-tcp' && level === 'error'),
    ),
  );
});

kit(
  'a connection that was made before its page was observed has no verdict',
  async ({ call, browser, pages }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${pages.url}/frame.html`);
    await page.evaluate(async () => {
      const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
      a.onicecandidate = ({ candidate }) => void b.addIceCandidate(candidate ?? undefined);
      b.onicecandidate = ({ candidate }) => void a.addIceCandidate(candidate ?? undefined);
      const channel = a.createDataChannel('one');
      channel.onopen = () => setInterval(() => channel.send(new Uint8Array(5000)), 50);
      await a.setLocalDescription();
      await b.setRemoteDescription(a.localDescription ?? { type: 'offer' });
      await b.setLocalDescription();
      await a.setRemoteDescription(b.localDescription ?? { type: 'answer' });
      Object.assign(globalThis, { peers: [a, b] });
    });
    await call.observe(context);
    // The observer notices these connections only when the page calls one of their methods.
    await page.evaluate(() => {
      const { peers } = globalThis as unknown as { peers: RTCPeerConnection[] };
      for (const peer of peers) peer.addTransceiver('audio');
    });
    await call.connected();
    for (const judged of [kitExpect(call), kitExpect(call).not]) {
      const error = await judged.toConvergeTo('800kbps', { within: '6s' }).then(
        () => 'it passed',
        (thrown: unknown) => (thrown as Error).message,
      );
      kitExpect(error).toContain("no verdict: 100 % of the call's bytes bypassed the link");
      kitExpect(error).toMatch(/Cause: +not-routed: 100 % .* at page 1: .* The connection bypasses the link/);
      kitExpect(error).toMatch(
        /To do: +The page made this connection before it was observed: use the `call` .*call\.observe\(context\)/,
      );
      kitExpect(error).not.toContain('raise');
    }
    kitExpect(call.metrics().outsideRatio).toBe(1);
    await context.close();
  },
);
