#!/usr/bin/env node
// `npm run ccscope -- …`: sets up and builds what is missing or stale, then runs the command line with the given
// arguments. Messages of setup and build go to standard error, so that standard output contains only the
// command's own output.
import { build } from './build.mjs';
import { fail } from './lib/run.mjs';
import { setup } from './setup.mjs';

const opensPage = process.argv[2] === 'call' && !process.argv.includes('--twin');

try {
  await setup({ chromium: opensPage });
  await build({ app: opensPage });
} catch (error) {
  fail(error);
}

// npm runs scripts in the folder of the package, but paths on the command line are relative to the folder in which
// the user typed the command.
const { npm_lifecycle_event: npmScript, INIT_CWD: typedIn } = process.env;
if (['ccscope', 'reproduce'].includes(npmScript) && typedIn) process.chdir(typedIn);
await import('../dist/lib/command_line/cli.js');
