/** Feedback messages of several flows over one data channel. */
import { expect, test } from 'vitest';

import { decodeFeedback, encodeFeedback, MAX_FEEDBACK_VALUES, type Feedback } from '../../src/core/index.js';

const feedback: Feedback = {
  timeUs: 1_234_567,
  receivedRateBps: 812_345.5,
  packetsReceived: 100,
  packetsLost: 3,
  echoSendTimeUs: 1_200_000,
  echoDelayUs: 12_000,
  values: [1.5, -2, 0],
};

test.each([0, 1, 255, 2 ** 32 - 1])('the flow %i comes out as it went in', (flow) => {
  expect(decodeFeedback(encodeFeedback(feedback, flow))).toEqual({ flow, feedback });
});

test('the flow of the controller in charge is 0', () => {
  expect(decodeFeedback(encodeFeedback(feedback))?.flow).toBe(0);
});

test('rates and echoes may be absent, counters may not', () => {
  const absent = { ...feedback, receivedRateBps: NaN, echoSendTimeUs: NaN, echoDelayUs: NaN };
  expect(decodeFeedback(encodeFeedback(absent, 2))).toEqual({ flow: 2, feedback: absent });
  for (const field of ['timeUs', 'packetsReceived', 'packetsLost'] as const)
    expect(decodeFeedback(encodeFeedback({ ...feedback, [field]: NaN }))).toBeNull();
});

test('foreign messages are none', () => {
  const bytes = new Uint8Array(encodeFeedback(feedback, 1));
  expect(decodeFeedback(new ArrayBuffer(0))).toBeNull();
  expect(decodeFeedback(bytes.slice(0, -1).buffer)).toBeNull();
  expect(decodeFeedback(bytes.slice(0, 8 + 5 * 8).buffer)).toBeNull();
  // A message of the previous format, which lacks the field `flow`: its numbers begin where the current format has
  // `flow`.
  expect(decodeFeedback(bytes.slice(4).buffer)).toBeNull();
  bytes[0] = 0;
  expect(decodeFeedback(bytes.buffer)).toBeNull();
});

test('no more values than a message has room for', () => {
  const values = Array.from({ length: MAX_FEEDBACK_VALUES + 1 }, (_, i) => i);
  expect(decodeFeedback(encodeFeedback({ ...feedback, values }))).toBeNull();
  const fits = { ...feedback, values: values.slice(1) };
  expect(decodeFeedback(encodeFeedback(fits, 7))).toEqual({ flow: 7, feedback: fits });
});

test('every number is one that the core takes', () => {
  const refused: Partial<Feedback>[] = [
    { timeUs: 1e300 },
    { receivedRateBps: -1 },
    { receivedRateBps: Infinity },
    { packetsReceived: 1e300 },
    { packetsLost: -1e300 },
    { echoSendTimeUs: -Infinity },
    { echoSendTimeUs: 1e300 },
    { echoDelayUs: 1e300 },
    { values: [1e300] },
  ];
  for (const changes of refused)
    expect(decodeFeedback(encodeFeedback({ ...feedback, ...changes })), JSON.stringify(changes)).toBeNull();
});
