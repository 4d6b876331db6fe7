// `npm run build:docs`: the documentation as a site (dist/docs), which the local server shows at /docs/. TypeDoc
// writes the API reference as Markdown. VitePress turns the reference and the documents into pages, with one search
// index for all pages.
import { existsSync, rmSync } from 'node:fs';

import { build, documentRooms } from './build.mjs';
import { filesUnder, inRoot, upToDate } from './lib/files.mjs';
import { fail, nodeBin, say } from './lib/run.mjs';
import { isStarted } from './lib/started.mjs';

const site = inRoot('dist/docs/index.html');
const reference = inRoot('build/docs/api/README.md');

async function buildReference() {
  const sources = filesUnder(['src'], (file) => file.endsWith('.ts') && !file.startsWith('src/app/'));
  const inputs = [
    ...sources,
    ...filesUnder(['scripts/docs/typedoc.json', 'tsconfig.json', 'package-lock.json']),
  ];
  await upToDate('api', { inputs, outputs: [reference] }, async () => {
    say('Building the API reference …');
    rmSync(inRoot('build/docs/api'), { recursive: true, force: true });
    const options = ['--options', inRoot('scripts/docs/typedoc.json'), '--logLevel', 'Warn'];
    await nodeBin('typedoc/bin/typedoc', options, { what: 'Building the API reference' });
  });
}

async function buildSite() {
  const documents = filesUnder(documentRooms, (file) => /\.(md|png)$/.test(file));
  const inputs = [
    ...documents,
    ...filesUnder(['build/docs/api', 'dist/lib/embed', 'scripts/docs', 'CITATION.cff', 'package-lock.json']),
  ];
  await upToDate('docs', { inputs, outputs: [site], key: process.env.DOCS_BASE }, async () => {
    say('Building the documentation …');
    await nodeBin('vitepress/bin/vitepress.js', ['build', inRoot('scripts/docs')], {
      what: 'Building the documentation',
    });
  });
}

/** With `onlyOnce`, an existing site is not rebuilt. */
export async function buildDocs({ onlyOnce = false } = {}) {
  if (onlyOnce && existsSync(site)) return;
  await buildReference();
  await buildSite();
}

/**
 * Builds the documentation without the app. The library is built first, because its element `<ccscope-view>`
 * draws the live figures.
 */
async function buildAlone() {
  await build({ app: false });
  await buildDocs();
}

if (isStarted(import.meta.url)) await buildAlone().catch(fail);
