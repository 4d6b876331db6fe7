/** Users' controllers in real calls, in charge and as shadows. Some of the controllers are faulty. */
import { expect, test } from './support.js';

const GOOD_BPS = 400_000;

/**
 * A module whose sender half (its part at the sender) requests 400 kbps. The arguments are code to insert: at the top
 * of the module, in `onArrival` from its 41st call on, and in `rate` from its 21st call on.
 */
function moduleUrl({ top = '', arrival = '', rate = '' } = {}): string {
  const text = `${top}
    export default {
      name: 'mine',
      createReceiver() {
        let n = 0;
        return { onArrival(a) { n++; if (n > 40) { ${arrival} } return n % 5 === 0 ? [n] : null; } };
      },
      createSender() {
        let n = 0;
        return { onFeedback() {}, rate() { n++; if (n > 20) { ${rate} } return { targetBps: ${GOOD_BPS} }; } };
      },
    };`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

const WRONG = [
  ['throws', 'sender', { rate: 'throw new Error("boom")' }, /boom/],
  ['returns NaN', 'sender', { rate: 'return { targetBps: NaN }' }, /targetBps NaN/],
  ['never returns', 'sender', { rate: 'for (;;);' }, /gave no answer for 1 s/],
  ['never returns at the receiver', 'receiver', { arrival: 'for (;;);' }, /gave no answer for 1 s/],
  [
    'allocates without end',
    'receiver',
    { top: 'const kept = [];', arrival: 'for (;;) kept.push({ n });' },
    /gave no answer for 1 s/,
  ],
] as const;

test('a controller of the user is in charge, with GCC as its shadow', async ({ call }) => {
  await call.start({
    controller: { url: moduleUrl(), name: 'mine' },
    shadows: [{ preset: 'gcc-live' }],
  });
  await call.flowing(120);
  const status = await call.status();
  expect(status).toMatchObject({ effectiveMode: 'control', controllerFaults: [], codes: [] });
  expect(status.encoderTargetBps).toBe(GOOD_BPS);
  const flows = async (table: 'arrival' | 'feedback' | 'rate' | 'group') =>
    new Set((await call.rows(table)).map(({ flow }) => flow));
  expect(await flows('arrival')).toEqual(new Set([0]));
  expect(await flows('feedback')).toEqual(new Set([0, 1]));
  expect(await flows('rate')).toEqual(new Set([0, 1]));
  expect(await flows('group')).toEqual(new Set([1]));
  // The first rate is the start rate, not the controller's; the last one must come from the controller.
  const rates = (await call.rows('rate')).filter(({ flow }) => flow === 0);
  expect(rates.at(-1)?.['target_bps']).toBe(GOOD_BPS);
  const arrivals = (await call.rows('arrival')).map((row) => row['seq']);
  expect(new Set(arrivals).size).toBe(arrivals.length);
});

for (const [what, half, code, message] of WRONG) {
  test(`in charge, one that ${what}: named, and the last good rate stays`, async ({ call }) => {
    await call.start({ controller: { url: moduleUrl(code), name: 'mine' } });
    await call.flowing(30);
    await call.noticed('controller-fault-0');
    await call.goesOn();
    const { controllerFaults, effectiveMode, encoderTargetBps } = await call.status();
    expect(controllerFaults[0]).toMatchObject({ flow: 0, controller: 'mine', half });
    expect(controllerFaults[0]?.message).toMatch(message);
    expect(effectiveMode).toBe('control');
    expect(encoderTargetBps).toBe(GOOD_BPS);
  });

  test(`as a shadow, one that ${what}: named, and the call does not notice`, async ({ call }) => {
    await call.start({ shadows: [{ url: moduleUrl(code), name: 'mine' }, { preset: 'gcc' }] });
    await call.flowing(30);
    await call.noticed('controller-fault-1');
    const before = await call.rows('rate');
    await call.goesOn();
    const { controllerFaults, effectiveMode, codes } = await call.status();
    expect(controllerFaults).toHaveLength(1);
    expect(controllerFaults[0]).toMatchObject({ flow: 1, controller: 'mine', half });
    expect(controllerFaults[0]?.message).toMatch(message);
    expect({ effectiveMode, codes }).toEqual({ effectiveMode: 'control', codes: ['controller-fault-1'] });
    const after = (await call.rows('rate')).slice(before.length);
    expect(after.filter(({ flow }) => flow === 0).length).toBeGreaterThan(20);
    expect(after.filter(({ flow }) => flow === 2).length).toBeGreaterThan(10);
  });
}

test('a controller that cannot be loaded leaves the video alone, and is named', async ({ call }) => {
  await call.start({ controller: { url: 'data:text/javascript,export default {', name: 'mine' } });
  await call.flowing(10);
  await call.goesOn();
  await call.noticed('controller-fault-0');
  expect((await call.status()).controllerFaults[0]?.message).toMatch(/SyntaxError/);
});
