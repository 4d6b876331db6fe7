import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test } from 'vitest';

import { Held } from '../../../src/inject/held.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Collects garbage in new tasks, because the target of a weak reference lives until the task that used it
 * ends.
 */
async function freed(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
  }
}

test('what is held stays, and what is let go of is freed unless somebody else has it', async () => {
  const held = new Held<{ name: string }>();
  const kept = { name: 'kept' };
  held.add(kept);
  held.add({ name: 'dropped' });
  await freed();
  expect(held.all.map(({ name }) => name)).toEqual(['kept', 'dropped']);
  held.letGo();
  for (let i = 0; i < 100; i++) held.add({ name: `meanwhile ${i}` });
  held.add(kept);
  await freed();
  expect(held.all).toEqual([kept]);
  held.hold();
  held.add({ name: 'new' });
  await freed();
  expect(held.all.map(({ name }) => name)).toEqual(['kept', 'new']);
});

test('what is deleted is gone, held or not', () => {
  const held = new Held<object>();
  const [a, b, c] = [{}, {}, {}];
  for (const each of [a, b, c]) held.add(each);
  held.delete(a);
  expect(held.all).toEqual([b, c]);
  held.letGo();
  held.delete(b);
  expect(held.all).toEqual([c]);
  held.clear();
  held.hold();
  expect(held.all).toEqual([]);
});
