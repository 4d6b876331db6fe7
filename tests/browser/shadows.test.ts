/** Shadow mode: several controllers get the data of one call. One of them, or none, is in charge. */
import { expect, test, type CallPage } from './support.js';

const LINK = {
  capacityBps: 800_000,
  queue: { kind: 'droptail', limitMs: 300 },
  oneWayDelayUs: 25_000,
} as const;
const RAILS = { min_bitrate_bps: 100_000, max_bitrate_bps: 2_500_000, start_bitrate_bps: 300_000 };

/** Rows of a table by flow. */
async function byFlow(call: CallPage, table: 'group' | 'rate' | 'feedback' | 'arrival' | 'inbound') {
  const rows = await call.rows(table);
  return (flow: number) => rows.filter((row) => row['flow'] === flow);
}

test('shadows are fed like the controller in charge, and never obeyed @measures', async ({ call }) => {
  // The first shadow is the same GCC as the controller in charge. At the receiver it gets the same input, so
  // its `group` rows must be the same. The second shadow is limited to 150 kbps. If it controlled the
  // encoder, the call's rate would be that low.
  await call.start({
    bottleneck: LINK,
    shadows: [
      { preset: 'gcc-live' },
      { preset: 'gcc', parameters: { max_bitrate_bps: 150_000, start_bitrate_bps: 120_000 } },
    ],
  });
  await call.flowing(240);
  const status = await call.status();
  expect(status).toMatchObject({ effectiveMode: 'control', codes: [], controllerFaults: [] });
  expect(status.encoderTargetBps).toBeGreaterThan(300_000);

  const [group, rate, feedback] = [
    await byFlow(call, 'group'),
    await byFlow(call, 'rate'),
    await byFlow(call, 'feedback'),
  ];
  const receiver = (row: Record<string, number>) => ({ ...row, flow: 0 });
  const length = Math.min(group(0).length, group(1).length);
  expect(length).toBeGreaterThan(150);
  expect(group(1).slice(0, length).map(receiver)).toEqual(group(0).slice(0, length));
  // Each controller has its own data channel for feedback, and the delays of these channels differ. So the
  // targets are similar, but not equal.
  const last = (flow: number) => rate(flow).at(-1)?.['target_bps'] ?? NaN;
  expect(last(1) / last(0)).toBeGreaterThan(0.9);
  expect(last(1) / last(0)).toBeLessThan(1.1);
  expect(rate(2).length).toBeGreaterThan(30);
  expect(Math.max(...rate(2).map((row) => row['target_bps'] ?? NaN))).toBeLessThanOrEqual(150_000);
  expect(feedback(2).length).toBeGreaterThan(10);

  // Inputs are recorded only once, since all controllers get the same inputs.
  for (const table of ['arrival', 'inbound'] as const) {
    const rows = await byFlow(call, table);
    expect(rows(0).length).toBeGreaterThan(20);
    expect([...rows(1), ...rows(2)]).toEqual([]);
  }
});

test('with shadows, the recorded inputs still give the controller in charge bit for bit', async ({
  call,
}) => {
  await call.start({ bottleneck: LINK, shadows: [{ preset: 'gcc' }, { preset: 'static-threshold' }] });
  await call.flowing(150);
  await call.page.evaluate(() => window.harness.call?.close());
  const { live, again, different } = await call.page.evaluate((r) => window.harness.replay(r), RAILS);
  expect(live).toBeGreaterThan(100);
  expect({ again, different }).toEqual({ again: live, different: 0 });
});

test('shadows come and go during a call, which goes on', async ({ call }) => {
  await call.start({ shadows: [{ preset: 'gcc' }] });
  await call.flowing(60);
  await call.page.evaluate(() =>
    window.harness.call?.setShadows([
      { preset: 'static-threshold', flow: 2 },
      { preset: 'gcc-live', flow: 3 },
    ]),
  );
  await call.flowing(150);
  const rate = await byFlow(call, 'rate');
  const end = (flow: number) => rate(flow).at(-1)?.['time_us'] ?? NaN;
  expect(end(1)).toBeLessThan((rate(2)[0]?.['time_us'] ?? NaN) + 1e5);
  expect(Math.abs(end(2) - end(0))).toBeLessThan(5e5);
  expect(Math.abs(end(3) - end(0))).toBeLessThan(5e5);
  expect(await call.status()).toMatchObject({ effectiveMode: 'control', codes: [] });
});

test('with the browser in charge, every controller only watches', async ({ call }) => {
  await call.page.evaluate(() => {
    const seen: unknown[] = [];
    Object.assign(window, { seen });
    const set = RTCRtpSender.prototype.setParameters;
    RTCRtpSender.prototype.setParameters = function (this: RTCRtpSender, ...args) {
      seen.push(args);
      return set.apply(this, args);
    };
  });
  await call.start({ mode: 'observe', shadows: [{ preset: 'gcc' }] });
  await call.flowing(90);
  const rate = await byFlow(call, 'rate');
  expect(rate(0).length).toBeGreaterThan(10);
  expect(rate(1).length).toBeGreaterThan(10);
  expect(await call.page.evaluate(() => (window as unknown as { seen: unknown[] }).seen.length)).toBe(0);
});

test('an unknown shadow is refused before anything is opened', async ({ call }) => {
  await expect(call.start({ shadows: [{ preset: 'gcc' }, { preset: 'gcd' }] })).rejects.toThrow(
    /shadows\.1\.preset/,
  );
  await expect(call.start({ shadows: [{ controller: 'gcc', parameters: { nothing: 1 } }] })).rejects.toThrow(
    /shadows\.0\.parameters\.nothing/,
  );
  await expect(call.start({ shadows: [{ preset: 'gcc', flow: 0 }] })).rejects.toThrow(/shadows/);
});
