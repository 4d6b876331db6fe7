/**
 * A page's reports on their way to a panel of the extension. The panel must get only new messages, with times
 * on its own clock.
 */
import { expect, test } from 'vitest';

import { Feed } from '../../../src/extension/feed.js';
import type { PageBatch, PageMessage } from '../../../src/inject/protocol.js';

const ORIGIN_MS = 1_700_000_000_000;
const at = (us: number): number => ORIGIN_MS * 1000 + us;
/** The panel's clock when a batch arrives: it agrees with the page's, apart from the delay of the batch. */
const panelMs = (): number => ORIGIN_MS + 1000;
const batch = (messages: PageMessage[], window = 'first'): PageBatch => ({
  window,
  url: 'https://example.com/',
  timeUs: at(5),
  messages,
});
const told: PageMessage[] = [
  { type: 'endpoint', endpoint: 0, timeUs: at(1) },
  { type: 'local', endpoint: 0, role: null, ufrags: ['abcd'] },
  { type: 'state', endpoint: 0, timeUs: at(2), state: 'connected' },
  { type: 'source', endpoint: 0, source: 'transform' },
  { type: 'notice', endpoint: 0, notice: { level: 'info', code: 'c', message: 'm', fix: 'f' } },
];

test("times are the panel's own, and the window is the document", () => {
  const feed = new Feed('document 3', ORIGIN_MS, panelMs);
  const rows = [1, 90_000, at(7), 1200, 1, 0, 2];
  const taken = feed.take(batch([...told, { type: 'frames', endpoint: 0, rows }]));
  expect(taken).toMatchObject({ window: 'document 3', timeUs: 5 });
  expect(taken.messages[0]).toMatchObject({ type: 'endpoint', timeUs: 1 });
  expect(taken.messages[2]).toMatchObject({ type: 'state', timeUs: 2 });
  expect(taken.messages.at(-1)).toMatchObject({ rows: [1, 90_000, 7, 1200, 1, 0, 2] });
});

test('a page whose clock stood still while the machine slept is put on the panel’s clock', () => {
  for (const sleptUs of [-7200e6, 7200e6]) {
    // The panel was opened after the sleep; the page, its process and its clock are older, or the other way round.
    const clock = { ms: ORIGIN_MS + sleptUs / 1000 };
    const feed = new Feed('document', ORIGIN_MS + sleptUs / 1000, () => clock.ms);
    expect(feed.take(batch(told)).messages[0]).toMatchObject({ type: 'endpoint', timeUs: 1 - 5 });
    // Later batches keep the first one's shift, even if they are late themselves.
    clock.ms += 20_000;
    expect(feed.take({ ...batch([]), timeUs: at(1e6) }).timeUs).toBe(1e6 - 5);
  }
});

test('what is told again for another panel is not new, and what changed since is', () => {
  const feed = new Feed('document', ORIGIN_MS, panelMs);
  expect(feed.take(batch(told)).messages).toHaveLength(5);
  expect(feed.take(batch(told, 'second')).messages.map(({ type }) => type)).toEqual(['local']);
  const closed: PageMessage = { type: 'state', endpoint: 0, timeUs: at(9), state: 'closed' };
  const other: PageMessage = { type: 'endpoint', endpoint: 1, timeUs: at(9) };
  expect(feed.take(batch([closed, other], 'second')).messages).toHaveLength(2);
});

test('an action that is told again for another panel is news to that panel alone', () => {
  const target = { endpoint: 0, direction: 'send', mid: '0', ssrc: 1 } as const;
  const cap = (timeUs: number, mid = '0'): PageMessage => ({
    ...{ type: 'action', endpoint: 0, timeUs: at(timeUs) },
    action: { kind: 'cap', target: { ...target, mid }, encoding: null, maxBitrateBps: 1e5 },
    result: { ok: true, message: '', inForce: [{ kind: 'cap', encoding: null, maxBitrateBps: 1e5 }] },
  });
  const [first, second] = [new Feed('first', ORIGIN_MS, panelMs), new Feed('second', ORIGIN_MS + 1, panelMs)];
  const actions = (feed: Feed, messages: PageMessage[]): number =>
    feed.take(batch(messages)).messages.filter(({ type }) => type === 'action').length;
  expect(actions(first, [...told, cap(3), cap(3, '1')])).toBe(2);
  expect(actions(first, [...told, cap(3), cap(3, '1')])).toBe(0);
  expect(actions(second, [...told, cap(3), cap(3, '1')])).toBe(2);
  // The user may cap the stream at the same rate once more.
  expect(actions(first, [cap(4)])).toBe(1);
});

test('nothing is known of endpoints that nobody announced, and of too many', () => {
  const feed = new Feed('document', ORIGIN_MS, panelMs);
  expect(feed.take(batch(told.slice(1))).messages).toEqual([]);
  const many = Array.from({ length: 5000 }, (_, endpoint): PageMessage => ({
    type: 'endpoint',
    endpoint,
    timeUs: at(0),
  }));
  expect(feed.take(batch(many)).messages).toHaveLength(2000);
});
