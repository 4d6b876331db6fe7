import { afterEach, beforeEach, expect, it } from 'vitest';

// @ts-expect-error: the scripts have no types.
import { importSource } from '../../scripts/lib/sources.mjs';

const before = process.env['NODE_ENV'];
beforeEach(() => {
  delete process.env['NODE_ENV'];
});
afterEach(() => {
  if (before !== undefined) process.env['NODE_ENV'] = before;
});

it('a source is imported without turning the app that is built later into one for development', async () => {
  const { LESSONS } = await (importSource as (path: string) => Promise<{ LESSONS: unknown[] }>)(
    'src/app/lessons/lessons.ts',
  );
  expect(LESSONS).toHaveLength(12);
  expect(process.env['NODE_ENV']).toBeUndefined();
});
