// Compares the sizes of a visitor's downloads (gzipped) with their budgets: the module, each page, the script for
// other people's pages, and the `<ccscope-view>` element. Entries of the package that pages import are measured as
// well, each bundled with everything that it imports.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { filesUnder, inRoot, root } from '../lib/files.mjs';
import { say } from '../lib/run.mjs';

const kB = 1000;
// The limit includes 8 kB for the live path of the simulator (wasm/sim/live), 3 kB for mechanisms of the papers'
// testbeds (NACK, receiver reports, and two parts of old Chromium code: the rate regions until 2015, and NADA of 2015),
// and 1.5 kB for calls that share their queue with TCP (wasm/cc/gcc/live/competitive_mode.h).
const moduleBudget = 79.5 * kB;
// The budget of each page for the files that it fetches when it is opened, including workers and the module. Files
// that are fetched on demand (a lesson, the typesetting of the Lab's equations, the statistics of the papers' page)
// do not count. The files that the service worker stores do not count either: they are fetched after the page has
// loaded.
const pageBudgets = {
  'index.html': 350 * kB,
  'lab.html': 350 * kB,
  'lessons.html': 350 * kB,
  'papers.html': 350 * kB,
};

// All files that the build generates for pages, except scenario data and the README's screenshots.
const files = filesUnder(['dist/app'], (file) => /\.(html|js|css|wasm|svg|ico|webmanifest)$/.test(file));
const bytesOf = new Map(
  files.map((file) => [basename(file), gzipSync(readFileSync(file), { level: 9 }).length]),
);
const fileOf = new Map(files.map((file) => [basename(file), file]));
const core = files.filter((file) => file.endsWith('.wasm'));
for (const file of files)
  say(`${String(bytesOf.get(basename(file))).padStart(8)} B  ${relative(root, file)}`);

const serviceWorker = 'service_worker.js';

/** The files that a page or a script names, except those that it imports on demand. */
function namedIn(name) {
  const text = readFileSync(fileOf.get(name), 'utf8')
    .replace(/__vite__mapDeps=.*?\]\)?\)/gs, '')
    .replace(/import\(["'`][^"'`]*["'`]\)/g, '');
  const names = text.match(/[\w.-]+\.(?:js|css|wasm|svg|ico|webmanifest)\b/g) ?? [];
  return names.filter((each) => fileOf.has(each) && each !== serviceWorker);
}

/** All files that are fetched when a page is opened. */
function fetchedBy(page) {
  const fetched = new Set([page]);
  for (const name of fetched)
    if (/\.(html|js)$/.test(name)) namedIn(name).forEach((each) => fetched.add(each));
  return fetched;
}

/** The script that users put into other people's pages. */
const injectedBudget = 250 * kB;
const injected = gzipSync(readFileSync(inRoot('dist/lib/inject/ccscope.js')), { level: 9 }).length;
say(`${String(injected).padStart(8)} B  script for pages of others, gzipped (at most ${injectedBudget})`);

/**
 * Entries of the package that pages import. When the budgets were set, each entry was a few per cent below its
 * budget.
 */
const entryBudgets = { 'index.js': 51 * kB, 'sim.js': 74 * kB, 'charts/index.js': 61 * kB };

/** The size of an entry as a page's bundler would build it; workers and the module are separate files. */
async function bundledBytes(entry) {
  const { outputFiles } = await build({
    entryPoints: [inRoot('dist/lib', entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return gzipSync(outputFiles[0].text, { level: 9 }).length;
}

/** The `<ccscope-view>` element: its script, and everything that it may load. */
const elementBudget = 115 * kB;
const embeddedBudget = 300 * kB;
const embedded = filesUnder(['dist/lib/embed'], (file) => /\.(js|wasm)$/.test(file));
const embeddedBytes = embedded.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
const elementBytes = embeddedBytes[embedded.findIndex((file) => file.endsWith('ccscope-view.js'))];
const allEmbedded = embeddedBytes.reduce((sum, bytes) => sum + bytes, 0);
say(`${String(elementBytes).padStart(8)} B  element for pages, gzipped (at most ${elementBudget})`);
say(`${String(allEmbedded).padStart(8)} B  with all that it loads, gzipped (at most ${embeddedBudget})`);

const problems = [];
for (const [entry, budget] of Object.entries(entryBudgets)) {
  const bytes = await bundledBytes(entry);
  say(`${String(bytes).padStart(8)} B  dist/lib/${entry}, bundled and gzipped (at most ${budget})`);
  if (bytes > budget) problems.push(`The entry ${entry}: ${bytes} B bundled and gzipped; at most ${budget}.`);
}
if (elementBytes > elementBudget)
  problems.push(`The element for pages: ${elementBytes} B gzipped; at most ${elementBudget}.`);
if (allEmbedded > embeddedBudget)
  problems.push(`The element and what it loads: ${allEmbedded} B gzipped; at most ${embeddedBudget}.`);
if (injected > injectedBudget)
  problems.push(`The script for pages of others: ${injected} B gzipped; at most ${injectedBudget}.`);
if (core.length !== 1) problems.push(`dist/app holds ${core.length} WebAssembly modules; expected one.`);
for (const file of core) {
  const bytes = bytesOf.get(basename(file));
  if (bytes > moduleBudget) problems.push(`${basename(file)}: ${bytes} B gzipped; at most ${moduleBudget}.`);
}
for (const [page, budget] of Object.entries(pageBudgets)) {
  const bytes = [...fetchedBy(page)].reduce((sum, name) => sum + bytesOf.get(name), 0);
  say(
    `${String(bytes).padStart(8)} B  ${page} with all that it fetches at first, gzipped (at most ${budget})`,
  );
  if (bytes > budget) problems.push(`${page}: ${bytes} B gzipped; at most ${budget}.`);
}
problems.forEach(say);
process.exitCode = problems.length > 0 ? 1 : 0;
