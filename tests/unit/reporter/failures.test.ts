/** How a failed expectation in a test becomes an annotation at its line. */
import { describe, expect, it } from 'vitest';

import type { JudgedExpectation, Judgement } from '../../../src/judge/index.js';
import { failedOf, failedText } from '../../../src/playwright/report/failed.js';
import { failureAnnotations } from '../../../src/playwright/report/failures.js';
import { fakeTest } from './fake_tests.js';

const cause = { kind: 'overuse', evidence: 'It sent 670 kbps into 500 kbps.', fix: 'Send less.' } as const;

const judged = (received: string, more: Partial<Judgement> = {}, isNot = false): JudgedExpectation => ({
  matcher: 'toRecoverWithin',
  isNot,
  timeUs: 9e6,
  view: {},
  judgement: {
    ...{ pass: false, final: true, settled: true, dueUs: 9e6, metrics: null },
    ...{ expected: 'to recover within 15 s', received, cause, window: { fromUs: 0, toUs: 9e6 } },
    ...more,
  },
});

const failed = failedText([judged('353 kbps')]) ?? '';
const location = { file: '/repo/tests/call.spec.ts', line: 14, column: 22 };
const error = {
  // The message contains the colour codes that Playwright inserts.
  message:
    '\u001b[31mexpect(call)\u001b[39m\n\nExpected: to recover within 15 s\nReceived: 353 kbps\nCause:    overuse',
  location,
};

describe('the property', () => {
  it('has what was not met, each once, and nothing of what was', () => {
    const text = failedText([
      judged('353 kbps'),
      judged('353 kbps'),
      judged('500 kbps', { pass: true, cause: null }),
    ]);
    expect(failedOf(text ?? '')).toEqual([
      { matcher: 'toRecoverWithin', expected: 'to recover within 15 s', received: '353 kbps', cause },
    ]);
    expect(failedText([judged('500 kbps', { pass: true, cause: null })])).toBeNull();
  });

  it('explains a contrary only without a verdict', () => {
    const met = failedOf(failedText([judged('500 kbps', { pass: true }, true)]) ?? '');
    expect(met).toMatchObject([
      { matcher: 'not.toRecoverWithin', expected: 'not to recover within 15 s', cause: null },
    ]);
    const none = failedOf(failedText([judged('nothing', { settled: false }, true)]) ?? '');
    expect(none).toMatchObject([{ cause }]);
  });

  it('keeps the last ones of very many, and is nothing where it is something else', () => {
    const many = Array.from({ length: 200 }, (_, i) => judged(`${i} kbps`));
    const kept = failedOf(failedText(many) ?? '');
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept.at(-1)?.received).toBe('199 kbps');
    expect([failedOf('{'), failedOf('[{"matcher":1}]'), failedOf(undefined)]).toEqual([[], [], []]);
  });
});

describe('the annotation', () => {
  it('is at the line that failed, with the cause', () => {
    const test = fakeTest({ attempts: [{ properties: { failed }, errors: [error] }] });
    expect(failureAnnotations(test)).toEqual([
      {
        level: 'error',
        title: 'a call › recovers: toRecoverWithin',
        text: [
          'expect(call).toRecoverWithin',
          'Expected: to recover within 15 s',
          'Received: 353 kbps',
          'Cause: overuse: It sent 670 kbps into 500 kbps.',
          'To do: Send less.',
        ].join('\n'),
        location,
      },
    ]);
  });

  it('is one for a test that was tried twice, and a warning if it passed in the end', () => {
    const attempt = { properties: { failed }, errors: [error] };
    const twice = failureAnnotations(fakeTest({ attempts: [attempt, attempt] }));
    expect(twice.map(({ level }) => level)).toEqual(['error']);
    const flaky = failureAnnotations(fakeTest({ attempts: [attempt, { properties: {} }] }));
    expect(flaky).toMatchObject([{ level: 'warning', location }]);
    expect(flaky[0]?.text).toContain('Flaky');
  });

  it('is not there for what others report: other errors, tests that pass', () => {
    const other = { message: 'locator.click: Timeout', location };
    expect(failureAnnotations(fakeTest({ attempts: [{ properties: { failed }, errors: [other] }] }))).toEqual(
      [],
    );
    expect(failureAnnotations(fakeTest({ attempts: [{ properties: { failed } }] }))).toEqual([]);
    expect(failureAnnotations(fakeTest({ attempts: [{ errors: [other] }] }))).toEqual([]);
  });

  it('tells soft expectations apart, and names the runs of repeat', () => {
    const second = judged('353 kbps', { expected: 'to recover within 5 s' });
    const both = failedText([judged('353 kbps'), second]) ?? '';
    const soft = { ...error, message: error.message.replace('15 s', '5 s') };
    const test = fakeTest({ attempts: [{ properties: { failed: both }, errors: [error, soft] }] });
    expect(failureAnnotations(test).map(({ text }) => text.split('\n')[1])).toEqual([
      'Expected: to recover within 15 s',
      'Expected: to recover within 5 s',
    ]);

    const table =
      'RepeatError: 2 runs must pass\n\nrun 2  FAILED  9.1 s  Received: 353 kbps; Cause:    overuse';
    const runs = fakeTest({
      attempts: [{ properties: { 'run-2.failed': failed }, errors: [{ message: table, location }] }],
    });
    expect(failureAnnotations(runs)[0]?.text).toContain('expect(call).toRecoverWithin in run-2');
  });
});
