/** Scripts that run when they are started, and do nothing when they are imported. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { expect, it } from 'vitest';

import { filesUnder, inRoot } from '../../scripts/lib/files.mjs';
import { scratch } from './support.js';

const { path } = scratch();

it('a script knows that it was started, also by a symbolic link to its folder, and that it was imported', () => {
  const helper = pathToFileURL(inRoot('scripts/lib/started.mjs')).href;
  mkdirSync(path('real'));
  symlinkSync(path('real'), path('link'));
  writeFileSync(
    path('real/script.mjs'),
    `import { isStarted } from '${helper}'; console.log(isStarted(import.meta.url));`,
  );
  writeFileSync(path('real/other.mjs'), "import './script.mjs';");
  const said = (...args: string[]): string =>
    execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
  expect(said(path('real/script.mjs'))).toBe('true');
  expect(said(path('link/script.mjs'))).toBe('true');
  expect(said(path('real/other.mjs'))).toBe('false');
  const url = pathToFileURL(path('real/script.mjs')).href;
  expect(said('--input-type=module', '--eval', `await import('${url}')`, 'no-file')).toBe('false');
});

it('no script compares the path that it was started with by itself', () => {
  const scripts = filesUnder(['scripts'], (file) => file.endsWith('.mjs') && !file.endsWith('/started.mjs'));
  const own = scripts.filter((file) => readFileSync(file, 'utf8').includes('process.argv[1] ==='));
  expect(own).toEqual([]);
});
