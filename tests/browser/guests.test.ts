/**
 * Users' controllers in guest workers: they set the rate, and an error in a controller ends only this
 * controller.
 */
import type { Page } from '@playwright/test';

import type { Asked, Driven } from './harness/guests.js';
import { expect, test } from './support.js';

const START_BPS = 300e3;
const GOOD_BPS = 400e3;
/**
 * A guest (a user's controller) must answer within 1 s. This limit is checked every 100 ms. The rest is a
 * margin.
 */
const ENDED_WITHIN_MS = 2000;

/**
 * A module whose sender requests 400 kbps, and whose receiver reports every tenth arrival. The arguments are code to
 * insert: at the top of the module, in `onArrival`, and in `rate` from its eleventh call on.
 */
const controller = ({ arrival = '', rate = '', top = '' } = {}): string => `
  ${top}
  export default {
    name: 'test',
    createReceiver() {
      let n = 0;
      return { onArrival(a) { n++; ${arrival}; return n % 10 === 0 ? [n, a.sizeBytes] : null; } };
    },
    createSender() {
      let n = 0;
      return { onFeedback() {}, rate() { n++; if (n > 10) { ${rate} } return { targetBps: ${GOOD_BPS} }; } };
    },
  };`;

const drive = (page: Page, asked: Asked): Promise<Driven> =>
  page.evaluate((what) => window.harness.guests.drive(what), asked);

test.beforeEach(({ page }) => page.goto('/'));

test('a guest is in charge: its messages go out, its rate counts, its rows are recorded @measures', async ({
  page,
}) => {
  const { faults, messages, targetsBps, rows } = await drive(page, {
    source: controller(),
    durationMs: 3000,
  });
  expect(faults).toEqual([]);
  expect(targetsBps[0]).toBe(START_BPS);
  expect(targetsBps.at(-1)).toBe(GOOD_BPS);
  expect(messages.length).toBeGreaterThan(3);
  expect(messages[0]?.values).toEqual([10, 1200]);
  // One frame of 1200 bytes every 33 ms is 290 kbps.
  expect(messages.at(-1)?.receivedRateBps).toBeGreaterThan(200e3);
  expect(messages.at(-1)?.receivedRateBps).toBeLessThan(330e3);
  expect(messages.at(-1)?.packetsReceived).toBeGreaterThan(30);
  expect(rows['feedback']).toBe(messages.length);
  expect(rows['arrival']).toBeGreaterThan(60);
  expect(rows['rate']).toBe(targetsBps.length);
});

test('a shadow records no arrivals', async ({ page }) => {
  const { rows } = await drive(page, { source: controller(), durationMs: 1500, flow: 1 });
  expect(rows['arrival']).toBeUndefined();
  expect(rows['feedback']).toBeGreaterThan(0);
});

const WRONG: readonly [
  name: string,
  half: 'receiver' | 'sender',
  code: Parameters<typeof controller>[0],
  message: RegExp,
][] = [
  ['throws', 'sender', { rate: 'throw new Error("boom")' }, /rate\(\) threw Error: boom/],
  ['returns NaN', 'sender', { rate: 'return { targetBps: NaN }' }, /targetBps NaN/],
  ['never returns (sender)', 'sender', { rate: 'for (;;);' }, /gave no answer for 1 s/],
  ['never returns (receiver)', 'receiver', { arrival: 'if (n > 20) for (;;);' }, /gave no answer for 1 s/],
  [
    'fills its memory in one call',
    'receiver',
    { top: 'const kept = [];', arrival: 'if (n > 20) for (;;) kept.push({ n })' },
    /gave no answer for 1 s/,
  ],
  [
    'keeps buffers over its calls @measures',
    'receiver',
    { top: 'const kept = [];', arrival: 'kept.push(new Float64Array(2e6).fill(n))' },
    /onArrival\(\) threw RangeError: the controller holds more than 512 MiB/,
  ],
  [
    'keeps arrays over its calls @measures',
    'sender',
    { top: 'const kept = [];', rate: 'kept.push(new Array(8e6).fill(1.5))' },
    /rate\(\) threw RangeError: the controller holds more than 512 MiB/,
  ],
  ['ends its own worker', 'receiver', { arrival: 'if (n > 20) self.close()' }, /gave no answer for 1 s/],
  [
    'fails outside its functions',
    'receiver',
    { top: 'setTimeout(() => { throw new Error("late"); }, 1000);' },
    /late/,
  ],
];

for (const [name, half, code, message] of WRONG) {
  test(`a guest that ${name} is ended and named; the last good rate stays`, async ({ page }) => {
    const { faults, targetsBps, rows, longestStallMs } = await drive(page, {
      source: controller(code),
      durationMs: 5000,
      until: { fault: half, frames: 100 },
    });
    const fault = faults.find((each) => each.half === half);
    expect(fault?.message).toMatch(message);
    expect(fault?.atMs).toBeLessThan(2000 + ENDED_WITHIN_MS);
    expect(targetsBps.at(-1)).toBe(GOOD_BPS);
    expect(rows['arrival']).toBeGreaterThan(90);
    expect(longestStallMs).toBeLessThan(500);
  });
}

test('buffers and arrays that are given up again are not held against a guest @measures', async ({
  page,
}) => {
  const arrival = 'let one = new Float64Array(1e6); one[0] = n; one = [].concat(new Array(1e5).fill(n))';
  const { faults, messages } = await drive(page, {
    source: controller({
      arrival: `${arrival}; if (one.length !== 1e5 || !(one instanceof Array)) throw 0;`,
    }),
    durationMs: 5000,
  });
  expect(faults).toEqual([]);
  expect(messages.length).toBeGreaterThan(5);
});

test('what cannot be loaded is refused, and says why', async ({ page }) => {
  const refusal = (source: string): Promise<string> =>
    page.evaluate((text) => window.harness.guests.refusal(text), source);
  expect(await refusal('export const x = 1;')).toMatch(/expected a default export/);
  expect(await refusal('export default { name: "half" };')).toMatch(
    /default\.createReceiver: expected a function/,
  );
  expect(await refusal('export default {')).toMatch(/SyntaxError/);
  expect(await refusal(new URL('/nothing.js', page.url()).href)).toMatch(
    /default export|answered 404|could not be loaded/,
  );
  expect(await refusal('for (;;);')).toMatch(/did not load within 5 s/);
});
