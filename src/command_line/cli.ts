#!/usr/bin/env node
/** The command `ccscope`. Exit status: 0 success, 1 failed run, 2 bad usage or input. */
import { run } from './program.js';

// A browser or a thread that could not be closed must not keep the process running: it ends with the process.
process.exit(await run(process.argv.slice(2)));
