/**
 * Messages that a page sends to a panel. The panel accepts only messages in the form that the observer uses.
 */
import { expect, test } from 'vitest';

import { readFromPage } from '../../../src/extension/page_text.js';
import { readSample } from '../../../src/inject/sample.js';

/** A sample, made from a getStats report as the observer makes it. */
const sample = readSample(
  new Map<string, object>([
    ['P', { id: 'P', type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.05, timestamp: 1000 }],
    ['O', { id: 'O', type: 'outbound-rtp', kind: 'video', ssrc: 1, mid: '0', bytesSent: 5, active: true }],
    ['I', { id: 'I', type: 'inbound-rtp', kind: 'video', ssrc: 2, mid: '0', bytesReceived: 5 }],
  ]),
  0,
  1000,
  {
    sendingOf: () => ({ maxBitrateBps: NaN, sectionBoundBps: NaN, trackState: 'live', trackPaused: '' }),
    relay: null,
  },
).sample;

const batchOf = (...messages: unknown[]) =>
  JSON.stringify({ batch: { window: 'w', url: 'https://example.com/', timeUs: 1, messages } });

const valid: readonly (readonly [string, Record<string, unknown>])[] = [
  ['endpoint', { type: 'endpoint', endpoint: 0, timeUs: 1 }],
  ['state', { type: 'state', endpoint: 0, timeUs: 1, state: 'closed' }],
  ['local', { type: 'local', endpoint: 0, role: 'offerer', ufrags: ['u'] }],
  [
    'remote',
    { type: 'remote', endpoint: 0, sides: [{ ufrag: 'u', candidates: [{ address: 'a', port: 1 }] }] },
  ],
  ['sample', { type: 'sample', endpoint: 0, sample }],
  ['frames', { type: 'frames', endpoint: 0, rows: [1, 2, 3, 4, 1, 0, 0] }],
  ['source', { type: 'source', endpoint: 0, source: 'getStats' }],
  ['notice', { type: 'notice', endpoint: 0, notice: { level: 'info', code: 'c', message: 'm', fix: 'f' } }],
  ['late', { type: 'late', timeUs: 1, lateMs: 2 }],
];

/** The paths of all fields of a message, including nested ones. */
function* paths(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) yield* paths(each, [...path, name]);
}

function replaced(message: object, path: readonly string[], by: unknown): object {
  const copy = structuredClone(message);
  const [last = '', ...above] = path.toReversed();
  const holder = above.reduceRight(
    (held, name) => held[name] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  holder[last] = by;
  return copy;
}

test.each(valid)("an observer's %s is taken as it is", (type, message) => {
  const read = readFromPage(batchOf(message));
  expect(read).toMatchObject({ batch: { messages: [{ type }] } });
});

test.each([
  [1, true],
  [65_535, true],
  [0, false],
  [-1, false],
  [1.5, false],
  [65_536, false],
])('a candidate has a port to which something can be sent: %s', (port, isTaken) => {
  const sides = [{ ufrag: 'u', candidates: [{ address: '192.0.2.1', port }] }];
  const read = (): unknown => readFromPage(batchOf({ type: 'remote', endpoint: 0, sides }));
  if (isTaken) expect(read()).toMatchObject({ batch: { messages: [{ sides }] } });
  else expect(read).toThrow();
});

test('getStats without a value is NaN again', () => {
  const read = readFromPage(batchOf({ type: 'sample', endpoint: 0, sample }));
  if (!('batch' in read)) throw new Error('no batch');
  const [message] = read.batch.messages;
  expect(message).toMatchObject({ sample: { availableOutgoingBps: NaN, rttS: 0.05 } });
});

test.each(valid)('of a %s no field may have another form', (_, message) => {
  const wrong = [...paths(message)].flatMap((path) =>
    [{ an: 'object' }, [[]]].map((by) => [path.join('.'), batchOf(replaced(message, path, by))] as const),
  );
  expect(wrong.length).toBeGreaterThan(4);
  for (const [path, text] of wrong) expect(() => readFromPage(text), path).toThrow();
});

test.each([
  ['no JSON', '}{'],
  ['nothing', 'null'],
  ['a list', '[]'],
  ['a batch without messages', '{"batch":{}}'],
  ['a message of no known type', batchOf({ type: 'act', endpoint: 0 })],
  ['a type that objects inherit', batchOf({ type: 'constructor', endpoint: 0 })],
  ['a text without end', batchOf({ type: 'local', endpoint: 0, role: null, ufrags: ['u'.repeat(5000)] })],
  ['an error that is no text', '{"id":"1","error":{}}'],
])('%s is refused', (_, text) => {
  expect(() => readFromPage(text)).toThrow();
});
