#!/usr/bin/env node
/** The command `ccscope`. Exit status: 0 success, 1 failed run, 2 bad usage or input. */
import { run } from './program.js';

process.exitCode = await run(process.argv.slice(2));
