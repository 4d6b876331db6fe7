// Compiles C++ sources to objects: as many at once as there are cores, and only those whose source,
// included headers or command have changed.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

import { root } from './files.mjs';
import { run } from './run.mjs';

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

async function compile({ compiler, source, flags, folder, options }) {
  const name = relative(root, source);
  const object = join(folder, `${name}.o`);
  const args = [...flags, '-c', name, '-o', object];
  const command = [compiler, ...args].join(' ');
  if (isFresh(object, command)) return { object, compiled: false };
  mkdirSync(dirname(object), { recursive: true });
  await run(compiler, [...args, '-MMD', '-MF', `${object}.d`], { what: `Compiling ${name}`, ...options });
  writeFileSync(`${object}.command`, command);
  return { object, compiled: true };
}

/**
 * Compiles every job ({compiler, source, flags, folder, options}); returns the objects in order and
 * whether any is new. Throws the first failure after all have ended.
 */
export async function compileObjects(jobs) {
  const results = [];
  const failures = [];
  const queue = [...jobs.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, job] = next;
      try {
        results[index] = await compile(job);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (failures.length > 0) throw failures[0];
  return { objects: results.map(({ object }) => object), changed: results.some(({ compiled }) => compiled) };
}
