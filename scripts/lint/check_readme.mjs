// The README names only files that exist: pictures, links, and the code and tests of each concept.
import { existsSync, readFileSync } from 'node:fs';

import { inRoot } from '../lib/files.mjs';
import { say } from '../lib/run.mjs';

const readme = readFileSync(inRoot('README.md'), 'utf8');

function* namedFiles() {
  for (const [, target] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) yield target;
  for (const [, path] of readme.matchAll(/`((?:src|wasm|tests|scripts)\/[\w./-]+)`/g)) yield path;
  const concepts = readme.match(/\| concept[\s\S]*?\n\n/)?.[0] ?? '';
  for (const [, path] of concepts.matchAll(/`((?:cc|sim)\/[\w./-]+)`/g)) yield `wasm/${path}.h`;
  for (const [, path] of concepts.matchAll(/`((?:native|unit|node|browser|e2e)\/[\w./-]+)`/g))
    yield `tests/${path}`;
}

const missing = [...namedFiles()].filter((file) => !file.includes('NAME') && !existsSync(inRoot(file)));
for (const file of missing) say(`README.md names ${file}, which does not exist.`);
process.exitCode = missing.length > 0 ? 1 : 0;
