// Compiles the native tests for this machine, and runs them with GoogleTest: the core, tests/native/*_test.cc, and
// the fuzz targets with a test that replays their corpora. Warnings are errors. AddressSanitizer and
// UndefinedBehaviorSanitizer are on.
//
//   node scripts/native_tests.mjs [--gtest_filter=PATTERN …]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { warningFlags } from './build_wasm.mjs';
import { filesUnder, inRoot } from './lib/files.mjs';
import { compileObjects, precompile } from './lib/objects.mjs';
import { fail, Problem, run, say, status } from './lib/run.mjs';
import { isStarted } from './lib/started.mjs';
import { findCxx, findGoogleTest } from './lib/tools.mjs';

const folder = inRoot('build/native');
const binary = join(folder, 'native_tests');
// float-cast-overflow is needed because WebAssembly traps when it converts a number that the integer type cannot
// hold.
const sanitizers = [
  '-fsanitize=address,undefined,float-cast-overflow',
  ...['-fno-sanitize-recover=all', '-fno-omit-frame-pointer'],
];

/** Flags of every native build of the core. */
export const commonFlags = ['-std=c++20', '-ffp-contract=off', '-Iwasm', '-I.', ...warningFlags];
/** -g1 is the lowest debug level at which sanitizers name functions and lines. */
const sanitized = [...commonFlags, '-g1', ...sanitizers];

/** Builds the test binary if something has changed. */
export async function buildNativeTests() {
  say('Compiling the native tests …');
  const compiler = findCxx();
  const prefix = findGoogleTest();
  if (!compiler || !prefix) {
    throw new Problem('A C++ compiler or GoogleTest is missing: run `node scripts/setup.mjs`.');
  }
  const include = prefix === '/usr' ? [] : ['-isystem', join(prefix, 'include')];
  // Tests are not optimised, because each test runs only once, and unoptimised code compiles much faster.
  const testFlags = [...sanitized, '-O0', ...include];
  const header = inRoot('tests/native/precompiled.h');
  const precompiled = await precompile({ compiler, source: header, folder, flags: testFlags });
  const isPart = (file) => file.endsWith('.cc') && !/\/identity\/|libfuzzer_main/.test(file);
  const jobs = (path, job) =>
    filesUnder([path], isPart).map((source) => ({ ...{ compiler, source, folder }, ...job }));
  const { objects, changed } = await compileObjects([
    ...jobs('tests/native', { ...precompiled, flags: [...precompiled.flags, ...testFlags] }),
    // Unlike the module, this build has run-time type information: UBSan checks the types of objects with it.
    ...jobs('wasm', { flags: [...sanitized, '-O1', '-fno-exceptions'] }),
    // Optimised, since the corpora of these targets contain about a thousand inputs.
    ...jobs('tests/fuzz/native', { flags: [...sanitized, '-O1', ...include] }),
  ]);

  const linked = join(folder, 'linked.txt');
  const isLinked =
    existsSync(binary) && existsSync(linked) && readFileSync(linked, 'utf8') === objects.join('\n');
  if (changed || !isLinked) {
    const libraries = [`-L${join(prefix, 'lib')}`, '-lgtest_main', '-lgtest', '-pthread'];
    await run(compiler, [...sanitizers, ...objects, ...libraries, '-o', binary], {
      what: 'Linking the native tests',
    });
    writeFileSync(linked, objects.join('\n'));
  }
}

/** Runs the built native tests; resolves with the exit code. */
export const runNativeTests = (args, env = {}) =>
  status(binary, args, { env: { UBSAN_OPTIONS: 'print_stacktrace=1', ...env } });

async function main() {
  await buildNativeTests();
  process.exitCode = await runNativeTests(process.argv.slice(2));
}

if (isStarted(import.meta.url)) await main().catch(fail);
