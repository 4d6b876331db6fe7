// Compiles wasm/ to src/core/ccscope.wasm with Emscripten (3.1.6 or newer).
//
// The module is linked without Emscripten's JavaScript loader: the ABI is flat, so
// src/core/load.ts instantiates the bytes itself, the same way in pages, workers and Node.
//
// A second module contains only the controllers, for the script that observes calls in other people's pages. It is
// also translated to JavaScript, for pages whose policy forbids WebAssembly.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { filesUnder, inRoot, upToDate } from './lib/files.mjs';
import { compileObjects } from './lib/objects.mjs';
import { fail, Problem, run, say } from './lib/run.mjs';
import { isStarted } from './lib/started.mjs';
import { binaryenRoot, emccEnv, emccVersion, findEmcc, isOlder } from './lib/tools.mjs';

export const wasmPath = inRoot('src/core/ccscope.wasm');
/**
 * A separate module that contains the core's schema (parameters, presets and trace columns) as text. Only scripts use
 * this module; it is not shipped.
 */
export const schemaPath = inRoot('build/wasm/schema.wasm');
const schemaSource = inRoot('wasm/abi/schema.cc');
/** A module with the controllers, but without links and simulations. */
export const controllersPath = inRoot('build/wasm/controllers.wasm');
/** The controllers translated to JavaScript: a function that takes the imports and returns the exports. */
export const controllersScriptPath = inRoot('build/wasm/controllers.js');
/**
 * Sources that are left out of the controllers' module. The linker then also drops the code that only these sources
 * use.
 */
const NOT_OF_CONTROLLERS = ['wasm/abi/link_abi.cc', 'wasm/abi/simulation_abi.cc'].map((file) => inRoot(file));

/** The warning flags of the core, both for native builds and for WebAssembly. */
export const warningFlags = ['-Wall', '-Wextra', '-Wconversion', '-Wno-sign-conversion', '-Werror'];

const compileFlags = [
  ...['-Iwasm', '-std=c++20', '-flto', '-fno-exceptions', '-fno-rtti', '-ffp-contract=off'],
  ...[...warningFlags, '-DNDEBUG'],
];
// The ABI only sets up objects and reads results, so it is optimised for size. Code that runs for each packet is
// compiled with -O2, since -O3 makes it larger but not faster. Folders off the hot path are compiled without
// loop unrolling and with less inlining, which does not make them slower.
const frugal = ['-O2', '-fno-unroll-loops', '-mllvm', '-inline-threshold=20'];
const optimisations = {
  abi: ['-Oz'],
  'sim/live': frugal,
  'cc/gcc/live': frugal,
  'cc/live': frugal,
  'cc/lcc': frugal,
  'cc/nada': frugal,
  'sim/queue_disc': frugal,
  'sim/tcp': frugal,
  units: frugal,
};
const optimisation = (source) => {
  const room = relative(inRoot('wasm'), dirname(source)).replaceAll('\\', '/');
  return optimisations[room] ?? ['-O2'];
};
const linkFlags = [
  ...['-O3', '-flto', '-sSTANDALONE_WASM', '--no-entry', '-sALLOW_MEMORY_GROWTH', '-sFILESYSTEM=0'],
  // Nothing is allocated per packet, so the smaller allocator and less inlining across files cost no time.
  ...['-sINITIAL_MEMORY=1048576', '-sMALLOC=emmalloc', '-Wl,-mllvm,-inline-threshold=30'],
  // The functions that the host supplies are undefined when the module is linked, so undefined symbols are
  // allowed. After linking, checkImports() refuses all other undefined symbols.
  ...['-sERROR_ON_UNDEFINED_SYMBOLS=0', '-sWARN_ON_UNDEFINED_SYMBOLS=0'],
];

/** All imports that src/core/load.ts expects. */
const knownImports = [
  ...['ccscope.user', 'env.emscripten_notify_memory_growth'],
  'wasi_snapshot_preview1.proc_exit', // referred to by Emscripten's start-up code, but never called
];

/**
 * Refuses unknown imports: a symbol that is defined nowhere would become an import, and fail only when it is
 * called.
 */
function checkImports(file) {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file)));
  const strange = imports
    .map(({ module, name }) => `${module}.${name}`)
    .filter((name) => !knownImports.includes(name));
  if (strange.length > 0) throw new Problem(`Linking: undefined ${strange.join(', ')}.`);
}

async function compileAndLink() {
  const emcc = findEmcc();
  if (!emcc) throw new Problem('Emscripten (emcc) is missing: run `node scripts/setup.mjs`.');
  const options = { env: emccEnv(), shell: process.platform === 'win32' };
  const folder = inRoot('build/wasm');
  const sources = filesUnder(['wasm'], (file) => file.endsWith('.cc'));
  const { objects } = await compileObjects(
    sources.map((source) => ({
      ...{ compiler: emcc, source, folder, options },
      flags: [...compileFlags, ...optimisation(source)],
    })),
  );
  // Before version 3.1.25, the setting had another name.
  const stackSize = isOlder(emccVersion(emcc), [3, 1, 25]) ? '-sTOTAL_STACK' : '-sSTACK_SIZE';
  const link = async (linked, target) => {
    // The module is linked under another name and then moved into place, so that an incomplete module is never loaded.
    const built = join(folder, 'linked.wasm');
    const args = [...linked, ...linkFlags, `${stackSize}=262144`, '-o', built];
    await run(emcc, args, { what: `Linking ${basename(target)}`, ...options });
    checkImports(built);
    renameSync(built, target);
  };
  const schema = objects[sources.indexOf(schemaSource)];
  await link([schema], schemaPath);
  await link(
    objects.filter((object) => object !== schema),
    wasmPath,
  );
  await link(
    objects.filter((object, i) => object !== schema && !NOT_OF_CONTROLLERS.includes(sources[i])),
    controllersPath,
  );
  await translate(emcc, options);
}

/**
 * Translates the controllers' module to JavaScript. Binaryen's wasm2js writes an ES module with import and export
 * statements. The loader needs a function that takes the imports, so the statements are rewritten.
 */
async function translate(emcc, options) {
  const translated = join(dirname(controllersScriptPath), 'translated.js');
  const tool = join(binaryenRoot(emcc), 'bin', process.platform === 'win32' ? 'wasm2js.exe' : 'wasm2js');
  await run(tool, ['-O3', controllersPath, '-o', translated], {
    what: 'Translating the controllers',
    ...options,
  });
  const lines = readFileSync(translated, 'utf8').split('\n');
  const names = (pattern) => lines.flatMap((line) => pattern.exec(line)?.slice(1) ?? []);
  const imports = names(/^import \{ (\w+) \} from/);
  const exported = names(/^export var (\w+) =/);
  const body = lines.filter((line) => !/^(import|export) /.test(line)).join('\n');
  if (exported.length === 0 || !body.includes('retasmFunc'))
    throw new Problem('wasm2js wrote an unknown form.');
  writeFileSync(
    controllersScriptPath,
    `export default function instantiate({ ${imports.join(', ')} }) {\n${body}\nreturn retasmFunc;\n}\n`,
  );
}

/** Builds the modules if a source or the compiler has changed. */
export async function buildWasm() {
  const inputs = [...filesUnder(['wasm'], (f) => /\.(cc|h|def)$/.test(f)), fileURLToPath(import.meta.url)];
  await upToDate(
    'wasm',
    {
      inputs,
      outputs: [wasmPath, schemaPath, controllersPath, controllersScriptPath],
      key: findEmcc() ?? '',
    },
    async () => {
      say('Compiling the core to WebAssembly …');
      await compileAndLink();
      const [bytes, gzipped] = [statSync(wasmPath).size, gzipSync(readFileSync(wasmPath)).length];
      say(`src/core/ccscope.wasm: ${bytes} B, ${gzipped} B gzipped`);
    },
  );
}

if (isStarted(import.meta.url)) await buildWasm().catch(fail);
