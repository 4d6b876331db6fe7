// Builds the native fuzz targets, all in one binary, with libFuzzer and UndefinedBehaviorSanitizer. AddressSanitizer
// is left out: it runs when `npm test` replays the corpora. Here, only the assertions of the standard library find
// memory errors.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { filesUnder, inRoot } from '../lib/files.mjs';
import { compileObjects } from '../lib/objects.mjs';
import { Problem, run } from '../lib/run.mjs';
import { findFuzzer } from '../lib/tools.mjs';
import { commonFlags } from '../native_tests.mjs';

/** The folder that campaigns write to; not part of the repository. */
export const fuzzFolder = inRoot('build/fuzz');
const binary = join(fuzzFolder, 'bin/fuzz');

// float-cast-overflow is needed because WebAssembly traps when it converts a number that the integer type cannot
// hold.
const sanitizers = ['-fsanitize=undefined,float-cast-overflow', '-fno-sanitize-recover=all'];
const flags = [...commonFlags, '-O2', '-g1', '-D_GLIBCXX_ASSERTIONS', ...sanitizers];
// Only the core is instrumented. Only edges are traced: tracing comparisons, too, would halve libFuzzer's speed.
const coverage = ['-fsanitize-coverage=inline-8bit-counters,pc-table', '-fno-exceptions'];

const sources = () =>
  filesUnder(['tests/fuzz/native'], (file) => file.endsWith('.cc') && !file.endsWith('_test.cc'));

/** The names of all targets, read from their sources. */
export function targetNames() {
  const names = sources().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^FUZZ_TARGET\((\w+)\)/gm)].map(([, name]) => name),
  );
  return names.sort();
}

/** Builds what has changed; resolves with the path of the binary. */
export async function buildFuzzer() {
  const compiler = findFuzzer();
  if (!compiler) throw new Problem('A clang with libFuzzer is missing: `npm run fuzz` installs it.');
  const folder = join(fuzzFolder, 'objects');
  const jobs = (files, extra) =>
    files.map((source) => ({ compiler, source, folder, flags: [...flags, ...extra] }));
  const core = filesUnder(['wasm'], (file) => file.endsWith('.cc'));
  const { objects, changed } = await compileObjects([...jobs(core, coverage), ...jobs(sources(), [])]);
  const linked = join(fuzzFolder, 'linked.txt');
  const list = objects.join('\n');
  if (!changed && existsSync(binary) && existsSync(linked) && readFileSync(linked, 'utf8') === list)
    return binary;
  mkdirSync(dirname(binary), { recursive: true });
  await run(compiler, ['-fsanitize=fuzzer', ...sanitizers, ...objects, '-o', binary], {
    what: 'Linking the fuzz targets',
  });
  writeFileSync(linked, list);
  return binary;
}
