// Runs one part of the test run in a separate process, so that the part's output can be kept together:
//   node scripts/test/run_part.mjs NAME OUTCOME_FILE [TEST_FILE …]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

import { Problem, say } from '../lib/run.mjs';
import { parts } from './parts.mjs';
import { LEAST_NICE } from './schedule.mjs';

const [name, outcomeFile, ...files] = process.argv.slice(2);
const { run, nice = 0 } = parts[name];
// Many parts that only compute run at a high nice value, so that real calls that run at the same time get the processor
// time that they need.
setPriority(nice);
// If the system supports it (sched(7), SCHED_IDLE), the parts with the highest `nice` run only when the processor
// would otherwise be idle.
if (nice >= LEAST_NICE) spawnSync('chrt', ['--idle', '--pid', '0', String(process.pid)], { stdio: 'ignore' });

const outcome = await run(files).catch((error) => {
  say(error instanceof Problem ? error.message : String(error.stack));
  return { passed: 0, failed: 1 };
});
writeFileSync(outcomeFile, JSON.stringify(outcome));
