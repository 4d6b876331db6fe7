// Compiles the core and tests/native/*_test.cc for this machine, with warnings as errors, under
// AddressSanitizer and UndefinedBehaviorSanitizer, and runs them with GoogleTest.
//
//   node scripts/native_tests.mjs [--gtest_filter=PATTERN …]
//
// An object is compiled again when its source, a header that it includes or a flag has changed.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { warningFlags } from './build_wasm.mjs';
import { filesUnder, inRoot, root } from './lib/files.mjs';
import { fail, Problem, run, say, status } from './lib/run.mjs';
import { findCxx, findGoogleTest } from './lib/tools.mjs';

const buildDir = inRoot('build/native');
const binary = join(buildDir, 'native_tests');
const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'];
const flags = [
  '-std=c++20',
  '-O1',
  '-g',
  '-ffp-contract=off',
  '-Iwasm',
  '-I.',
  ...warningFlags,
  ...sanitizers,
];
const coreFlags = ['-fno-exceptions', '-fno-rtti'];

/** The files that the compiler said an object was made from. */
function dependencies(depFile) {
  const rule = readFileSync(depFile, 'utf8').replace(/\\\r?\n/g, ' ');
  return rule
    .slice(rule.indexOf(': ') + 2)
    .split(/(?<!\\)\s+/)
    .filter(Boolean);
}

function isFresh(object, command) {
  if (![object, `${object}.d`, `${object}.command`].every((file) => existsSync(file))) return false;
  if (readFileSync(`${object}.command`, 'utf8') !== command) return false;
  const made = statSync(object).mtimeMs;
  return dependencies(`${object}.d`).every((file) => {
    const path = resolve(root, file);
    return existsSync(path) && statSync(path).mtimeMs <= made;
  });
}

async function compile(compiler, source, extraFlags) {
  const object = join(buildDir, `${relative(root, source)}.o`);
  const args = [...flags, ...extraFlags, '-c', relative(root, source), '-o', object];
  const command = [compiler, ...args].join(' ');
  if (isFresh(object, command)) return { object, compiled: false };
  mkdirSync(dirname(object), { recursive: true });
  await run(compiler, [...args, '-MMD', '-MF', `${object}.d`], {
    what: `Compiling ${relative(root, source)}`,
  });
  writeFileSync(`${object}.command`, command);
  return { object, compiled: true };
}

/** Runs the jobs, as many at once as there are cores; throws the first failure after all have ended. */
async function inParallel(jobs) {
  const results = [];
  const failures = [];
  const queue = [...jobs.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, job] = next;
      await job().then(
        (result) => (results[index] = result),
        (error) => failures.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** Builds the test binary when something changed, and returns its path. */
export async function buildNativeTests() {
  const compiler = findCxx();
  const prefix = findGoogleTest();
  if (!compiler || !prefix)
    throw new Problem('A C++ compiler or GoogleTest is missing: run `node scripts/setup.mjs`.');
  const include = prefix === '/usr' ? [] : ['-isystem', join(prefix, 'include')];
  const core = filesUnder(['wasm'], (file) => file.endsWith('.cc'));
  const tests = filesUnder(['tests/native'], (file) => file.endsWith('.cc'));
  const objects = await inParallel([
    ...core.map((source) => () => compile(compiler, source, coreFlags)),
    ...tests.map((source) => () => compile(compiler, source, include)),
  ]);
  const paths = objects.map(({ object }) => object);
  const linkCommand = paths.join('\n');
  const linked = join(buildDir, 'linked.txt');
  const isLinked = existsSync(binary) && existsSync(linked) && readFileSync(linked, 'utf8') === linkCommand;
  if (!isLinked || objects.some(({ compiled }) => compiled)) {
    const libraries = [`-L${join(prefix, 'lib')}`, '-lgtest_main', '-lgtest', '-pthread'];
    await run(compiler, [...sanitizers, ...paths, ...libraries, '-o', binary], {
      what: 'Linking the native tests',
    });
    writeFileSync(linked, linkCommand);
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
