// The README, the map of the folders, the guides of the Playwright kit and of calls, and the documents beside the core's sources name only files that exist: pictures, links,
// and the code and tests of each concept.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { filesUnder, inRoot, root } from '../lib/files.mjs';
import { say } from '../lib/run.mjs';

function* namedFiles(document) {
  const text = readFileSync(document, 'utf8');
  const folder = relative(root, dirname(document));
  for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) yield join(folder, target);
  for (const [, path] of text.matchAll(/`((?:src|wasm|tests|scripts|public)\/[\w./-]+)`/g)) yield path;
  const concepts = text.match(/\| concept[\s\S]*?\n\n/)?.[0] ?? '';
  for (const [, path] of concepts.matchAll(/`((?:cc|sim)\/[\w./-]+)`/g)) yield `wasm/${path}.h`;
  for (const [, path] of concepts.matchAll(/`((?:native|unit|node|browser|e2e)\/[\w./-]+)`/g))
    yield `tests/${path}`;
}

let missing = 0;
for (const document of filesUnder(['README.md', 'ARCHITECTURE.md', 'wasm', 'src'], (file) =>
  file.endsWith('.md'),
)) {
  for (const file of namedFiles(document)) {
    if (file.includes('NAME') || existsSync(inRoot(file))) continue;
    missing += 1;
    say(`${relative(root, document)} names ${file}, which does not exist.`);
  }
}
process.exitCode = missing > 0 ? 1 : 0;
