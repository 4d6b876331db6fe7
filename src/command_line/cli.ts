#!/usr/bin/env node
/** The command `ccscope`. Exit status: 0 success, 1 failed run, 2 bad usage or input. */
import { run } from './program.js';

// Ends the process explicitly: otherwise a browser or a thread that could not be closed would keep it running.
process.exit(await run(process.argv.slice(2)));
