// `npm run build`: the WebAssembly module, the library (dist/lib) and the app (dist/app).
// A step is skipped when nothing that it reads has changed. Types are checked by `npm test`.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildWasm, wasmPath } from './build_wasm.mjs';
import { filesUnder, inRoot, upToDate } from './lib/files.mjs';
import { fail, nodeBin, run, say } from './lib/run.mjs';

const lib = inRoot('dist/lib');
/** Script and style of pages that Node writes: the papers' report, the evidence of a call under test. */
const reportPage = join(lib, 'papers/page');
const evidencePage = join(lib, 'evidence/page');
/** The script that observes calls in pages, beside its sources and in the package. */
const observer = inRoot('src/inject/observer.js');
const packedObserver = join(lib, 'inject/observer.js');
const configuration = ['package.json', 'tsconfig.json', 'scripts/tsconfig.lib.json', 'scripts/build.mjs'];

/** Output of sources that are gone would still be importable: remove it. */
function removeOrphans() {
  for (const file of filesUnder(['dist/lib'], (f) => /\.(js|d\.ts)$/.test(f))) {
    if ([reportPage, evidencePage, packedObserver].some((made) => file.startsWith(made))) continue;
    const source = inRoot('src', relative(lib, file).replace(/(\.d\.ts|\.js)$/, ''));
    if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(file);
  }
}

/** What TypeScript and the documents say of parameters and trace columns follows the module. */
async function generate() {
  const scripts = [
    'scripts/generate_abi.mjs',
    'scripts/generate_schema.mjs',
    'scripts/generate_readme.mjs',
  ].map((script) => inRoot(script));
  const documents = filesUnder(['README.md', 'wasm', 'src/playwright'], (file) => file.endsWith('.md'));
  const inputs = [
    wasmPath,
    ...scripts,
    ...filesUnder([
      'public/scenarios',
      'public/controllers',
      'src/scenario',
      'src/link',
      'wasm/abi/ccscope.h',
    ]),
  ];
  const outputs = [inRoot('src/core/abi.generated.ts'), inRoot('src/core/schema.generated.ts'), ...documents];
  await upToDate('generated', { inputs, outputs }, async () => {
    for (const script of scripts) await run(process.execPath, [script]);
  });
}

async function buildLibrary() {
  const sources = filesUnder(['src'], (f) => /\.tsx?$/.test(f) && !f.startsWith('src/app/'));
  const inputs = [...sources, ...filesUnder(configuration), wasmPath];
  await upToDate('lib', { inputs, outputs: [join(lib, 'command_line/cli.js')] }, async () => {
    say('Building the library …');
    await nodeBin('typescript/bin/tsc', ['-p', 'scripts/tsconfig.lib.json'], {
      what: 'Building the library',
    });
    removeOrphans();
    mkdirSync(join(lib, 'core'), { recursive: true });
    copyFileSync(wasmPath, join(lib, 'core/ccscope.wasm'));
  });
}

/** One script and one style of a page that Node writes, for it to inline. */
async function buildPage(name, from, outDir) {
  const sources = filesUnder([
    from,
    'src/app/standalone',
    'src/calls',
    'src/charts',
    'src/figures',
    'src/scenario',
    'src/trace',
  ]);
  const inputs = [...sources, ...filesUnder([...configuration, 'package-lock.json'])];
  await upToDate(name, { inputs, outputs: [join(outDir, 'script.js')] }, async () => {
    say(`Building the ${name} page …`);
    const entry = inRoot(from, 'main.ts');
    // Here and not above: before the set-up there is no Vite.
    const { build: bundle } = await import('vite');
    await bundle({
      configFile: false,
      root: inRoot(),
      publicDir: false,
      logLevel: 'warn',
      build: {
        outDir,
        target: 'es2022',
        minify: true,
        lib: { entry, formats: ['iife'], name, fileName: () => 'script.js', cssFileName: 'style' },
      },
    });
  });
}

/** One script for pages of any kind, with the script of its worker inside. */
async function buildObserver() {
  const inputs = filesUnder([...configuration, 'package-lock.json', 'src/inject'], (f) => !f.endsWith('.js'));
  await upToDate('observer', { inputs, outputs: [observer, packedObserver] }, async () => {
    say("Building the pages' observer …");
    // Here and not above: before the set-up there is no esbuild.
    const { build: bundle } = await import('esbuild');
    const script = async (entry, options) => {
      const { outputFiles } = await bundle({
        entryPoints: [inRoot('src/inject', entry)],
        bundle: true,
        format: 'iife',
        target: 'es2022',
        minify: true,
        write: false,
        ...options,
      });
      return outputFiles[0].text;
    };
    const FRAME_WORKER_SOURCE = JSON.stringify(await script('frame_worker.ts'));
    const page = await script('page.ts', { define: { FRAME_WORKER_SOURCE }, globalName: 'observer' });
    for (const file of [observer, packedObserver]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, page);
    }
  });
}

async function buildApp() {
  const inputs = filesUnder(['src', 'public', 'vite.config.ts', 'package-lock.json']);
  await upToDate('app', { inputs, outputs: [inRoot('dist/app/index.html')] }, async () => {
    say('Building the app …');
    await nodeBin('vite/bin/vite.js', ['build', '--logLevel', 'warn'], { what: 'Building the app' });
  });
}

/** Brings everything up to date; without `app` only what the command line needs. */
export async function build({ app = true } = {}) {
  await buildWasm();
  await generate();
  await buildLibrary();
  await buildPage('report', 'src/app/report', reportPage);
  await buildPage('evidence', 'src/app/evidence', evidencePage);
  await buildObserver();
  if (app) await buildApp();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build().catch(fail);
