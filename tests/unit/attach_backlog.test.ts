import { expect, test } from 'vitest';

import { Backlog } from '../../src/command_line/attach/backlog.js';
import { ConnectionCount } from '../../src/command_line/attach/connection_count.js';
import type { PageBatch, PageMessage } from '../../src/watch/index.js';

const place = { page: 0, place: 'page' } as const;
const batchOf = (timeUs: number, messages: readonly unknown[], window = 'w'): PageBatch => ({
  window,
  url: 'https://example.org/',
  timeUs,
  messages: messages as PageMessage[],
});
const frames = { type: 'frames', endpoint: 0, rows: [1, 2, 3, 4, 5, 6, 7] };
const endpoint = (number: number) => ({ type: 'endpoint', endpoint: number, timeUs: 0 });
const closed = (number: number) => ({ type: 'state', endpoint: number, timeUs: 1, state: 'closed' });

test('hours of a call leave the latest half minute, and who it is of', () => {
  const backlog = new Backlog();
  backlog.add({ batch: batchOf(0, [endpoint(0), frames]), place });
  for (let s = 1; s <= 7200; s++) backlog.add({ batch: batchOf(s * 1e6, [frames]), place });
  const [first, ...recent] = backlog.all;
  expect(first?.batch.messages).toEqual([endpoint(0)]);
  expect(recent).toHaveLength(31);
  expect(recent.at(-1)?.batch.timeUs).toBe(7200e6);
});

test('connections that were closed leave nothing, however many there were', () => {
  const backlog = new Backlog();
  for (let n = 0; n < 100; n++) backlog.add({ batch: batchOf(n * 60e6, [endpoint(n), closed(n)]), place });
  backlog.add({ batch: batchOf(6e9, [endpoint(100)]), place });
  backlog.add({ batch: batchOf(7e9, []), place });
  expect(backlog.all.flatMap(({ batch }) => batch.messages)).toEqual([endpoint(100)]);
});

test('a window that is gone takes all of its own along', () => {
  const backlog = new Backlog();
  backlog.add({ batch: batchOf(0, [endpoint(0)], 'gone'), place });
  backlog.add({ batch: batchOf(60e6, [endpoint(0)], 'stays'), place });
  backlog.add({ batch: batchOf(61e6, [frames], 'gone'), place });
  backlog.windowEnded('gone');
  expect(backlog.all.map(({ batch }) => batch.window)).toEqual(['stays']);
});

const local = (number: number, ufrag: string) => ({
  type: 'local',
  endpoint: number,
  role: null,
  ufrags: [ufrag],
});

test('connections that are told again after a pause are counted once', () => {
  const count = new ConnectionCount();
  count.hear(batchOf(0, [endpoint(0), local(0, 'a'), endpoint(1)], 'before'));
  count.hear(batchOf(1, [local(1, 'b'), local(0, 'restarted')], 'before'));
  expect(count.count).toBe(2);
  count.windowEnded('before');
  count.hear(batchOf(2, [endpoint(0), endpoint(1), local(0, 'restarted'), local(1, 'b')], 'after'));
  expect(count.count).toBe(2);
  count.hear(batchOf(3, [endpoint(2), local(2, 'c'), endpoint(3)], 'after'));
  // A new document numbers its connections from 0 again. So this connection 0 is a new connection, and is
  // counted.
  count.hear(batchOf(4, [endpoint(0), local(0, 'd')], 'other'));
  expect(count.count).toBe(5);
});
