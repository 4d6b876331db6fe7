/**
 * Runs 2000 inputs of each target in parsers/, and its inputs that once caused a fault. `npm run fuzz` runs
 * millions.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { faultIn, folderOf, inputsOf, targetsIn, withoutStacks } from './harness.js';

const INPUTS = 2000;
/** Far longer than the inputs take, even on a busy machine. */
const TIMEOUT_MS = 120_000;
const SEED = 11;
const CORPUS = join('tests', 'fuzz', 'corpus');

withoutStacks();
const modules = import.meta.glob<object>('./parsers/*.ts', { eager: true });
const targets = Object.values(modules).flatMap(targetsIn);

describe.each(targets.map((target) => [target.name, target] as const))('%s', (name, target) => {
  afterAll(() => target.close?.());

  it(
    `holds for ${INPUTS} inputs`,
    async () => {
      const inputs = inputsOf(target, SEED);
      for (let i = 0; i < INPUTS; i++) {
        const input = inputs(i);
        const fault = await faultIn(target, input);
        if (fault !== undefined)
          expect.fail(`input ${i}: ${Buffer.from(input).toString('base64')}\n${fault.message}`);
      }
    },
    TIMEOUT_MS,
  );

  const folder = join(CORPUS, folderOf(name));
  const files = existsSync(folder) ? readdirSync(folder) : [];
  it.each(files)('holds for %s', async (file) => {
    expect(
      (await faultIn(target, Uint8Array.from(readFileSync(join(folder, file)))))?.message,
    ).toBeUndefined();
  });
});
