// Runs other programs. The scripts write all their messages to standard error: standard output of `npm run ccscope`
// contains only the command's own output.
import { spawn, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { accessSync, constants, statSync } from 'node:fs';

import { root } from './files.mjs';

/** A failure that needs no stack trace: the message explains it. */
export class Problem extends Error {}

export const say = (text) => process.stderr.write(`${text}\n`);

/**
 * Reports a failure and ends the process with exit code 1; the stack is printed only for unexpected
 * errors.
 */
export function fail(error) {
  say(error instanceof Problem ? error.message : String(error?.stack ?? error));
  process.exit(1);
}

/** Runs a program with its output on standard error; resolves with its exit code. */
export function status(
  command,
  args,
  { env = {}, cwd = root, stdio = ['inherit', 2, 2], shell = false } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio, shell, env: { ...process.env, ...env } });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}

/** Like `status`, but any exit code other than 0 is a Problem. */
export async function run(command, args, options = {}) {
  const code = await status(command, args, options);
  if (code !== 0)
    throw new Problem(`${options.what ?? [command, ...args].join(' ')} failed (exit code ${code}).`);
}

/** Runs a script of a package in node_modules, e.g. nodeBin('vite/bin/vite.js', ['build']). */
export const nodeBin = (script, args, options) =>
  run(process.execPath, [join(root, 'node_modules', script), ...args], {
    what: script.split('/')[0],
    ...options,
  });

/** The standard output of a short command; undefined if the command is missing or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000, ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The full path of an executable on PATH, or undefined. */
export function which(name) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.bat', '.cmd'] : [''];
  for (const dir of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    for (const suffix of suffixes) {
      const file = join(dir, name + suffix);
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // Not here: look in the next folder.
      }
    }
  }
  return undefined;
}

/** Whether a person with a screen is in front of this machine. */
export function canOpenBrowser() {
  if (process.env.CI) return false;
  const { DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = process.env;
  return process.platform !== 'linux' || Boolean(DISPLAY ?? WAYLAND_DISPLAY ?? WSL_DISTRO_NAME);
}
