// Compiles C++ sources to objects: as many at once as there are cores, and only those whose source,
// included headers or command have changed.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

import { root } from './files.mjs';
import { run, say } from './run.mjs';

/** How often a long compilation says how far it is. */
const TELL_MS = 15_000;

/** The files that an object was made from, as the compiler reported them. */
function dependencies(depFile) {
  const rule = readFileSync(depFile, 'utf8').replace(/\\\r?\n/g, ' ');
  return rule
    .slice(rule.indexOf(': ') + 2)
    .split(/(?<!\\)\s+/)
    .filter(Boolean);
}

function isFresh(object, command, inputs) {
  if (![object, `${object}.d`, `${object}.command`].every((file) => existsSync(file))) return false;
  if (readFileSync(`${object}.command`, 'utf8') !== command) return false;
  const made = statSync(object).mtimeMs;
  return [...inputs, ...dependencies(`${object}.d`)].every((file) => {
    const path = resolve(root, file);
    return existsSync(path) && statSync(path).mtimeMs <= made;
  });
}

/**
 * Compiles `source` to `object` unless the object is fresh. `inputs` are further files that the object depends on.
 */
async function compile({ compiler, source, object, flags, inputs = [], options }) {
  const name = relative(root, source);
  const args = [...flags, '-c', name, '-o', object];
  const command = [compiler, ...args].join(' ');
  if (isFresh(object, command, inputs)) return { object, compiled: false };
  mkdirSync(dirname(object), { recursive: true });
  await run(compiler, [...args, '-MMD', '-MF', `${object}.d`], { what: `Compiling ${name}`, ...options });
  writeFileSync(`${object}.command`, command);
  return { object, compiled: true };
}

/**
 * Precompiles a header. Returns flags and inputs for jobs; with these flags, each source includes the header first.
 * Flags that affect the generated code must be the same as those of the jobs: otherwise the compiler reads the header
 * itself, not its precompiled form.
 */
export async function precompile({ compiler, source, folder, flags }) {
  const header = join(folder, relative(root, source));
  // Compilers look for the precompiled form in the header's folder, under the header's name with an extension. Clang
  // also accepts GCC's extension.
  const object = `${header}.gch`;
  await compile({ compiler, source, object, flags: [...flags, '-x', 'c++-header'] });
  if (!existsSync(header)) writeFileSync(header, `#include "${source}"\n`);
  return { flags: ['-include', relative(root, header)], inputs: [object] };
}

/**
 * Compiles every job ({compiler, source, flags, inputs, folder, options}). Returns the objects in the order of the
 * jobs, and whether any object is new. If jobs fail, waits for all jobs, and then throws the first failure.
 */
export async function compileObjects(jobs) {
  const results = [];
  const failures = [];
  const queue = [...jobs.entries()];
  let done = 0;
  const telling = setInterval(() => say(`Compiled ${done} of ${jobs.length} sources …`), TELL_MS);
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, { folder, ...job }] = next;
      try {
        results[index] = await compile({ ...job, object: join(folder, `${relative(root, job.source)}.o`) });
      } catch (error) {
        failures.push(error);
      }
      done++;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  clearInterval(telling);
  if (failures.length > 0) throw failures[0];
  return { objects: results.map(({ object }) => object), changed: results.some(({ compiled }) => compiled) };
}
