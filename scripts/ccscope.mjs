#!/usr/bin/env node
// `npm run ccscope -- …`: sets up and builds what is missing or stale (reported on standard error),
// then runs the command line with the arguments given. Standard output is the command's alone.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { fail } from './lib/run.mjs';
import { setup } from './setup.mjs';

const args = process.argv.slice(2);
const opensPage = args[0] === 'call';
// npm runs scripts in the package's folder; paths on the command line are meant from where it was typed.
const cwd = process.env.npm_lifecycle_event === 'ccscope' ? process.env.INIT_CWD : process.cwd();

try {
  await setup({ chromium: opensPage });
  await build({ app: opensPage });
} catch (error) {
  fail(error);
}

const cli = spawn(process.execPath, [inRoot('dist/lib/node/cli.js'), ...args], {
  stdio: 'inherit',
  cwd,
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => cli.kill(signal));
cli.once('error', fail);
cli.once('close', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
