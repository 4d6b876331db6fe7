/**
 * Batches with hostile strings and numbers: the watch never throws, and still works with the batches that
 * follow.
 */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { loadCore } from '../../../src/core/index.js';
import type { PageBatch } from '../../../src/inject/protocol.js';
import { Watch } from '../../../src/watch/index.js';
import { batchesOf, randomNumbers } from './calls.js';

const TEXTS = [
  '<img src=x onerror=alert(1)>',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\ud800',
  'x'.repeat(9999),
  '',
];
const NUMBERS = [NaN, Infinity, -Infinity, -1, -0, 1e300, 2 ** 53, 2 ** 32, 0.5];

/**
 * Returns a copy in which the fraction `share` of all leaves is replaced with hostile values. The field
 * `type` is kept, so that each message is still recognised.
 */
function spoilt<T>(value: T, random: () => number, share: number, name = ''): T {
  const one = <U>(list: readonly U[]): U => list[Math.floor(random() * list.length)] as U;
  if (Array.isArray(value)) return value.map((each: unknown) => spoilt(each, random, share)) as T;
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, each]: [string, unknown]) => [key, spoilt(each, random, share, key)]),
    ) as T;
  if (random() > share || name === 'type') return value;
  if (typeof value === 'string') return one(TEXTS) as T;
  if (typeof value === 'number') return one(NUMBERS) as T;
  return value;
}

const HOURS_US = 3600e6;

it.each([1, 2, 3, 4, 5, 6, 7, 8])('hears them all, and a usual call afterwards (seed %i)', async (seed) => {
  const random = randomNumbers(seed);
  const core = await loadCore(readFileSync(new URL('../../../build/wasm/controllers.wasm', import.meta.url)));
  const watch = new Watch({ originEpochMs: 0, load: () => Promise.resolve(core) });
  const hear = (batch: PageBatch): void => {
    // The observer itself, not the page, sets a batch's `window` and `timeUs`. So these two fields are not
    // spoilt below.
    watch.hear(batch, { page: 0, place: 'page' });
    JSON.stringify(watch.state);
    watch.view({ table: 'group', columns: ['time_us', 'm_ms'], maxPoints: 100 });
  };
  for (const batch of batchesOf(20, 2, seed)) {
    const { window, timeUs } = batch;
    hear({ ...spoilt(batch, random, 0.05 * seed), window, timeUs });
    await watch.settled();
  }
  for (const batch of batchesOf(10, 1, seed))
    hear({ ...batch, window: 'another', timeUs: batch.timeUs + HOURS_US });
  const { streams } = watch.state;
  expect(
    streams.filter(({ direction, rateBps }) => direction === 'receive' && rateBps > 0).length,
  ).toBeGreaterThan(0);
  watch.close();
});
