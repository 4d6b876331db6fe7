/** Builds the selective forwarding unit that uses pion. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const SOURCES = fileURLToPath(new URL('./pion', import.meta.url));
const BINARY = fileURLToPath(new URL('../../../build/test/pion_sfu', import.meta.url));

let building: Promise<string> | null = null;

/**
 * Builds once per process, and resolves with the path of the binary. Go decides what has to be compiled
 * again.
 */
export function buildPion(): Promise<string> {
  building ??= run('go', ['build', '-mod=readonly', '-o', BINARY, '.'], { cwd: SOURCES }).then(() => BINARY);
  return building;
}
