/** The package's dependencies, which are installed together with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The library's sources. The app's sources are left out, because the app is shipped as a bundle that contains
 * its packages.
 */
const librarySources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.ts$/.test(file) && !file.startsWith('app'),
);

test('every dependency is imported by something that is shipped', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const text = librarySources.map((file) => readFileSync(join(root, 'src', file), 'utf8')).join('\n');
  const imported = [...text.matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/g)].map(
    ([, name]) => name,
  );
  // The library's declarations name types of the packages that it imports, so `@types/ws` belongs to `ws`.
  const usedAs = (name: string): string => name.replace(/^@types\//, '');
  expect(Object.keys(dependencies).filter((name) => !imported.includes(usedAs(name)))).toEqual([]);
  expect(Object.keys(dependencies)).not.toEqual([]);
});
