// Checks that documents name only existing files. It looks at paths in backticks, and at the files named in the table
// of the papers' concepts. remark-validate-links checks the links of documents.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { documentRooms } from '../build.mjs';
import { filesUnder, inRoot, root } from '../lib/files.mjs';
import { say } from '../lib/run.mjs';

function* namedFiles(document) {
  const text = readFileSync(document, 'utf8');
  for (const [, path] of text.matchAll(/`((?:src|wasm|tests|scripts|public)\/[\w./-]+)`/g)) yield path;
  const concepts = text.match(/\| concept[\s\S]*?\n\n/)?.[0] ?? '';
  for (const [, path] of concepts.matchAll(/`((?:cc|sim)\/[\w./-]+)`/g)) yield `wasm/${path}.h`;
  for (const [, path] of concepts.matchAll(/`((?:native|unit|node|browser|e2e)\/[\w./-]+)`/g))
    yield `tests/${path}`;
}

/** Files that a guide asks the reader to create. */
const example = /NAME|\bID\b|drop_head/;

let missing = 0;
for (const document of filesUnder(documentRooms, (file) => file.endsWith('.md'))) {
  for (const file of namedFiles(document)) {
    if (example.test(file) || existsSync(inRoot(file))) continue;
    missing += 1;
    say(`${relative(root, document)} names ${file}, which does not exist.`);
  }
}
process.exitCode = missing > 0 ? 1 : 0;
