// `npm run build:extension`: builds the browser extension. dist/extension/chrome and dist/extension/firefox contain
// it unpacked; the zip files are for upload to the browsers' stores.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

import { build, frameWorker, viewBundle, viewSources } from './build.mjs';
import { controllersPath, controllersScriptPath } from './build_wasm.mjs';
import { BROWSERS, ICON_SIZES, manifestFor } from './extension/manifest.mjs';
import { filesUnder, inRoot, upToDate } from './lib/files.mjs';
import { fail, say } from './lib/run.mjs';
import { isStarted } from './lib/started.mjs';

const source = 'src/extension';
const outDir = inRoot('dist/extension');
const archive = (browser) => `${outDir}/ccscope-${browser}.zip`;

/**
 * Content scripts and the background script are classic scripts; the scripts of the extension's pages and of their
 * worker are modules.
 */
const classic = ['background', 'bridge', 'page'];
const modules = ['devtools', 'panel', 'sites_page', 'watch_worker'];

async function bundle(names, format) {
  // Imported here and not above, since esbuild is not installed until setup.mjs has run.
  const { build: esbuild } = await import('esbuild');
  const { outputFiles } = await esbuild({
    entryPoints: names.map((name) => {
      const isIt = (path) =>
        [source, 'src/overlay'].some((room) => path.replace(/\.tsx?$/, '') === `${room}/${name}`);
      const [file] = filesUnder([source, 'src/overlay'], isIt);
      return { in: file, out: name };
    }),
    ...viewBundle,
    format,
    write: false,
    outdir: outDir,
    define: { FRAME_WORKER_SOURCE: JSON.stringify(await frameWorker(esbuild)), 'import.meta.url': '""' },
  });
  return outputFiles.map(({ path, contents }) => [basename(path), contents]);
}

/** The zip file of a folder; the same contents always give the same bytes. */
async function zip(folder) {
  const { zipSync } = await import('fflate');
  const files = filesUnder([relative(inRoot(), folder)]).map((file) => [
    relative(folder, file).replaceAll('\\', '/'),
    readFileSync(file),
  ]);
  return zipSync(Object.fromEntries(files), { level: 9, mtime: new Date(1980, 0, 1) });
}

/** Brings the extension up to date. */
export async function buildExtension() {
  await build({ app: false });
  const sources = viewSources('extension');
  const scripts = filesUnder([
    'scripts/build.mjs',
    'scripts/build_extension.mjs',
    'scripts/extension',
    'package.json',
    'package-lock.json',
  ]);
  const inputs = [...sources, ...scripts, controllersPath, controllersScriptPath];
  await upToDate('extension', { inputs, outputs: BROWSERS.map(archive) }, async () => {
    say('Building the browser extension …');
    const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
    const bundles = [...(await bundle(classic, 'iife')), ...(await bundle(modules, 'esm'))];
    const sheets = ['src/boards/style.css', 'src/overlay/style.css', `${source}/pages/style.css`];
    for (const browser of BROWSERS) {
      const folder = join(outDir, browser);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, 'icons'), { recursive: true });
      cpSync(inRoot(source, 'pages'), folder, { recursive: true });
      for (const size of ICON_SIZES)
        cpSync(inRoot(source, `icons/${size}.png`), join(folder, `icons/${size}.png`));
      for (const [name, contents] of bundles) writeFileSync(join(folder, name), contents);
      const style = sheets.map((file) => readFileSync(inRoot(file), 'utf8')).join('\n');
      writeFileSync(join(folder, 'style.css'), style);
      writeFileSync(
        join(folder, 'manifest.json'),
        `${JSON.stringify(manifestFor(browser, version), null, 2)}\n`,
      );
      writeFileSync(archive(browser), await zip(folder));
    }
  });
}

if (isStarted(import.meta.url)) await buildExtension().catch(fail);
