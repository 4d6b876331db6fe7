/** Runs Playwright on the project in projects/, which stands for a user's project. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runner = createRequire(import.meta.url).resolve('@playwright/test/cli');
const inProjects = (file: string): string => fileURLToPath(new URL(`./projects/${file}`, import.meta.url));

export interface Outcome {
  status: number | null;
  stdout: string;
  file(name: string): string;
}

/** Additional environment variables of a run. */
export type Variables = Readonly<Record<string, string>>;

async function runPlaywright(args: readonly string[], folder: string, more: Variables): Promise<Outcome> {
  // Removes the environment variables of the outer Playwright run, which runs this test.
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(TEST_|PLAYWRIGHT_JSON|GITHUB_ACTIONS|GITHUB_WORKSPACE)/.test(key),
  );
  const env = { ...Object.fromEntries(own), KIT_OUT: folder, FORCE_COLOR: '0', ...more };
  const child = spawn(process.execPath, [runner, ...args], { env });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, stdout, file: (file) => readFileSync(join(folder, file), 'utf8') };
}

/** Runs one file of the project, with its output in `folder`. */
export const runProject = (
  name: string,
  folder: string,
  url: string,
  more: readonly string[] = [],
  variables: Variables = {},
): Promise<Outcome> =>
  runPlaywright(['test', '-c', inProjects('playwright.config.ts'), `${name}.nested.ts`, ...more], folder, {
    KIT_URL: url,
    ...variables,
  });

/** Merges the reports that `runProject` has written to `folder`. */
export const mergeReports = (folder: string, variables: Variables = {}): Promise<Outcome> =>
  runPlaywright(
    ['merge-reports', '-c', inProjects('merge.config.ts'), join(folder, 'blob')],
    folder,
    variables,
  );
