/**
 * A page's reports on their way to a panel of the extension. The panel must get only new messages, with times
 * on its own clock.
 */
import { expect, test } from 'vitest';

import { Feed } from '../../../src/extension/feed.js';
import type { PageBatch, PageMessage } from '../../../src/inject/protocol.js';

const ORIGIN_MS = 1_700_000_000_000;
const at = (us: number): number => ORIGIN_MS * 1000 + us;
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
  const feed = new Feed('document 3', ORIGIN_MS);
  const rows = [1, 90_000, at(7), 1200, 1, 0, 2];
  const taken = feed.take(batch([...told, { type: 'frames', endpoint: 0, rows }]));
  expect(taken).toMatchObject({ window: 'document 3', timeUs: 5 });
  expect(taken.messages[0]).toMatchObject({ type: 'endpoint', timeUs: 1 });
  expect(taken.messages[2]).toMatchObject({ type: 'state', timeUs: 2 });
  expect(taken.messages.at(-1)).toMatchObject({ rows: [1, 90_000, 7, 1200, 1, 0, 2] });
});

test('what is told again for another panel is not new, and what changed since is', () => {
  const feed = new Feed('document', ORIGIN_MS);
  expect(feed.take(batch(told)).messages).toHaveLength(5);
  expect(feed.take(batch(told, 'second')).messages.map(({ type }) => type)).toEqual(['local']);
  const closed: PageMessage = { type: 'state', endpoint: 0, timeUs: at(9), state: 'closed' };
  const other: PageMessage = { type: 'endpoint', endpoint: 1, timeUs: at(9) };
  expect(feed.take(batch([closed, other], 'second')).messages).toHaveLength(2);
});

test('nothing is known of endpoints that nobody announced, and of too many', () => {
  const feed = new Feed('document', ORIGIN_MS);
  expect(feed.take(batch(told.slice(1))).messages).toEqual([]);
  const many = Array.from({ length: 5000 }, (_, endpoint): PageMessage => ({
    type: 'endpoint',
    endpoint,
    timeUs: at(0),
  }));
  expect(feed.take(batch(many)).messages).toHaveLength(2000);
});
