/**
 * After a quarter of an hour of watching a call, all stored data has reached its limit. Watching for hours must take
 * no more memory. With CCSCOPE_WATCH_HOURS=8, the test simulates a working day.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { loadCore } from '../../../src/core/index.js';
import { Watch } from '../../../src/watch/index.js';
import { batchesOf } from './calls.js';

const HOURS = Number(process.env['CCSCOPE_WATCH_HOURS'] ?? 0.5);
const BATCHES_PER_HOUR = 7200;
/**
 * Memory must not grow after this time. (A recording keeps ten minutes, in segments; a record keeps two
 * minutes.)
 */
const BOUNDED_AFTER_HOURS = 0.25;
/** How often per hour memory is measured. */
const LOOKS_PER_HOUR = 12;
const STREAMS = 4;
/** The memory limit. In a run of eight hours, 24 MB were measured from the fifth minute to the end. */
const MOST_BYTES = 50e6;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Memory in use, including the core's WebAssembly memory and typed arrays. Collects garbage twice: the memory behind
 * array buffers may be freed only after the task in which they were collected.
 */
async function usedBytes(): Promise<number> {
  collect();
  await new Promise(setImmediate);
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it(`watches four streams for ${HOURS} h in memory that stays the same`, async () => {
  const before = await usedBytes();
  const core = await loadCore(readFileSync(new URL('../../../build/wasm/controllers.wasm', import.meta.url)));
  const watch = new Watch({ originEpochMs: 0, load: () => Promise.resolve(core) });
  const used: number[] = [];
  let heard = 0;
  for (const batch of batchesOf(HOURS * 3600, STREAMS)) {
    watch.hear(batch, { page: 0, place: 'page' });
    if (heard === 0) await watch.settled();
    heard += 1;
    if (heard % (BATCHES_PER_HOUR / LOOKS_PER_HOUR) === 0) used.push((await usedBytes()) - before);
  }
  console.log(used.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`).join(' '));
  const bounded = used.slice(BOUNDED_AFTER_HOURS * LOOKS_PER_HOUR - 1);
  expect(watch.state.streams).toHaveLength(2 * STREAMS);
  expect(watch.state.notices).toEqual([]);
  expect(watch.extent().rows['group']).toBeGreaterThan(STREAMS * 600 * 10);
  expect(Math.max(...used)).toBeLessThan(MOST_BYTES);
  // The factor allows for garbage that is not collected yet. Data without a bound would grow by more than
  // this factor in two hours.
  expect(used.at(-1)).toBeLessThan(1.15 * (bounded[0] ?? NaN));
  watch.close();
}, 3_600_000);
