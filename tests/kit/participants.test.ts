/** Calls of several participants through a server; a test can give a participant its own link. */
import type { Call } from '../../src/playwright/index.js';
import { startWerift, type ControlledUnit } from './sfu/servers.js';
import { expect, test as kit } from './support.js';

/** If packets leave the link later than due by more than this, the browser's measurements are distorted. */
const MOST_LATE_MS = 3;

const test = kit.extend<{ unit: ControlledUnit }>({
  unit: async ({}, use) => {
    const unit = await startWerift();
    await use(unit);
    await unit.close();
  },
});
test.use({ linkOptions: { capacity: '5mbps', queue: 'droptail:200ms', rtt: '20ms' } });

test('a bad subscriber stands beside a good one', async ({ call, link, unit, twoPeers, page }) => {
  await page.goto(unit.page('publish'));
  const [good, bad] = await twoPeers(unit.page('watch'));
  await link.for(bad).set({ loss: '20%' });
  await call.of(good).connected();
  await call.of(bad).connected();
  await expect.poll(() => call.of(good).metrics({ over: '3s' }).receivedBps).toBeGreaterThan(100e3);
  await expect(call.of(good)).toLoseLessThan('1%', { over: '5s', timeout: '20s' });
  const worse = expect(call.of(bad)).toLoseLessThan('5%', { over: '5s', timeout: '20s' });
  // Checks only the value: on a busy machine, the named cause may be the machine. situations.test.ts checks causes.
  await expect(worse).rejects.toThrow(/Received: [12]\d(\.\d+)? %/);
  const { record } = link;
  expect(record.own.map(({ page: id }) => id)).toEqual([link.for(bad).record?.page]);
  expect(call.of(bad).metrics().outsideRatio).toBe(0);
});

test('numbers of each simulcast layer', async ({ call, unit, page, twoPeers }) => {
  await page.goto(unit.page('publish', { layers: 2 }));
  await twoPeers(unit.page('watch'));
  const layers = () => call.sentBy(page).metrics({ over: '3s' }).layers;
  await expect
    .poll(() => layers().map(({ rid, frameWidth, sentBps }) => [rid, frameWidth, sentBps > 20e3]), {
      timeout: 60_000,
    })
    .toEqual([
      ['m', 320, true],
      ['h', 640, true],
    ]);
  for (const { limitedBy, activeShare, page: id } of layers()) {
    expect(['none', 'bandwidth', 'cpu', 'other']).toContain(limitedBy);
    expect(activeShare).toBe(1);
    expect(id).toBe(0);
  }
});

test('a stream with temporal layers has its mode', async ({ call, unit, page, twoPeers }) => {
  await page.goto(unit.page('publish', { mode: 'L1T2' }));
  await twoPeers(unit.page('watch'));
  await expect
    .poll(() => call.sentBy(page).metrics({ over: '2s' }).layers)
    .toMatchObject([{ rid: null, scalabilityMode: 'L1T2', frameWidth: 640, frameHeight: 360 }]);
});

test('data channels and one who joins late', async ({ call, link, unit, page, twoPeers }) => {
  await page.goto(unit.page('publish', { data: 1 }));
  const [early] = await twoPeers(unit.page('watch'));
  await expect
    .poll(() => early.evaluate(() => (window as unknown as { messages: number }).messages))
    .toBeGreaterThan(40);
  const late = await page.context().newPage();
  await late.goto(unit.page('watch'));
  const frames = () => call.of(late).metrics({ over: '2s' }).framesPerSecond ?? 0;
  await expect.poll(frames).toBeGreaterThan(5);
  await expect(call.of(late)).toHaveNoFreezeLongerThan('2s', { over: '3s' });
  await link.sync();
  expect(call.metrics().outsideRatio).toBe(0);
});

/** Expects that packets left the link on time, or else that the record has a notice about late packets. */
function expectPunctualOrSaid({ record }: Call): string {
  const p95Ms = record.link?.latenessMs?.p95 ?? NaN;
  const codes = record.link?.notices.map(({ code }) => code);
  if (p95Ms > MOST_LATE_MS) expect(codes).toContain('packets-late');
  else expect(codes).toEqual([]);
  return `lateness p95 ${p95Ms.toFixed(2)} ms`;
}

for (const { participants, camera, leastBps } of [
  { participants: 3, camera: { width: 640, height: 360, fps: 30 }, leastBps: 50e3 },
  { participants: 8, camera: { width: 160, height: 90, fps: 10 }, leastBps: 5e3 },
]) {
  test.describe(`${participants} participants`, () => {
    test.use({ linkOptions: { capacity: '20mbps', queue: 'droptail:200ms', rtt: '20ms' } });
    test(`at ${camera.width} × ${camera.height} @measures`, async ({
      call,
      context,
      link,
      unit,
    }, testInfo) => {
      const others = participants - 1;
      for (let i = 0; i < participants; i++) {
        const page = await context.newPage();
        await page.goto(unit.page('both', { ...camera, publishers: others }));
      }
      /** How many streams each receiving connection has received. */
      const received = (): number[] =>
        call.record.endpoints
          .map(
            ({ samples }) => samples.at(-1)?.inbound.filter(({ bytesReceived }) => bytesReceived > 0) ?? [],
          )
          .map((streams) => streams.length)
          .filter((streams) => streams > 0);
      await expect.poll(received, { timeout: 120_000 }).toEqual(Array(participants).fill(others));
      await expect
        .poll(() => call.metrics({ over: '5s' }).receivedBps)
        .toBeGreaterThan(participants * others * leastBps);
      await link.sync();
      expect(call.metrics().outsideRatio).toBe(0);
      expect(call.record.connections).toHaveLength(2 * participants);
      testInfo.annotations.push({ type: 'link', description: expectPunctualOrSaid(call) });
    });
  });
}
