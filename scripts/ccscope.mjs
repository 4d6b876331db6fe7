#!/usr/bin/env node
// `npm run ccscope -- …`: sets up and builds what is missing or stale (reported on standard error), then
// runs the command line with the arguments given. Standard output contains only the command's own
// output.
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

// npm runs scripts in the package's folder; paths on the command line are relative to the folder in
// which the command was typed.
const { npm_lifecycle_event: npmScript, INIT_CWD: typedIn } = process.env;
if (['ccscope', 'reproduce'].includes(npmScript) && typedIn) process.chdir(typedIn);
await import('../dist/lib/command_line/cli.js');
