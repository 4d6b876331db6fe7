// One part of the test run in a process of its own, so that what it prints can be kept together:
//   node scripts/test/run_part.mjs NAME OUTCOME_FILE [TEST_FILE …]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

import { Problem, say } from '../lib/run.mjs';
import { parts } from './parts.mjs';
import { LEAST_NICE } from './schedule.mjs';

const [name, outcomeFile, ...files] = process.argv.slice(2);
const { run, nice = 0 } = parts[name];
// While real calls run, parts that only compute use the processor time that the calls leave.
setPriority(nice);
// Where the system has it (sched(7), SCHED_IDLE), the nicest parts run only when the processor would be idle otherwise.
if (nice >= LEAST_NICE) spawnSync('chrt', ['--idle', '--pid', '0', String(process.pid)], { stdio: 'ignore' });

const outcome = await run(files).catch((error) => {
  say(error instanceof Problem ? error.message : String(error.stack));
  return { passed: 0, failed: 1 };
});
writeFileSync(outcomeFile, JSON.stringify(outcome));
