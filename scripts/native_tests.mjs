// Compiles the core and tests/native/*_test.cc for this machine, with warnings as errors, under
// AddressSanitizer and UndefinedBehaviorSanitizer, and runs them with GoogleTest.
//
//   node scripts/native_tests.mjs [--gtest_filter=PATTERN …]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { warningFlags } from './build_wasm.mjs';
import { filesUnder, inRoot } from './lib/files.mjs';
import { compileObjects } from './lib/objects.mjs';
import { fail, Problem, run, say, status } from './lib/run.mjs';
import { findCxx, findGoogleTest } from './lib/tools.mjs';

const folder = inRoot('build/native');
const binary = join(folder, 'native_tests');
const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'];

/** Flags of every native build of the core. */
export const commonFlags = ['-std=c++20', '-ffp-contract=off', '-Iwasm', '-I.', ...warningFlags];
const testFlags = [...commonFlags, '-O1', '-g', ...sanitizers];

/** Builds the test binary when something changed, and returns its path. */
export async function buildNativeTests() {
  const compiler = findCxx();
  const prefix = findGoogleTest();
  if (!compiler || !prefix) {
    throw new Problem('A C++ compiler or GoogleTest is missing: run `node scripts/setup.mjs`.');
  }
  const include = prefix === '/usr' ? [] : ['-isystem', join(prefix, 'include')];
  const jobs = (path, extra) =>
    filesUnder([path], (file) => file.endsWith('.cc') && !file.includes('/identity/')).map((source) => ({
      ...{ compiler, source, folder },
      flags: [...testFlags, ...extra],
    }));
  const { objects, changed } = await compileObjects([
    // With run-time type information, unlike the module: UBSan checks the types of objects with it.
    ...jobs('wasm', ['-fno-exceptions']),
    ...jobs('tests/native', include),
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
  return binary;
}

/** Builds and runs the native tests; resolves with the exit code. */
export async function nativeTests(args = []) {
  say('Compiling the native tests …');
  const path = await buildNativeTests();
  return status(path, args, { env: { UBSAN_OPTIONS: 'print_stacktrace=1' } });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await nativeTests(process.argv.slice(2)).catch(fail);
}
