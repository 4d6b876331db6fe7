/**
 * For each fault: two seconds later the video continues, a notice says what happened, and no recorded row is lost.
 */
import { expect, test } from './support.js';

test('the sender worker is killed', async ({ call }) => {
  await call.start();
  await call.flowing();
  const before = (await call.rows('arrival')).length;
  await call.page.evaluate(() => window.harness.kill(0));
  await call.goesOn();
  await call.noticed('sender-fault');
  expect((await call.rows('arrival')).length).toBeGreaterThan(before);
});

test('the receiver worker is killed', async ({ call }) => {
  await call.start();
  await call.flowing();
  const before = (await call.rows('arrival')).length;
  await call.page.evaluate(() => window.harness.kill(1));
  await call.goesOn();
  await call.noticed('receiver-fault');
  await call.noticed('feedback-missing');
  expect((await call.rows('arrival')).length).toBeGreaterThanOrEqual(before);
});

for (const [trap, what] of [
  ['ccs_receiver_push_arrivals', 'on the first arrival'],
  ['ccs_sender_run', 'in the sender half'],
] as const) {
  test(`the core traps ${what}`, async ({ call }) => {
    await call.start({ trap });
    await call.flowing(10);
    await call.goesOn();
    await call.noticed(trap.includes('sender') ? 'sender-fault' : 'receiver-fault');
  });
}

test('the core traps in the middle of a call', async ({ call }) => {
  await call.start({ trap: 'ccs_session_configure' });
  await call.flowing();
  const before = (await call.rows('arrival')).length;
  await call.page.evaluate(() => window.harness.call?.setPreset('gcc'));
  await call.goesOn();
  await call.noticed('receiver-fault');
  // The rows that the core recorded before the trap are kept.
  expect((await call.rows('arrival')).length).toBeGreaterThanOrEqual(before);
});

test('a shadow traps in the middle of a call', async ({ call }) => {
  await call.start({
    trap: 'ccs_session_configure',
    shadows: [{ preset: 'gcc' }, { preset: 'static-threshold' }],
  });
  await call.flowing();
  const before = await call.rows('rate');
  // Gives the first shadow another preset. This change calls `ccs_session_configure`, which traps here.
  await call.page.evaluate(() =>
    window.harness.call?.setShadows([{ preset: 'ton-2017-literal' }, { preset: 'static-threshold' }]),
  );
  await call.noticed('controller-fault-1');
  await call.goesOn();
  const { controllerFaults, effectiveMode, codes } = await call.status();
  expect(controllerFaults).toMatchObject([
    { flow: 1, controller: 'ton-2017-literal' },
    { flow: 1, controller: 'ton-2017-literal' },
  ]);
  expect(new Set(controllerFaults.map(({ half }) => half))).toEqual(new Set(['sender', 'receiver']));
  expect(effectiveMode).toBe('control');
  expect(codes).not.toContain('sender-fault');
  const after = (await call.rows('rate')).slice(before.length);
  expect(new Set(after.map(({ flow }) => flow))).toContain(0);
  expect(new Set(after.map(({ flow }) => flow))).toContain(2);
});

test('a shadow cannot be made', async ({ call }) => {
  // `ccs_session_record` limits the tables that a controller records. In this call, ccscope calls it only for
  // the shadow, so only the shadow traps.
  await call.start({ trap: 'ccs_session_record', shadows: [{ preset: 'gcc' }] });
  await call.flowing();
  await call.noticed('controller-fault-1');
  expect((await call.status()).effectiveMode).toBe('control');
  expect(new Set((await call.rows('rate')).map(({ flow }) => flow))).toEqual(new Set([0]));
});

test('the core cannot be loaded', async ({ call }) => {
  await call.start({ wasmUrl: '/missing.wasm' });
  await call.flowing(10);
  await call.goesOn();
  await call.noticed('sender-fault');
});

test('the sender does not run ccscope', async ({ call }) => {
  await call.start({ role: 'receive', farSide: 'plain', mode: 'observe' });
  await call.flowing();
  await call.goesOn();
  await call.noticed('no-trailer');
  expect((await call.status()).sendTimeSource).toBe('rtp_timestamp');
  const groups = await call.rows('group');
  expect(groups.length).toBeGreaterThan(30);
  // The frame intervals come from RTP timestamps; at 30 fps, their median is about 33 ms.
  const intervals = groups.map((r) => r['send_delta_us'] ?? NaN).sort((a, b) => a - b);
  expect(intervals[intervals.length >> 1]).toBeGreaterThan(25_000);
  expect(intervals[intervals.length >> 1]).toBeLessThan(42_000);
});

test('random bytes stand where a trailer should be', async ({ call }) => {
  await call.start({ role: 'receive', farSide: 'noise', mode: 'observe' });
  await call.flowing();
  await call.goesOn();
  await call.noticed('no-trailer');
});

test('the receiver does not run ccscope', async ({ call }) => {
  await call.start({ role: 'send', farSide: 'plain' });
  await call.flowing();
  await call.goesOn();
  await call.noticed('feedback-missing');
  const status = await call.status();
  expect(status.encoderTargetBps).toBeGreaterThanOrEqual(100_000);
});

test('the feedback channel is closed', async ({ call }) => {
  await call.start();
  await call.flowing();
  const before = (await call.rows('arrival')).length;
  await call.page.evaluate(() => window.harness.channels.forEach((channel) => channel.close()));
  await call.goesOn();
  await call.noticed('feedback-closed');
  await call.noticed('feedback-missing');
  expect((await call.rows('arrival')).length).toBeGreaterThan(before + 30);
});

test('setParameters is refused for a while', async ({ call }) => {
  await call.start();
  await call.flowing();
  await call.page.evaluate(() => {
    const set = RTCRtpSender.prototype.setParameters;
    const refuse = () => Promise.reject(new DOMException('refused by the test', 'InvalidModificationError'));
    RTCRtpSender.prototype.setParameters = refuse;
    Object.assign(window, { allow: () => (RTCRtpSender.prototype.setParameters = set) });
    // Changes the target, since ccscope calls `setParameters` only when the rate changes.
    return window.harness.call?.setParameter('max_bitrate_bps', 200_000);
  });
  await call.goesOn();
  await call.noticed('set-parameters');
  await call.page.evaluate(() => (window as unknown as { allow(): void }).allow());
  // The call tries `setParameters` again, and withdraws the notice.
  await expect.poll(async () => (await call.status()).codes).not.toContain('set-parameters');
});

test('getStats has none of the fields', async ({ call }) => {
  await call.page.evaluate(() => {
    const bare = () => Promise.resolve(new Map([['x', { id: 'x', type: 'codec', timestamp: Date.now() }]]));
    for (const { prototype } of [RTCRtpSender, RTCRtpReceiver]) {
      const getStats = prototype.getStats;
      Object.assign(prototype, { getStats: bare, realStats: getStats });
    }
  });
  await call.start();
  await expect.poll(async () => (await call.rows('arrival')).length).toBeGreaterThan(150);
  await call.noticed('receiver-stats');
  await call.noticed('sender-stats');
  const groups = (await call.rows('group')).slice(-30);
  expect(groups).toHaveLength(30);
  // Without statistics, R_r (the received rate) is computed from the sizes of complete frames.
  for (const row of groups) expect(row['received_rate_bps']).toBeGreaterThan(100_000);
  const arrivals = (await call.rows('arrival')).slice(-30);
  const seconds =
    ((arrivals.at(-1)?.['arrival_time_us'] ?? NaN) - (arrivals[0]?.['arrival_time_us'] ?? NaN)) / 1e6;
  expect((arrivals.length - 1) / seconds).toBeGreaterThanOrEqual(20);
});
