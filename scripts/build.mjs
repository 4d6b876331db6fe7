// `npm run build`: the WebAssembly module, the library (dist/lib), the app (dist/app) and the documentation
// (dist/docs). A step is skipped when nothing that it reads has changed. Types are checked by `npm test`.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { deflateRawSync } from 'node:zlib';

import { buildWasm, controllersPath, controllersScriptPath, wasmPath } from './build_wasm.mjs';
import { filesUnder, inRoot, upToDate } from './lib/files.mjs';
import { fail, nodeBin, run, say } from './lib/run.mjs';
import { importLessons } from './lib/sources.mjs';
import { smaller } from './lib/smaller.mjs';
import { isStarted } from './lib/started.mjs';

const lib = inRoot('dist/lib');
/**
 * The script and the style sheet of the pages that Node writes: the report on the papers' experiments, and the
 * evidence of a call under test.
 */
const reportPage = join(lib, 'papers/page');
const evidencePage = join(lib, 'evidence/page');
/**
 * The script that observes the calls of a page. One copy is written next to its sources, another into the
 * package.
 */
const observer = inRoot('src/inject/observer.js');
const packedObserver = join(lib, 'inject/observer.js');
/**
 * The script that users put into other people's pages: it contains the observer, the analysis of the calls, and the
 * overlay.
 */
const injected = join(lib, 'inject/ccscope.js');
/** The same script as a bookmarklet (a `javascript:` URL). */
const bookmarklet = join(lib, 'inject/bookmarklet.txt');
/** The page that shows the calls of another browser. */
const viewPage = join(lib, 'view');
/**
 * The `<ccscope-view>` element, which any page can use, and the files that it loads: its workers, the WebAssembly
 * module and the shipped scenarios.
 */
export const embedded = join(lib, 'embed');
/** The files and folders ("rooms") that contain documents. */
export const documentRooms = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'wasm',
  'src',
  'public',
  'tests',
];
/**
 * The folders of src/ that the views are built from. A view shows the calls of other people's pages, in an overlay
 * or in a separate page.
 */
const viewRooms = [
  'boards',
  'calls',
  'charts',
  'core',
  'inject',
  'judge',
  'machine',
  'overlay',
  'text',
  'trace',
  'watch',
  'worker',
];
/** The script of the frame worker. */
const frameWorkerEntry = 'src/inject/frame_worker.ts';
/** The scripts for pages: the entry of each, by its name, and the folders of src/ with all of their sources. */
export const bundles = {
  report: {
    entries: { script: 'src/app/report/main.ts' },
    rooms: ['app/report', 'app/standalone', 'charts', 'figures'],
  },
  evidence: {
    entries: { script: 'src/app/evidence/main.ts' },
    rooms: ['app/evidence', 'app/standalone', 'boards', 'charts', 'trace'],
  },
  observer: {
    entries: { page: 'src/inject/page.ts', frame_worker: frameWorkerEntry },
    rooms: ['inject', 'machine'],
  },
  injected: { entries: { main: 'src/overlay/main.ts', frame_worker: frameWorkerEntry }, rooms: viewRooms },
  view: {
    entries: { main: 'src/view/main.tsx', watch_worker: 'src/overlay/watch_worker.ts' },
    rooms: [...viewRooms, 'view'],
  },
  embedded: {
    entries: {
      'ccscope-view': 'src/embed/ccscope_view.ts',
      simulation_worker: 'src/worker/simulation/simulation_worker.ts',
      traces_worker: 'src/worker/trace/traces_worker.ts',
    },
    rooms: [
      'boards',
      'calls',
      'charts',
      'core',
      'embed',
      'judge',
      'link',
      'reasons',
      'runs',
      'scenario',
      'text',
      'trace',
      'worker',
    ],
  },
};
/** The files and folders that the app is built from. */
export const appSources = [
  'src',
  'public',
  'vite.config.ts',
  'scripts/lib/smaller.mjs',
  'package.json',
  'package-lock.json',
];

/** All files in these folders of src/, without those that the build writes into them. */
const sourcesIn = (rooms) =>
  filesUnder(
    rooms.map((room) => `src/${room}`),
    (file) => file !== 'src/inject/observer.js',
  );

/** The entries of a bundle, as the bundler takes them. */
const entryPoints = (name) =>
  Object.entries(bundles[name].entries).map(([out, file]) => ({ in: inRoot(file), out }));

/** The source files of a bundle. */
export const sourcesOf = (name) => sourcesIn(bundles[name].rooms);

/** All source files of the views, and all files in those folders of src/ that `more` names. */
export const viewSources = (...more) => sourcesIn([...viewRooms, ...more]);

const configuration = [
  'package.json',
  'tsconfig.json',
  'scripts/tsconfig.lib.json',
  'scripts/build.mjs',
  'scripts/lib/smaller.mjs',
];

/** Removes outputs whose sources no longer exist, since such outputs could still be imported. */
function removeOrphans() {
  for (const file of filesUnder(['dist/lib'], (f) => /\.(js|d\.ts)$/.test(f))) {
    if (
      [reportPage, evidencePage, packedObserver, injected, viewPage, embedded].some((made) =>
        file.startsWith(made),
      )
    )
      continue;
    const source = inRoot('src', relative(lib, file).replace(/(\.d\.ts|\.js)$/, ''));
    if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(file);
  }
}

/**
 * Generates TypeScript sources, and tables in documents, from declarations such as those of the module's parameters
 * and trace columns.
 */
async function generate() {
  const scripts = [
    'scripts/generate_abi.mjs',
    'scripts/generate_schema.mjs',
    'scripts/generate_readme.mjs',
  ].map((script) => inRoot(script));
  const documents = filesUnder(documentRooms, (file) => file.endsWith('.md'));
  const inputs = [
    wasmPath,
    ...scripts,
    ...filesUnder([
      'public/scenarios',
      'public/controllers',
      'src/scenario',
      'src/link',
      'src/command_line',
      'src/app/lessons',
      'wasm/abi/ccscope.h',
    ]),
  ];
  const outputs = [inRoot('src/core/abi.generated.ts'), inRoot('src/core/schema.generated.ts'), ...documents];
  await upToDate('generated', { inputs, outputs }, async () => {
    for (const script of scripts) await run(process.execPath, [script]);
  });
}

async function buildLibrary() {
  const sources = filesUnder(
    ['src'],
    (f) => /\.tsx?$/.test(f) && !/^src\/(app|boards|embed\/(?!public)|extension|overlay|runs|view)\//.test(f),
  );
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

/** Builds one script and one style sheet. Node inlines both in each page that it writes. */
async function buildPage(name, outDir) {
  const inputs = [...sourcesOf(name), ...filesUnder([...configuration, 'package-lock.json'])];
  await upToDate(name, { inputs, outputs: [join(outDir, 'script.js')] }, async () => {
    say(`Building the ${name} page …`);
    const entry = inRoot(bundles[name].entries.script);
    // Imported here and not above, since Vite is not installed until setup.mjs has run.
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

/** Builds the observer: a single script for any page. The script of its worker is embedded in it. */
async function buildObserver() {
  const inputs = [...filesUnder([...configuration, 'package-lock.json']), ...sourcesOf('observer')];
  await upToDate('observer', { inputs, outputs: [observer, packedObserver] }, async () => {
    say("Building the pages' observer …");
    // Imported here and not above, since esbuild is not installed until setup.mjs has run.
    const { build: bundle } = await import('esbuild');
    const { outputFiles } = await bundle({
      entryPoints: [inRoot(bundles.observer.entries.page)],
      bundle: true,
      format: 'iife',
      target: 'es2022',
      minify: true,
      write: false,
      define: { FRAME_WORKER_SOURCE: JSON.stringify(await frameWorker(bundle)) },
      globalName: 'observer',
    });
    const page = outputFiles[0].text;
    for (const file of [observer, packedObserver]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, page);
    }
  });
}

/**
 * Builds the script for other people's pages. The script starts its workers from its own source text, so they run
 * the same script.
 */
async function buildInjected() {
  const inputs = [
    ...filesUnder([...configuration, 'package-lock.json']),
    ...sourcesOf('injected'),
    controllersPath,
    controllersScriptPath,
  ];
  await upToDate('injected', { inputs, outputs: [injected] }, async () => {
    say('Building the script for pages of others …');
    const { build: bundle } = await import('esbuild');
    const { outputFiles } = await bundle({
      entryPoints: [inRoot(bundles.injected.entries.main)],
      ...viewBundle,
      format: 'esm',
      write: false,
      define: { FRAME_WORKER_SOURCE: JSON.stringify(await frameWorker(bundle)), 'import.meta.url': '""' },
    });
    // The script is a function, which can read its own source text and start its workers from it. So the file does not
    // have to contain the script twice.
    const module = await smaller(outputFiles[0].text);
    const script = `(function ccscope(){const CCSCOPE_SOURCE=\`(\${ccscope})()\`;${module}\n})();\n`;
    mkdirSync(dirname(injected), { recursive: true });
    writeFileSync(injected, script);
    // Escapes only characters that a URL may not contain, or that have a special meaning in it. Escaping all
    // characters would double the length.
    const escaped = script.replace(/[%#\s"<>^`{|}\u0080-\uffff]/gu, encodeURIComponent);
    writeFileSync(bookmarklet, `javascript:${escaped}\n`);
  });
}

/** Builds the page that `ccscope attach` serves, with its worker script and its style sheet. */
async function buildView() {
  const inputs = [
    ...filesUnder([...configuration, 'package-lock.json']),
    ...sourcesOf('view'),
    controllersPath,
    controllersScriptPath,
  ];
  await upToDate('view', { inputs, outputs: [join(viewPage, 'main.js')] }, async () => {
    say("Building the view on other browsers' calls …");
    const { build: bundle } = await import('esbuild');
    await bundle({
      entryPoints: entryPoints('view'),
      outdir: viewPage,
      ...viewBundle,
      format: 'esm',
      define: { FRAME_WORKER_SOURCE: '""', 'import.meta.url': '""' },
    });
    const sheets = ['boards', 'overlay', 'view'].map((room) => `src/${room}/style.css`);
    writeFileSync(join(viewPage, 'style.css'), await minifiedStyle(sheets));
    copyFileSync(inRoot('src/view/index.html'), join(viewPage, 'index.html'));
  });
}

/**
 * Builds the element `<ccscope-view>`: one script, the scripts of its workers, and the scenarios that a page
 * can select by id.
 */
async function buildEmbedded() {
  const inputs = [
    ...filesUnder([...configuration, 'package-lock.json', 'public/scenarios', 'src/app/lessons']),
    ...sourcesOf('embedded'),
    wasmPath,
  ];
  await upToDate('embedded', { inputs, outputs: [join(embedded, 'ccscope-view.js')] }, async () => {
    say('Building the element for pages …');
    const { build: bundle } = await import('esbuild');
    const { outputFiles } = await bundle({
      entryPoints: entryPoints('embedded'),
      outdir: embedded,
      ...viewBundle,
      plugins: [{ name: 'ccscope-embedded-files', setup: embeddedFiles }],
      format: 'esm',
      write: false,
    });
    mkdirSync(embedded, { recursive: true });
    for (const { path, text } of outputFiles) writeFileSync(path, await smaller(text));
    writeFileSync(join(embedded, 'scenarios.js'), `export default ${JSON.stringify(await scenarios())};\n`);
    copyFileSync(wasmPath, join(embedded, 'ccscope.wasm'));
  });
}

/**
 * Resolves imports of `ccscope:…` in the element's script. The scenarios stay in a separate file next to the
 * script. The style becomes a string in the script.
 */
function embeddedFiles(build) {
  build.onResolve({ filter: /^ccscope:scenarios$/ }, () => ({ path: './scenarios.js', external: true }));
  build.onResolve({ filter: /^ccscope:view.css$/ }, ({ path }) => ({ path, namespace: 'style' }));
  build.onLoad({ filter: /.*/, namespace: 'style' }, async () => ({
    contents: await minifiedStyle(['src/boards/style.css', 'src/boards/marks.css', 'src/embed/style.css']),
    loader: 'text',
  }));
}

/**
 * The fields of a scenario that describe what a paper published. The element does not show them, and they make up most
 * of a scenario's text.
 */
const PUBLISHED = ['expectations', 'claims', 'notes', 'pictures', 'decided_after_results'];

/** The scenarios of the registry (public/scenarios) and of the lessons, by id, without the fields in PUBLISHED. */
async function scenarios() {
  const listed = filesUnder(['public/scenarios']).map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const all = [...listed, ...(await importLessons()).map(({ scenario }) => scenario)];
  const shown = (scenario) =>
    Object.fromEntries(Object.entries(scenario).filter(([field]) => !PUBLISHED.includes(field)));
  return Object.fromEntries(all.map((scenario) => [scenario.id, shown(scenario)]));
}

async function minifiedStyle(files) {
  const { transform } = await import('esbuild');
  const sheets = files.map((file) => readFileSync(inRoot(file), 'utf8'));
  return (await transform(sheets.join('\n'), { loader: 'css', minify: true })).code;
}

/**
 * Resolves imports of `ccscope:…` to files that the build has made. The bundler puts these files into the script.
 */
export const madeFiles = {
  name: 'ccscope-made-files',
  setup(build) {
    const files = {
      'ccscope:controllers.wasm': { path: controllersPath, loader: 'base64', pack: deflateRawSync },
      'ccscope:controllers.js': { path: controllersScriptPath, loader: 'js', pack: (bytes) => bytes },
    };
    build.onResolve({ filter: /^ccscope:/ }, ({ path }) => ({ path, namespace: 'made' }));
    build.onLoad({ filter: /^ccscope:controllers/, namespace: 'made' }, ({ path }) => ({
      contents: files[path].pack(readFileSync(files[path].path), { level: 9 }),
      loader: files[path].loader,
    }));
    build.onLoad({ filter: /^ccscope:style/, namespace: 'made' }, async () => ({
      contents: await minifiedStyle(['src/boards/style.css', 'src/overlay/style.css']),
      loader: 'text',
    }));
  },
};

/** The bundler's options for the scripts of all views. */
export const viewBundle = {
  bundle: true,
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [madeFiles],
};

/** Bundles the script of the frame worker, which receives the frames of a page's calls. */
export async function frameWorker(bundle) {
  const { outputFiles } = await bundle({
    entryPoints: [inRoot(frameWorkerEntry)],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    write: false,
  });
  return outputFiles[0].text;
}

async function buildApp() {
  const inputs = filesUnder(appSources);
  await upToDate('app', { inputs, outputs: [inRoot('dist/app/index.html')] }, async () => {
    say('Building the app …');
    await nodeBin('vite/bin/vite.js', ['build', '--logLevel', 'warn'], { what: 'Building the app' });
  });
}

/**
 * Brings everything up to date, except the documentation and the browser extension. With `app: false`, also leaves out
 * the app.
 */
export async function build({ app = true } = {}) {
  await buildWasm();
  await generate();
  await buildLibrary();
  await buildPage('report', reportPage);
  await buildPage('evidence', evidencePage);
  await buildObserver();
  await buildInjected();
  await buildView();
  await buildEmbedded();
  if (app) await buildApp();
}

/** The whole build, with the documentation. */
async function buildAll() {
  await build();
  const { buildDocs } = await import('./build_docs.mjs');
  await buildDocs();
}

if (isStarted(import.meta.url)) await buildAll().catch(fail);
