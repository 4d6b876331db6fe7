// The files of this repository, and a check that every build step begins with: whether its output is up to date.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => join(root, ...parts);

/** All files below the given files or folders (relative to the root) that pass the filter, sorted. */
export function filesUnder(paths, filter = () => true) {
  const found = [];
  for (const path of paths) {
    const full = inRoot(path);
    if (!existsSync(full)) continue;
    if (!statSync(full).isDirectory()) {
      found.push(full);
      continue;
    }
    for (const entry of readdirSync(full, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) found.push(join(entry.parentPath ?? entry.path, entry.name));
    }
  }
  return found.filter((file) => filter(relative(root, file).split(sep).join('/'))).sort();
}

/** A hash that changes when a file of the list is edited, added or removed. */
export function fingerprint(files, ...more) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${relative(root, file)} ${mtimeMs} ${size}\n`);
  }
  for (const text of more) hash.update(`${text}\n`);
  return hash.digest('hex');
}

const stampPath = (name) => inRoot('build/stamps', name);

/** The text that `remember` stored under this name, or undefined. */
export function recall(name) {
  return existsSync(stampPath(name)) ? readFileSync(stampPath(name), 'utf8') : undefined;
}

export function remember(name, text) {
  mkdirSync(dirname(stampPath(name)), { recursive: true });
  writeFileSync(stampPath(name), text);
}

/**
 * Runs `make` unless the outputs exist and nothing in `inputs` has changed since `make` last succeeded. Returns
 * whether `make` ran.
 */
export async function upToDate(name, { inputs, outputs, key = '' }, make) {
  const now = fingerprint(inputs, key);
  if (recall(name) === now && outputs.every((file) => existsSync(file))) return false;
  await make();
  remember(name, now);
  return true;
}
