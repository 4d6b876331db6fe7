/**
 * The local server's network inputs ("doors") withstand thousands of mutated messages. `npm run fuzz` sends
 * more.
 */
import { afterAll, expect, it } from 'vitest';

import { Batches, type Tested } from '../fuzz/doors/batches.js';
import { target as http } from '../fuzz/doors/http.js';
import { target as webSocket } from '../fuzz/doors/websocket.js';
import type { FuzzTarget } from '../fuzz/target.js';

const INPUTS = 4000;

/** Mulberry32: random whole numbers from 0 to `n` - 1. A given seed always yields the same sequence. */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/**
 * One of the target's sample inputs (`seeds`) with one to four changes: other bytes, inserted words, parts left
 * out or doubled.
 */
function mutated({ seeds, words = [] }: FuzzTarget, next: (n: number) => number): Uint8Array {
  let bytes = Buffer.from(seeds[next(seeds.length)] ?? '');
  for (let left = 1 + next(4); left > 0; left--) {
    const at = next(bytes.length + 1);
    const end = at + next(bytes.length - at + 1);
    const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
    const choices = [
      () => [before, Buffer.from([next(256)]), bytes.subarray(at + 1)],
      () => [before, Buffer.from(words[next(words.length)] ?? ''), bytes.subarray(at)],
      () => [before, after],
      () => [before, part, part, after],
    ];
    bytes = Buffer.concat(choices[next(choices.length)]?.() ?? []);
  }
  return bytes;
}

const targets = [http, webSocket];
afterAll(async () => {
  for (const target of targets) await target.close?.();
});

it.each(targets)(
  '$name: the process is alive and answers',
  async (target) => {
    const next = generator(11);
    for (let i = 0; i < INPUTS; i++) await target.run(mutated(target, next));
    await target.close?.();
  },
  120_000,
);

it('names the input after which a server has a fault', async () => {
  let faulty = false;
  const start = (): Promise<Tested> => {
    faulty = false;
    const fault = (): Promise<string | null> => Promise.resolve(faulty ? 'it ended' : null);
    return Promise.resolve({ port: 1, fault, close: () => Promise.resolve() });
  };
  const sendAll = (_: number, inputs: readonly Uint8Array[]): Promise<void> => {
    faulty ||= inputs.some(([byte]) => byte === 41);
    return Promise.resolve();
  };
  const batches = new Batches(sendAll, 64, start);
  const sending = (async () => {
    for (let i = 0; i < 64; i++) await batches.add(Uint8Array.of(i));
  })();
  await expect(sending).rejects.toMatchObject({ name: 'DoorFault', inputs: [Uint8Array.of(41)] });
});

it('asks whether the server is alive after one batch at a time', async () => {
  let asking = 0;
  let most = 0;
  const fault = async (): Promise<null> => {
    most = Math.max(most, ++asking);
    await new Promise(setImmediate);
    asking--;
    return null;
  };
  const start = (): Promise<Tested> => Promise.resolve({ port: 1, fault, close: () => Promise.resolve() });
  const batches = new Batches(() => Promise.resolve(), 2, start);
  await Promise.all(Array.from({ length: 16 }, (_, i) => batches.add(Uint8Array.of(i))));
  await batches.close();
  expect(most).toBe(1);
});
