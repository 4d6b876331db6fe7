/**
 * Chrome's own network throttling, used as a link. It affects WebRTC before and during a call, and both pages
 * of a call share it.
 */
import { expect, test, type Page } from '@playwright/test';

import { openDevtoolsLink } from '../../src/shaper/index.js';

/**
 * The property that `connect` adds to the page's window. `roundTripMs` measures the round-trip time of a
 * message on `channel`.
 */
interface Probe {
  channel: RTCDataChannel;
  roundTripMs(): Promise<number>;
}
declare global {
  interface Window {
    probe?: Probe;
  }
}

/** Opens a data channel between two connections of this page, which must already be attached to the link. */
async function connect(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.evaluate(async () => {
    const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
    a.onicecandidate = ({ candidate }) => void b.addIceCandidate(candidate ?? undefined);
    b.onicecandidate = ({ candidate }) => void a.addIceCandidate(candidate ?? undefined);
    b.ondatachannel = ({ channel }) => (channel.onmessage = ({ data }) => channel.send(data as string));
    const channel = a.createDataChannel('probe');
    const open = new Promise((resolve) => (channel.onopen = resolve));
    await a.setLocalDescription();
    await b.setRemoteDescription(a.localDescription as RTCSessionDescription);
    await b.setLocalDescription();
    await a.setRemoteDescription(b.localDescription as RTCSessionDescription);
    await open;
    const roundTripMs = (): Promise<number> => {
      const begin = performance.now();
      const answered = new Promise<number>(
        (resolve) => (channel.onmessage = () => resolve(performance.now() - begin)),
      );
      channel.send('there and back');
      return answered;
    };
    window.probe = { channel, roundTripMs };
  });
}

/** The shortest of eight round-trip times. */
const leastRoundTripMs = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const all: number[] = [];
    for (let i = 0; i < 8; i++) all.push((await window.probe?.roundTripMs()) ?? NaN);
    return Math.min(...all);
  });

test('delays WebRTC by what is set, at any time @measures', async ({ page }) => {
  const link = openDevtoolsLink({ settings: { capacity: '20mbps', rtt: 0 } });
  await link.attach(page);
  await connect(page);
  const idleMs = await leastRoundTripMs(page);
  // Both ends are in this page. So the message crosses the page's upload and download once (100 ms in total), and
  // so does its echo.
  await link.set({ rtt: 100 });
  const slowMs = (await leastRoundTripMs(page)) - idleMs;
  expect(slowMs).toBeGreaterThan(190);
  expect(slowMs).toBeLessThan(300);
  expect(link.record.changes.map(({ text }) => text)).toEqual(['20mbps, rtt 0 ms', 'rtt 100 ms']);
  expect(link.record.forward?.capacity).toMatchObject([{ capacityBps: 20e6 }]);
  await link.close();
  await link.close();
  expect((await leastRoundTripMs(page)) - idleMs).toBeLessThan(100);
  await expect(link.set({ rtt: 1 })).rejects.toThrow(/closed/);
});

test('limits WebRTC to the capacity that is set, and follows a function @measures', async ({ page }) => {
  const link = openDevtoolsLink({
    settings: { capacity: (seconds) => (seconds < 1000 ? 400e3 : 1), rtt: 0 },
  });
  await link.attach(page);
  await connect(page);
  const bps = await page.evaluate(async () => {
    const { channel } = window.probe ?? {};
    if (channel === undefined) throw new Error('connect first');
    let echoed = 0;
    const bytes = 16 * 1024;
    const begin = performance.now();
    const done = new Promise<void>((resolve) => {
      channel.onmessage = () => {
        if (++echoed === 10) resolve();
      };
    });
    for (let i = 0; i < 10; i++) channel.send('x'.repeat(bytes));
    await done;
    return (10 * bytes * 8e3) / (performance.now() - begin);
  });
  // 160 kB were sent and echoed. Both ends are in this page. So messages and echoes share the page's upload and
  // download, each limited to 400 kbit/s.
  expect(bps).toBeLessThan(400e3);
  expect(bps).toBeGreaterThan(100e3);
  await link.close();
});

test('shares the RTT between two attached pages, and survives pages that close @measures', async ({
  page,
  context,
}) => {
  const link = openDevtoolsLink({ settings: { capacity: '20mbps', rtt: 100 } });
  await link.attach(page);
  await connect(page);
  const aloneMs = await leastRoundTripMs(page);
  const other = await context.newPage();
  await link.attach(other);
  const halfMs = await leastRoundTripMs(page);
  expect(halfMs).toBeLessThan(aloneMs * 0.75);
  await other.close();
  await link.set({ rtt: 10 });
  expect(await leastRoundTripMs(page)).toBeLessThan(halfMs);
  await page.close();
  await link.close();
});

test('says that a page that is closed cannot be attached', async ({ page }) => {
  const link = openDevtoolsLink();
  await page.close();
  await expect(link.attach(page)).rejects.toThrow(/linkBackend: expected an open Chromium page/);
  await link.close();
});
