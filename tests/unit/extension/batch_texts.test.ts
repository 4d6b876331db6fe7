/** Reports of a page on their way to the bridge, which drops texts that are too long. */
import { expect, test } from 'vitest';

import { BatchTexts } from '../../../src/extension/batch_texts.js';
import { MOST_CHARACTERS } from '../../../src/extension/channel.js';
import { readFromPage } from '../../../src/extension/page_text.js';
import type { PageBatch, PageMessage } from '../../../src/inject/protocol.js';

const batch = (timeUs: number, messages: PageMessage[]): PageBatch => ({
  ...{ window: 'w', url: 'https://example.com/', timeUs, messages },
});
const late = (timeUs: number): PageMessage => ({ type: 'late', timeUs, lateMs: 1 });

/** The batches that a panel reads from the texts. */
const read = (texts: readonly string[]): PageBatch[] =>
  texts.map((text) => {
    expect(text.length).toBeLessThanOrEqual(MOST_CHARACTERS);
    const told = readFromPage(text);
    if (!('batch' in told)) throw new Error('this is no batch');
    return told.batch;
  });

test('what a page reports after it was blocked for long arrives in parts, whole and in order', () => {
  const rows = Array.from({ length: 60_001 }, (_, i) => [
    ...[3_000_000_000 + (i % 20), 1_000_000_000 + i, 1_700_000_000_000_000 + i, 4000, 0, -1, -1],
  ]).flat();
  const texts = new BatchTexts();
  expect(read(texts.of(batch(5, [late(1)])))).toEqual([batch(5, [late(1)])]);
  const parts = read(texts.of(batch(9, [late(6), { type: 'frames', endpoint: 0, rows }, late(7)])));
  expect(parts.length).toBeGreaterThan(1);
  // A part says that everything before its time was reported, which is true only of the last one.
  expect(parts.map(({ timeUs }) => timeUs)).toEqual([...parts.slice(1).map(() => 5), 9]);
  const messages = parts.flatMap((part) => part.messages);
  const frames = messages.filter((message) => message.type === 'frames');
  expect(frames.flatMap((message) => message.rows)).toEqual(rows);
  expect([messages[0], messages.at(-1)]).toEqual([late(6), late(7)]);
});

test('a message that is too long by itself is left out, and the others are not', () => {
  const long: PageMessage = { type: 'local', endpoint: 0, role: null, ufrags: ['u'.repeat(MOST_CHARACTERS)] };
  const parts = read(new BatchTexts().of(batch(9, [late(6), long, late(7)])));
  expect(parts.flatMap(({ messages }) => messages)).toEqual([late(6), late(7)]);
});
