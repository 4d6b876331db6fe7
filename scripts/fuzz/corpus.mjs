// The committed corpora of the native targets: tests/fuzz/corpus/<target>.txt. Each line is one input, as `name
// hex`. Inputs that minimisation chose are named by their hashes. Inputs that once caused a fault are named after
// the fault, and are always kept.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inRoot } from '../lib/files.mjs';
import { Problem, run } from '../lib/run.mjs';
import { fuzzFolder } from './build.mjs';

const fileOf = (target) => inRoot('tests/fuzz/corpus', `${target}.txt`);
/** The folder of the inputs that campaigns found in addition to the committed ones. */
export const grownCorpus = (target) => join(fuzzFolder, 'corpus', target);

/** This many inputs of a corpus are enough, unless more are needed to cover every edge. */
const mostInputs = 120;

const isHash = (name) => /^[0-9a-f]{12}$/.test(name);

/** The inputs of a target: names and bytes. */
function readCorpus(target) {
  if (!existsSync(fileOf(target))) return [];
  const lines = readFileSync(fileOf(target), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [name, hex = ''] = line.split(' ');
    return { name, bytes: Buffer.from(hex, 'hex') };
  });
}

function writeCorpus(target, inputs) {
  mkdirSync(inRoot('tests/fuzz/corpus'), { recursive: true });
  const lines = inputs.map(({ name, bytes }) => `${name} ${bytes.toString('hex')}`.trimEnd()).sort();
  writeFileSync(fileOf(target), `${lines.join('\n')}\n`);
}

function emptied(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes the committed inputs to separate files, as libFuzzer reads them; returns their folder. */
export function unpackCorpus(target) {
  const folder = emptied(join(fuzzFolder, 'seeds', target));
  for (const { name, bytes } of readCorpus(target)) writeFileSync(join(folder, name), bytes);
  return folder;
}

/**
 * Chooses few inputs that together cover as much as all committed inputs and all inputs that campaigns found. With
 * `-use_counters=0`, coverage is the set of edges; otherwise, it also includes how often each edge is executed.
 */
async function cover(binary, target, options) {
  const chosen = emptied(join(fuzzFolder, 'merged', target));
  const grown = grownCorpus(target);
  mkdirSync(grown, { recursive: true });
  await run(binary, ['-set_cover_merge=1', ...options, chosen, grown, unpackCorpus(target)], {
    env: { CCSCOPE_FUZZ_TARGET: target },
    stdio: 'ignore',
    what: `Merging the corpora of ${target}`,
  });
  return readdirSync(chosen).map((file) => {
    const bytes = readFileSync(join(chosen, file));
    return { name: createHash('sha1').update(bytes).digest('hex').slice(0, 12), bytes };
  });
}

/**
 * Builds the committed corpus from all inputs. It takes inputs that together cover every edge. It then adds inputs
 * that differ in how often they execute an edge, until there are `mostInputs`.
 */
export async function mergeCorpus(binary, target) {
  const inputs = new Map();
  for (const options of [['-use_counters=0'], []]) {
    const found = await cover(binary, target, options);
    const isFirst = inputs.size === 0;
    for (const { name, bytes } of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (isFirst || inputs.size < mostInputs) inputs.set(name, bytes);
    }
  }
  const chosen = [...inputs].map(([name, bytes]) => ({ name, bytes }));
  const faults = readCorpus(target).filter(({ name }) => !isHash(name));
  writeCorpus(target, [...chosen, ...faults]);
  return { inputs: chosen.length, faults: faults.length };
}

/** Adds to the committed corpus an input that caused a fault, under a name that describes the fault. */
export function keepFault(target, file, name) {
  if (!/^[a-z][a-z0-9-]*$/.test(name) || isHash(name)) {
    throw new Problem(`--name: expected words of small letters with hyphens between them, not ${name}.`);
  }
  const others = readCorpus(target).filter((input) => input.name !== name);
  writeCorpus(target, [...others, { name, bytes: readFileSync(file) }]);
}
