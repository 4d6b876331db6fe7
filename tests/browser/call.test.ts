import { expect, test } from './support.js';

/**
 * In mode `control`, the call raises the browser's own bandwidth estimate to a floor of 3 Mbps. The tests accept
 * 5 % less.
 */
const FLOOR_BPS = 0.95 * 3e6;
/**
 * The resolution of Chrome's `performance.now()` in pages that are not cross-origin isolated (High Resolution
 * Time, 7.1).
 */
const CLOCK_STEP_US = 100;
const LINK = {
  capacityBps: 800_000,
  queue: { kind: 'droptail', limitMs: 300 },
  oneWayDelayUs: 25_000,
} as const;

test('a loopback call is controlled, measured and recorded @measures', async ({ call }) => {
  await call.start();
  await call.flowing(150);
  const status = await call.status();
  expect(status).toMatchObject({
    phase: 'connected',
    effectiveMode: 'control',
    notices: [],
    sendTimeSource: 'trailer',
    arrivalTimeSource: 'receiveTime',
  });
  // The encoder's target grows from the start rate, as no link limits the call.
  expect(status.encoderTargetBps).toBeGreaterThan(300_000);
  const arrivals = await call.rows('arrival');
  const seqs = arrivals.map((r) => r['seq'] ?? NaN);
  expect(new Set(seqs).size).toBe(seqs.length);
  const delays = arrivals.map((r) => (r['arrival_time_us'] ?? NaN) - (r['send_time_us'] ?? NaN));
  // Both sides run in one page and share its clock, so no frame arrives before it was sent.
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(-CLOCK_STEP_US);
  expect((await call.rows('group')).length).toBeGreaterThan(100);
  expect((await call.rows('inbound')).length).toBeGreaterThan(20);
  const rates = await call.rows('rate');
  expect(rates.at(-1)?.['browser_estimate_bps']).toBeGreaterThanOrEqual(2_850_000);
  const sent = rates.at(-1)?.['sent_bps'] ?? NaN;
  expect(sent).toBeGreaterThan(0.5 * status.encoderTargetBps);
  expect(sent).toBeLessThan(1.3 * status.encoderTargetBps);
});

test('the first probes are those of the start bitrate, and control has the whole floor after them', async ({
  call,
  page,
}) => {
  await page.addInitScript(() => {
    const peers: RTCPeerConnection[] = [];
    Object.assign(window, { peers });
    window.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(configuration?: RTCConfiguration) {
        super(configuration);
        peers.push(this);
      }
    };
  });
  await page.goto('/');
  await call.start({ startBitrateBps: 300_000 });
  await expect
    .poll(async () => (await call.rows('rate')).at(-1)?.['browser_estimate_bps'])
    .toBeGreaterThanOrEqual(FLOOR_BPS);
  expect((await call.status()).effectiveMode).toBe('control');
  const { sentBytes, packets, frames } = await page.evaluate(async () => {
    const { peers } = window as unknown as { peers: RTCPeerConnection[] };
    const stats = await Promise.all(peers.map((peer) => peer.getStats()));
    const all = stats.flatMap((report) => [...report.values()] as Record<string, unknown>[]);
    const sent = all.find(({ type }) => type === 'outbound-rtp') ?? {};
    return {
      sentBytes: Number(sent['bytesSent']) + Number(sent['headerBytesSent']),
      packets: Number(sent['packetsSent']),
      frames: Number(sent['framesSent']),
    };
  });
  await call.flowing(2 * frames);
  const arrivals = await call.rows('arrival');
  const framesBytes = arrivals
    .filter(({ seq = NaN }) => seq < frames)
    .reduce((sum, { size_bytes = NaN }) => sum + size_bytes, 0);
  // A packet has an RTP header of 12 bytes (RFC 3550, 5.1) and about 12 bytes of header extensions (RFC
  // 8285).
  const probedBytes = sentBytes - framesBytes - 24 * packets;
  // Probed bytes are all sent bytes except frames and headers. Two probes of 15 ms at three times the start bitrate take
  // 3.4 kB in all. At the floor of 3 Mbps, they would take 11.2 kB. Frames make up a part of each probe, so fewer
  // bytes are counted here.
  expect(probedBytes).toBeGreaterThan(0);
  expect(probedBytes).toBeLessThan(7000);
});

test('parameters change in the middle of a call, and the trace shows where', async ({ call }) => {
  await call.start();
  await call.flowing();
  await call.page.evaluate(() => window.harness.call?.setParameter('max_bitrate_bps', 200_000));
  await call.flowing(90);
  const order = await call.page.evaluate(() => window.harness.order());
  const at = order.indexOf('event:parameter');
  expect(order.slice(0, at)).toContain('arrival');
  expect(order.slice(at)).toContain('arrival');
  expect(order.filter((name) => name === 'event:parameter')).toHaveLength(1);
  expect((await call.rows('group')).at(-1)?.['a_r_bps']).toBeLessThanOrEqual(200_000);
  const refused = call.page.evaluate(() => window.harness.call?.setParameter('alpha', 7));
  await expect(refused).rejects.toThrow(/alpha/);
  expect((await call.status()).codes).toEqual([]);
});

test('the recorded inputs, played again, give the same controller bit for bit', async ({ call }) => {
  await call.start({ bottleneck: LINK });
  await call.flowing(90);
  await call.page.evaluate(() => window.harness.call?.setParameter('alpha', 0.7));
  await call.flowing(180);
  await call.page.evaluate(() => window.harness.call?.close());
  const rails = { min_bitrate_bps: 100_000, max_bitrate_bps: 2_500_000, start_bitrate_bps: 300_000 };
  const { live, again, different } = await call.page.evaluate((r) => window.harness.replay(r), rails);
  expect(live).toBeGreaterThan(120);
  expect({ again, different }).toEqual({ again: live, different: 0 });
});

test('observe touches nothing of the encoder', async ({ call }) => {
  await call.page.evaluate(() => {
    const calls = { count: 0 };
    Object.assign(window, { calls });
    const set = RTCRtpSender.prototype.setParameters;
    RTCRtpSender.prototype.setParameters = function (this: RTCRtpSender, ...args) {
      calls.count += 1;
      return set.apply(this, args);
    };
  });
  await call.start({ mode: 'observe' });
  await call.flowing(90);
  expect((await call.status()).effectiveMode).toBe('observe');
  expect(
    await call.page.evaluate(() => (window as unknown as { calls: { count: number } }).calls.count),
  ).toBe(0);
  expect((await call.rows('group')).length).toBeGreaterThan(30);
});

test('cap limits the encoder under the estimate of the browser', async ({ call }) => {
  const limits = { startBitrateBps: 150_000, maxBitrateBps: 200_000 };
  await call.page.evaluate(() => {
    const set = RTCRtpSender.prototype.setParameters;
    RTCRtpSender.prototype.setParameters = function (this: RTCRtpSender, ...args) {
      Object.assign(window, { sender: this });
      return set.apply(this, args);
    };
  });
  await call.start({ mode: 'cap', ...limits });
  await call.flowing(90);
  const { effectiveMode, encoderTargetBps, browserEstimateBps, maxBitrateBps } = await call.page.evaluate(
    async () => {
      const { sender } = window as unknown as { sender: RTCRtpSender };
      const stats = (await sender.getStats()) as ReadonlyMap<string, RTCIceCandidatePairStats>;
      const [pair] = [...stats.values()].filter((stat) => stat.availableOutgoingBitrate !== undefined);
      const { effectiveMode, encoderTargetBps } = window.harness.call?.status ?? {};
      return {
        effectiveMode,
        encoderTargetBps,
        maxBitrateBps: sender.getParameters().encodings[0]?.maxBitrate ?? NaN,
        browserEstimateBps: pair?.availableOutgoingBitrate ?? NaN,
      };
    },
  );
  expect(effectiveMode).toBe('cap');
  // In mode `cap`, the estimate is the browser's own, so it may stay below the floor. Only mode `control` raises
  // the estimate to the floor.
  expect(browserEstimateBps).toBeLessThan(FLOOR_BPS);
  expect(browserEstimateBps).toBeGreaterThan(maxBitrateBps);
  expect(maxBitrateBps).toBe(encoderTargetBps);
  expect(maxBitrateBps).toBeGreaterThanOrEqual(100_000);
  expect(maxBitrateBps).toBeLessThanOrEqual(limits.maxBitrateBps);
});

test('detach gives the encoder its limits back and the call goes on', async ({ call }) => {
  await call.page.evaluate(() => {
    const seen: (number | undefined)[] = [];
    Object.assign(window, { seen });
    const set = RTCRtpSender.prototype.setParameters;
    RTCRtpSender.prototype.setParameters = function (this: RTCRtpSender, parameters, ...rest) {
      seen.push(parameters.encodings[0]?.maxBitrate);
      return set.call(this, parameters, ...rest);
    };
  });
  await call.start({ startBitrateBps: 400_000 });
  await call.flowing(120);
  await call.page.evaluate(() => window.harness.call?.detach());
  const seen = await call.page.evaluate(() => (window as unknown as { seen: number[] }).seen);
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.at(-1)).toBe(400_000);
  const recorded = (await call.rows('arrival')).length;
  await call.goesOn();
  expect((await call.rows('arrival')).length).toBe(recorded);
  expect((await call.status()).effectiveMode).toBe('observe');
});

test('the in-page bottleneck holds the rate to its capacity and shows its queue @measures', async ({
  call,
}) => {
  await call.start({ bottleneck: LINK, startBitrateBps: 1_500_000 });
  await call.flowing(150);
  expect((await call.status()).bottleneck).toBe('in-page');
  const queue = await call.rows('queue');
  const [first, last] = [queue[10], queue.at(-1)];
  const seconds = ((last?.['time_us'] ?? NaN) - (first?.['time_us'] ?? NaN)) / 1e6;
  const bps = (8 * ((last?.['delivered_bytes'] ?? NaN) - (first?.['delivered_bytes'] ?? NaN))) / seconds;
  expect(bps).toBeLessThanOrEqual(1.02 * LINK.capacityBps);
  expect(bps).toBeGreaterThan(0.2 * LINK.capacityBps);
  const delays = (await call.rows('arrival')).map(
    (r) => (r['arrival_time_us'] ?? NaN) - (r['send_time_us'] ?? NaN),
  );
  expect(Math.min(...delays)).toBeGreaterThan(LINK.oneWayDelayUs);
  expect(Math.max(...queue.map((r) => r['queue_delay_us'] ?? NaN))).toBeGreaterThan(10_000);
  // RTCP packets do not pass through the in-page link. Still, the reported round trip must include the delay
  // of this link.
  const rttMs = await call.page.evaluate(async () => (await window.harness.call?.mediaStats())?.rttMs);
  expect(rttMs).toBeGreaterThan(LINK.oneWayDelayUs / 1000);
  expect(rttMs).toBeLessThan(500);
  await call.page.evaluate(() => window.harness.call?.setBottleneck({ capacityBps: 600_000 }));
  await expect.poll(async () => (await call.rows('queue')).at(-1)?.['capacity_bps']).toBe(600_000);
});

test('two halves find each other through signalling, whoever comes first', async ({ call }) => {
  await call.start({ role: 'receive' });
  await call.flowing(90);
  const [mine, other] = await call.page.evaluate(() => [
    window.harness.call?.status,
    window.harness.other?.status,
  ]);
  expect(mine).toMatchObject({ phase: 'connected', sendTimeSource: 'trailer' });
  expect(other).toMatchObject({ phase: 'connected', effectiveMode: 'control' });
  expect((await call.rows('rate')).at(-1)?.['a_r_bps']).toBeGreaterThan(0);
});

test('what is changed before the far side comes takes effect when it has come', async ({ call }) => {
  await call.start({ role: 'receive', farSide: 'later', shadows: [{ preset: 'gcc' }] });
  await call.page.evaluate(() => {
    const { call: mine, join } = window.harness;
    if (mine === null) throw new Error('no call was started');
    const changes = [
      mine.setPreset('ton-2017-literal'),
      mine.setParameter('alpha', 0.7),
      mine.setShadows([{ preset: 'nada-live', flow: 2 }]),
    ];
    Object.assign(window, { changed: Promise.all(changes) });
    return join();
  });
  await call.flowing(60);
  await call.page.evaluate(() => (window as unknown as { changed: Promise<unknown> }).changed);
  const order = await call.page.evaluate(() => window.harness.order());
  const changes = order.filter((name) => name === 'event:preset' || name === 'event:parameter');
  expect(changes).toEqual(['event:preset', 'event:parameter']);
  await expect.poll(async () => (await call.rows('feedback')).map(({ flow }) => flow)).toContain(2);
  expect((await call.status()).codes).toEqual([]);
});

test('a call to which nobody comes leaves no worker behind', async ({ call }) => {
  await call.start({ role: 'receive', farSide: 'later' });
  const mediaWorkers = () => call.page.workers().filter((worker) => worker.url().includes('entry'));
  expect(mediaWorkers()).toHaveLength(1);
  await call.page.evaluate(async () => {
    const changed = window.harness.call?.setParameter('alpha', 0.7);
    await window.harness.call?.close();
    await changed;
  });
  await expect.poll(mediaWorkers).toEqual([]);
});

test('a connection of the user is controlled, and let go again', async ({ call }) => {
  await call.page.evaluate(() => window.harness.attach());
  await call.flowing(90);
  const status = () => call.page.evaluate(() => window.harness.own?.sender.status);
  await expect.poll(async () => (await status())?.effectiveMode).toBe('control');
  expect((await status())?.encoderTargetBps).toBeGreaterThanOrEqual(100_000);
  expect((await call.rows('rate')).at(-1)?.['a_r_bps']).toBeGreaterThan(0);
  await call.page.evaluate(async () => {
    await window.harness.own?.sender.detach();
    await (await window.harness.own?.receiver)?.detach();
  });
  expect((await status())?.effectiveMode).toBe('observe');
  await call.goesOn();
});

test('a codec that the browser has not is refused by name, before there is a call', async ({ call }) => {
  await call.page.evaluate(() => {
    const all = RTCRtpSender.getCapabilities('video');
    const codecs = (all?.codecs ?? []).filter(({ mimeType }) => mimeType !== 'video/VP9');
    RTCRtpSender.getCapabilities = () => ({ headerExtensions: [], ...all, codecs });
  });
  await expect(call.start({ codec: 'vp9' })).rejects.toThrow(
    'codec: this browser does not support VP9; choose another',
  );
  expect(await call.page.evaluate(() => window.harness.call)).toBeNull();
  await call.start({ codec: 'vp8' });
  await call.flowing();
});

test('key frames come at the interval that is asked for', async ({ call }) => {
  await call.start({ keyFrameIntervalS: 1, minBitrateBps: 1_000_000, startBitrateBps: 1_000_000 });
  await call.flowing(180);
  const keys = (await call.rows('arrival')).filter((r) => r['key_frame'] === 1);
  // In six seconds: the initial key frame, one per second, and possibly one for a change of resolution.
  expect(keys.length).toBeGreaterThanOrEqual(5);
  expect(keys.length).toBeLessThanOrEqual(9);
});

test('browsers without script transforms are served by insertable streams', async ({ call, page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'RTCRtpScriptTransform'));
  await page.goto('/');
  expect(await page.evaluate(() => window.harness.supported().transforms)).toBe('streams');
  await call.start();
  await call.flowing(60);
  expect((await call.rows('group')).length).toBeGreaterThan(20);
  expect((await call.status()).sendTimeSource).toBe('trailer');
});

test('the synthetic camera fills 2.5 Mbps at 30 fps @measures', async ({ call }) => {
  await call.start({ startBitrateBps: 2_500_000, minBitrateBps: 2_500_000 });
  await call.flowing(150);
  expect((await call.fps()).decoded).toBeGreaterThan(25);
  const sent = (await call.rows('rate')).slice(-20).map((r) => r['sent_bps'] ?? NaN);
  const mean = sent.reduce((a, b) => a + b, 0) / sent.length;
  expect(mean).toBeGreaterThan(2_300_000);
  expect(mean).toBeLessThan(3_000_000);
});
