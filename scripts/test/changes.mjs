// Finds out what has changed since a part of the test run (see parts.mjs) last passed. `npm test -- --changed` leaves
// out a part whose files are the same. If only test files of a part have changed, only these files run.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';

import { filesUnder, inRoot, root } from '../lib/files.mjs';

/** Files that affect every part: the installed packages, and the scripts that run parts. */
const common = ['package.json', 'package-lock.json', 'scripts/lib', 'scripts/test', 'scripts/test.mjs'];
/** Files that the build writes into source folders. */
const made = /^src\/(core\/ccscope\.wasm|inject\/observer\.js)$/;

const recordOf = (name) => inRoot('build/passed', `${name}.json`);

/** The contents of a part's files, as hashes by path. The version of Node counts as a file. */
export function contents({ reads }) {
  const files = filesUnder([...new Set([...common, ...reads])], (file) => !made.test(file));
  const hash = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return {
    node: process.version,
    ...Object.fromEntries(files.map((file) => [relative(root, file).replaceAll('\\', '/'), hash(file)])),
  };
}

/** The contents with which a part last passed, or undefined. */
export function lastPassed(name) {
  const file = recordOf(name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Remembers the contents with which a part passed. If the part did not pass, `passed` is null. */
export function rememberPassed(name, passed) {
  const file = recordOf(name);
  mkdirSync(dirname(file), { recursive: true });
  if (passed) writeFileSync(file, JSON.stringify(passed));
  else rmSync(file, { force: true });
}

/**
 * The files that have to run again if the contents of a part changed from `before` to `now`: null for none, [] for
 * the whole part, otherwise a list of test files. A list is enough if only test files have changed, because nothing
 * else reads a test file.
 */
export function affected(before, now) {
  if (!before) return [];
  const paths = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  const changed = paths.filter((path) => now[path] !== before[path]);
  if (changed.length === 0) return null;
  return changed.every((path) => path.endsWith('.test.ts') && now[path]) ? changed : [];
}
