/**
 * If a page's policy forbids WebAssembly, the controllers run as JavaScript. Their results must be equal bit by
 * bit.
 */
import { readFileSync } from 'node:fs';

import { beforeAll, expect, it } from 'vitest';

import { loadCore, startScriptedCore, type Core, type ScriptedCore } from '../../../src/core/index.js';
import type { TableName, TraceBatch } from '../../../src/core/index.js';
import { ALL_CONTROLLERS, Watch } from '../../../src/watch/index.js';
import { batchesOf } from '../watch/calls.js';

const built = (name: string): URL => new URL(`../../../build/wasm/${name}`, import.meta.url);

let wasm: Core;
let scripted: Core;
beforeAll(async () => {
  wasm = await loadCore(readFileSync(built('controllers.wasm')));
  const { default: script } = (await import(built('controllers.js').href)) as { default: ScriptedCore };
  scripted = startScriptedCore(script);
});

/**
 * The length of the call. In these ten minutes, the capacity of the link changes, and the receiver's counters
 * report lost packets.
 */
const SECONDS = 600;

/** All rows of the controllers that analyse a stream, in the order in which they were recorded. */
async function rowsOf(core: Core, seed: number): Promise<TraceBatch[]> {
  const watch = new Watch({ originEpochMs: 0, load: () => Promise.resolve(core), keepUs: 2 * SECONDS * 1e6 });
  const batches: TraceBatch[] = [];
  let [latest] = watch.record.shadows;
  for (const batch of batchesOf(SECONDS, 1, seed)) {
    watch.hear(batch, { page: 0, place: 'page' });
    await watch.settled();
    [latest] = watch.record.shadows;
    batches.push(...(latest?.batches.splice(0) ?? []));
  }
  watch.close();
  return batches;
}

/** The rows of a table as bytes, so that NaN compares equal to NaN, and 0 does not compare equal to -0. */
function bytesOf(batches: readonly TraceBatch[], table: TableName): Buffer {
  const columns = batches.filter((batch) => batch.table === table).flatMap((batch) => batch.columns);
  return Buffer.concat(
    columns.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

it.each([1, 2])(
  'gives the rows of GCC, NADA and LCC that the module gives (seed %i)',
  async (seed) => {
    expect(ALL_CONTROLLERS.map(({ controller }) => controller)).toEqual(['gcc', 'nada', 'lcc']);
    const [module, script] = [await rowsOf(wasm, seed), await rowsOf(scripted, seed)];
    for (const table of ['arrival', 'inbound', 'group', 'feedback', 'rate', 'nada', 'lcc'] as const) {
      const [expected, got] = [bytesOf(module, table), bytesOf(script, table)];
      expect(expected.length, table).toBeGreaterThan(10_000);
      expect(got.equals(expected), table).toBe(true);
    }
  },
  120_000,
);
