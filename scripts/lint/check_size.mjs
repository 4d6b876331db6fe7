// What a visitor downloads, gzipped, against its budget: the module, the whole page, the script for pages of others, and
// each of the package's entries that pages import, bundled with what it imports.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { filesUnder, inRoot, root } from '../lib/files.mjs';
import { say } from '../lib/run.mjs';

const kB = 1000;
// 8 kB of each are the live path of the simulator (wasm/sim/live), another 5 kB of the page the choice of
// sources and the watch over the machine; 3 kB of each are mechanisms of the papers' testbeds (NACK, receiver reports,
// regions, NADA of 2015), and 26 kB of the page the lessons, which are fetched one by one.
const moduleBudget = 78 * kB;
const pageBudget = 350 * kB;
/** The page of papers, which is fetched when it is opened: statistics, figures, and the worker that makes them. */
const papersBudget = 85 * kB;
const isOfPapers = (file) => /^(papers|report_worker)[-.]/.test(basename(file));

// Everything that the build makes for the page; pictures for the README and scenario data are not part of it.
const files = filesUnder(['dist/app'], (file) => /\.(html|js|css|wasm|svg|ico|webmanifest)$/.test(file));
const sizes = files.map((file) => ({ file, bytes: gzipSync(readFileSync(file), { level: 9 }).length }));
const sum = (some) => some.reduce((total, { bytes }) => total + bytes, 0);
const papers = sum(sizes.filter(({ file }) => isOfPapers(file)));
const total = sum(sizes) - papers;
const core = sizes.filter(({ file }) => basename(file).endsWith('.wasm'));

for (const { file, bytes } of sizes) say(`${String(bytes).padStart(8)} B  ${relative(root, file)}`);
say(`${String(total).padStart(8)} B  whole page but the papers, gzipped (at most ${pageBudget})`);
say(`${String(papers).padStart(8)} B  page of papers, gzipped (at most ${papersBudget})`);

/** The script that people put into pages of others. */
const injectedBudget = 250 * kB;
const injected = gzipSync(readFileSync(inRoot('dist/lib/inject/ccscope.js')), { level: 9 }).length;
say(`${String(injected).padStart(8)} B  script for pages of others, gzipped (at most ${injectedBudget})`);

/** Entries of the package that pages import; each a few per cent below its budget when that was set. */
const entryBudgets = { 'index.js': 51 * kB, 'sim.js': 74 * kB, 'charts/index.js': 61 * kB };

/** An entry as a page's bundler makes it; workers and the module are files of their own. */
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

const problems = [];
for (const [entry, budget] of Object.entries(entryBudgets)) {
  const bytes = await bundledBytes(entry);
  say(`${String(bytes).padStart(8)} B  dist/lib/${entry}, bundled and gzipped (at most ${budget})`);
  if (bytes > budget) problems.push(`The entry ${entry}: ${bytes} B bundled and gzipped; at most ${budget}.`);
}
if (injected > injectedBudget)
  problems.push(`The script for pages of others: ${injected} B gzipped; at most ${injectedBudget}.`);
if (core.length !== 1) problems.push(`dist/app holds ${core.length} WebAssembly modules; expected one.`);
for (const { file, bytes } of core) {
  if (bytes > moduleBudget) problems.push(`${basename(file)}: ${bytes} B gzipped; at most ${moduleBudget}.`);
}
if (papers > papersBudget) problems.push(`The page of papers: ${papers} B gzipped; at most ${papersBudget}.`);
if (total > pageBudget) problems.push(`The page: ${total} B gzipped; at most ${pageBudget}.`);
problems.forEach(say);
process.exitCode = problems.length > 0 ? 1 : 0;
