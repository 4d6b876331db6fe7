import { mergeExpects, expect as plain } from '@playwright/test';
import { describe, expect as check, it } from 'vitest';

import type { CallRecord } from '../../../src/calls/record/record.js';
import { judgeFairness } from '../../../src/judge/index.js';
import { ObservedCall, type CallSource } from '../../../src/playwright/call.js';
import { expect } from '../../../src/playwright/matchers.js';
import { ConfigError } from '../../../src/text/quantities.js';
import { callRecord, steady, videoSamples, type SyntheticCall } from './synthetic.js';

/** A call that has been running for `seconds` and is still running. */
function live(
  synthetic: SyntheticCall,
  seconds = 30,
): { call: ObservedCall; record: CallRecord; grow(): void } {
  const media = { answerer: { samples: videoSamples(0, 2 * seconds, 4e5).received } };
  const record = { ...callRecord({ ...media, ...synthetic }), originEpochMs: Date.now() - seconds * 1e3 };
  const listeners = new Set<() => void>();
  const source: CallSource = {
    record,
    observe: () => Promise.resolve(),
    pageId: () => 0,
    onUpdate: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    collect: () => Promise.resolve(),
  };
  const call = new ObservedCall(source, { sync: () => Promise.resolve() });
  return { call, record, grow: () => listeners.forEach((listener) => listener()) };
}

/** The text without its terminal colour codes. */
const bare = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '');

async function messageOf(assertion: Promise<void>): Promise<string> {
  const error = await assertion.then(
    () => new Error('it passed'),
    (thrown: unknown) => thrown as Error,
  );
  return bare(error.message);
}

const HALF = { packets: steady(0, 60, 4.8e5), capacity: [{ atS: 0, bps: 5e5 }] };

/** The field that the ConfigError of a refused assertion names. */
async function refusedField(assertion: () => Promise<void>): Promise<unknown> {
  const error = await assertion().catch((thrown: unknown) => thrown);
  check(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).field;
}

describe('arguments without types, as Playwright runs tests', () => {
  const { call } = live(HALF);
  // A test that forgot to await the change of the link.
  const pending = Promise.resolve({ timeUs: 1e6 }) as unknown as { timeUs: number };

  it.each<[string, string, () => Promise<void>]>([
    ['after', 'a change that was not awaited', () => expect(call).toRecoverWithin('15s', { after: pending })],
    ['after', 'in a window', () => expect(call).toLoseLessThan('1%', { after: pending })],
    ['limits', 'a number', () => expect(call).toHaveUtilisation(0.8 as never)],
    ['limits', 'another word', () => expect(call).toHaveUtilisation({ atLeast: 0.8 } as never)],
    ['limits', 'no limits', () => expect(call).toHaveUtilisation(undefined as never)],
    ['others', 'no calls', () => expect(call).toBeFairWith([])],
    ['others', 'no call', () => expect(call).toBeFairWith([undefined as never])],
    [
      'expect(…).toRecoverWithin()',
      'a page',
      () => expect(Object.create(null) as ObservedCall).toRecoverWithin('15s'),
    ],
  ])('%s: %s is refused', async (field, _, assertion) => {
    check(await refusedField(assertion)).toBe(field);
  });
});

describe('a misspelt option', () => {
  const { call } = live(HALF);

  it.each<[string, (options: never) => Promise<void>]>([
    ['within', (options) => expect(call).toConvergeTo('480kbps', options)],
    ['after', (options) => expect(call).toRecoverWithin('15s', options)],
    ['over', (options) => expect(call).toKeepQueuingDelayBelow({ p95: '10ms' }, options)],
    ['timeout', (options) => expect(call).toHaveUtilisation({ min: '90%' }, options)],
    ['over', (options) => expect(call).toLoseLessThan('1%', options)],
    ['jain', (options) => expect(call).toBeFairWith(call, options)],
    ['over', (options) => expect(call).toHaveNoFreezeLongerThan('1s', options)],
    ['tolerance', (options) => expect(call).toMatchBaseline('curve', options)],
  ])('is refused by each matcher: %s', async (name, assertion) => {
    const typed = name.slice(0, -1);
    const error = await assertion({ [typed]: 1 } as never).catch((thrown: unknown) => thrown);
    check(error).toBeInstanceOf(ConfigError);
    check(error).toMatchObject({
      field: typed,
      expected: check.stringMatching(new RegExp(`^one of .*\\b${name}\\b`)) as unknown,
      got: `"${typed}"`,
      fix: `did you mean ${name}?`,
    });
  });

  it('is refused among limits, and where no options are', async () => {
    const limits = { min: 0.5, mx: 0.9 };
    await check(expect(call).toHaveUtilisation(limits)).rejects.toThrow(
      'limits.mx: expected one of min, max, got "mx"; did you mean max?',
    );
    await check(expect(call).toLoseLessThan('1%', '10s' as never)).rejects.toThrow(
      'options: expected an object with timeout, over, after, got "10s"; write { timeout: … }',
    );
  });
});

describe('matchers in real expect', () => {
  it('pass when the record says so, and keep the judgement', async () => {
    const { call } = live(HALF);
    await expect(call).toConvergeTo('480kbps', { within: '5s', tolerance: 0.05 });
    await expect(call).toHaveUtilisation({ min: '90%', max: 1 });
    await expect(call).toKeepQueuingDelayBelow({ p95: '10ms', max: 10 });
    await expect(call).toLoseLessThan('1%');
    check(call.judgements.map(({ matcher, judgement }) => [matcher, judgement.pass])).toEqual([
      ['toConvergeTo', true],
      ['toHaveUtilisation', true],
      ['toKeepQueuingDelayBelow', true],
      ['toLoseLessThan', true],
    ]);
  });

  it('fail with what was expected, what was there, the cause and a picture', async () => {
    const { call } = live(HALF);
    const message = await messageOf(expect(call).toConvergeTo('1mbps', { within: '10s', tolerance: 0.1 }));
    check(message).toContain('expect(call).toConvergeTo(expected)');
    check(message).toContain('Expected: to converge to 1 Mbps ± 10 % within 10 s');
    check(message).toContain('Received: 480 kbps in the last 2 s, 11 s after the start');
    check(message).toContain(
      'Cause:    capacity: The link can carry 500 kbps, less than the 900 kbps needed.',
    );
    check(message).toMatch(/received {2}[▁-█]{48}/);
    check(message).toContain('capacity  500 kbps from 0 s');
  });

  it('turn round with not', async () => {
    const { call } = live(HALF);
    await expect(call).not.toConvergeTo('1mbps', { within: '10s' });
    await expect(call).not.toHaveUtilisation({ min: 0.99 });
    const message = await messageOf(expect(call).not.toConvergeTo('480kbps', { within: '5s' }));
    check(message).toContain('Expected: not to converge to 480 kbps ± 20 % within 5 s');
    check(message).toContain('Received: 480 kbps after 2 s');
    check(message).not.toContain('Cause:');
  });

  it('are not met by a call that never comes about, nor are their contraries', async () => {
    const { call } = live({ connectedS: null });
    // Awaits all three matchers together, because they may fail in any order.
    const messages = await Promise.all(
      [
        expect(call).toConvergeTo('1mbps', { timeout: 300 }),
        expect(call).not.toConvergeTo('1mbps', { timeout: 300 }),
        expect(call).not.toHaveUtilisation({ min: 0.5 }, { timeout: 300 }),
      ].map(messageOf),
    );
    for (const message of messages) {
      check(message).toContain('the call is not connected');
      check(message).toContain('raise `timeout`');
    }
  });

  it('wait until there is something to judge', async () => {
    // The call connected 1 s ago. So the time window of 2 s will be full in 1 s, and the matcher waits until
    // then.
    const { call } = live(
      { connectedS: 1, packets: steady(1, 60, 4.8e5), capacity: [{ atS: 0, bps: 5e5 }] },
      2,
    );
    const began = Date.now();
    await expect(call).toKeepQueuingDelayBelow({ p95: 10 }, { over: '2s' });
    check(Date.now() - began).toBeGreaterThan(900);
    check(call.judgements[0]?.judgement.window).toEqual({ fromUs: 1e6, toUs: 3e6 });
  });

  it('try again while a call may still get there', async () => {
    const { call, record, grow } = live({ packets: steady(0, 30, 1e5), capacity: [{ atS: 0, bps: 5e5 }] });
    const assertion = expect(call).toHaveUtilisation({ min: 0.9 }, { over: '2s' });
    setTimeout(() => {
      const better = callRecord({
        packets: [...steady(0, 28, 1e5), ...steady(28, 60, 4.8e5)],
        capacity: [{ atS: 0, bps: 5e5 }],
      });
      record.link = better.link;
      grow();
    }, 400);
    await assertion;
    check(call.judgements).toHaveLength(1);
  });

  it('judge what must hold throughout once, unless told to wait', async () => {
    const packets = [
      ...steady(0, 25, 4e5),
      ...steady(25, 25.5, 4e5, { queueDelayMs: 400 }),
      ...steady(25.5, 60, 4e5),
    ];
    const { call } = live({ packets, capacity: [{ atS: 0, bps: 5e5 }] }, 35);
    const began = Date.now();
    const message = await messageOf(expect(call).toKeepQueuingDelayBelow({ max: '300ms' }));
    check(Date.now() - began).toBeLessThan(900);
    check(message).toContain('Received: max 400 ms');
    // With a timeout the matcher waits until the bad half second has left the time window, at 35.5 s.
    await expect(call).toKeepQueuingDelayBelow({ max: '300ms' }, { timeout: '5s' });
  });

  it('say which option is wrong', async () => {
    const { call } = live(HALF);
    const cases: readonly [Promise<void>, string][] = [
      [expect(call).toConvergeTo('1 parsec'), 'rate: expected a rate'],
      [expect(call).toConvergeTo('1mbps', { within: '1s' }), 'within: expected at least 2 s'],
      [expect(call).toLoseLessThan('200%'), 'ratio: expected a ratio from 0 to 1'],
      [expect(call).toKeepQueuingDelayBelow({}), 'limits: expected at least one percentile'],
    ];
    for (const [assertion, text] of cases) check(await messageOf(assertion)).toContain(text);
  });

  it('refuse what is no call', async () => {
    const strange = { record: 1 } as unknown as ObservedCall;
    check(await messageOf(expect(strange).toLoseLessThan(0.1))).toContain('pass the `call` fixture');
  });

  it('compare calls', async () => {
    const { sent, received } = videoSamples(0, 40, 9e5);
    const seen = { backend: 'none' as const, offerer: { samples: sent }, answerer: { samples: received } };
    const [greedy, poor] = [live(seen).call, live(HALF).call];
    // Jain's fairness index of the two rates: (900 + 480)^2 / (2 * (900^2 + 480^2)) = 0.9152.
    await expect(poor).toBeFairWith(greedy, { jain: 0.9 });
    const message = await messageOf(
      expect.configure({ timeout: 300 })(poor).toBeFairWith(greedy, { jain: 0.92 }),
    );
    check(message).toContain('Received: 0.915 (480 kbps to 900 kbps)');
  });

  it('compare calls from when all of them are connected', async () => {
    // This call has 480 kbps from its second 0 on. The other has 480 kbps as well, but only from this call's second 27
    // on. Its record began 20 s later, so that is the other record's second 7.
    const record = callRecord(HALF);
    const late = callRecord({ connectedS: 7, packets: steady(7, 40, 4.8e5), capacity: HALF.capacity });
    const other = { record: { ...late, originEpochMs: record.originEpochMs + 20e3 }, view: {} };
    const at = (nowUs: number) =>
      judgeFairness(
        { record, view: {}, askedUs: 30e6, nowUs },
        { overUs: 10e6, mode: 'retry', jain: 0.99, others: [other] },
      );
    check(at(36e6)).toMatchObject({ settled: false, final: false, dueUs: 37e6 });
    check(at(37e6)).toMatchObject({ pass: true, settled: true, window: { fromUs: 27e6, toUs: 37e6 } });

    // A call that the other call outlives, and that ends before the other is connected, has no common time with it.
    const early = callRecord(HALF);
    for (const { states } of early.endpoints) states.push({ timeUs: 25e6, state: 'closed' });
    const asked = { record: early, view: {}, askedUs: 30e6, nowUs: 36e6 };
    const ended = judgeFairness(asked, { overUs: 10e6, mode: 'retry', jain: 0.99, others: [other] });
    check(ended).toMatchObject({ settled: false, final: true, window: { fromUs: 25e6, toUs: 25e6 } });
    check(ended.received).toBe('the call ended after 0 s of them');

    const [one, missing] = [live(HALF).call, live({ connectedS: null }).call];
    const messages = await Promise.all(
      [
        expect(one).toBeFairWith(missing, { timeout: 300 }),
        expect(one).not.toBeFairWith(missing, { timeout: 300 }),
      ].map(messageOf),
    );
    for (const message of messages) check(message).toContain('a call to compare with is not connected');
  });

  it('compose with other matchers', async () => {
    const odd = plain.extend({
      toBeOdd: (value: number) => ({ pass: value % 2 === 1, message: () => 'even' }),
    });
    const merged = mergeExpects(odd, expect);
    merged(3).toBeOdd();
    await merged(live(HALF).call).toLoseLessThan(0.5);
    await check(messageOf(merged(live(HALF).call).not.toLoseLessThan(0.5))).resolves.toContain(
      'not loss below 50 %',
    );
  });
});

describe('metrics of the end of a call', () => {
  it('do not reach back before the connecting', () => {
    const packets = steady(26, 30, 4.8e5);
    const answerer = { samples: videoSamples(26, 30, 4.8e5).received };
    const { call } = live({ connectedS: 26, packets, answerer, capacity: [{ atS: 0, bps: 5e5 }] });
    const { window, receivedBps } = call.metrics({ over: '10s' });
    const whole = call.metrics();
    check(window).toEqual(whole.window);
    check(window.fromUs).toBe(26e6);
    check(receivedBps).toBe(whole.receivedBps);
    check(call.metrics({ over: '1s' }).window).toEqual({ fromUs: window.toUs - 1e6, toUs: window.toUs });
  });
});
