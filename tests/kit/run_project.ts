/** A run of Playwright over the user's project in projects/. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runner = createRequire(import.meta.url).resolve('@playwright/test/cli');
const config = fileURLToPath(new URL('./projects/playwright.config.ts', import.meta.url));

export interface Outcome {
  status: number | null;
  stdout: string;
  file(name: string): string;
}

/** Runs one file of the project; what it writes lands in the folder. */
export async function runProject(
  name: string,
  folder: string,
  url: string,
  more: readonly string[] = [],
): Promise<Outcome> {
  // Without what the run that this test belongs to has set.
  const own = Object.entries(process.env).filter(([key]) => !/^(TEST_|PLAYWRIGHT_JSON)/.test(key));
  const env = { ...Object.fromEntries(own), KIT_OUT: folder, KIT_URL: url, FORCE_COLOR: '0' };
  const child = spawn(process.execPath, [runner, 'test', '-c', config, name, ...more], { env });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, stdout, file: (file) => readFileSync(join(folder, file), 'utf8') };
}
