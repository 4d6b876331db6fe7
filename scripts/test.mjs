// `npm test`: runs all tests, also from a fresh clone. Every part runs even if others fail, unless a part that it
// needs failed. Parts run in parallel if they do not disturb each other. A failed test runs once more when all parts
// have ended (see test/verdicts.mjs). The last line is `N passed, N failed` over all parts. The exit code is 0 only if
// nothing failed.
//
//   npm test -- [--only PART,PART …] [--changed] [--list]
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { inRoot } from './lib/files.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';
import { affected, contents, lastPassed, rememberPassed } from './test/changes.mjs';
import { parts } from './test/parts.mjs';
import { schedule, withPrerequisites } from './test/schedule.mjs';
import { judged, toRunAgain, withSecondRun } from './test/verdicts.mjs';

const results = inRoot('build/test');

function selection() {
  const flags = { list: { type: 'boolean' }, changed: { type: 'boolean' } };
  const { values } = parseArgs({ options: { only: { type: 'string' }, ...flags } });
  if (values.list) {
    for (const [name, { title }] of Object.entries(parts)) say(`${name.padEnd(12)}${title}`);
    process.exit(0);
  }
  const names = values.only?.split(',') ?? Object.keys(parts);
  const unknown = names.filter((name) => !parts[name]);
  if (unknown.length > 0)
    throw new Problem(`--only: no part ${unknown.join(', ')}; expected ${Object.keys(parts).join(', ')}.`);
  return { names: Object.keys(parts).filter((name) => names.includes(name)), changed: values.changed };
}

/**
 * Runs a part in a separate process. The output is shown when the part ends or, with `atOnce`, while it runs; `note`
 * stands in its title.
 */
async function runPart(name, files, { atOnce, note = '' }) {
  const outcomeFile = join(results, `${name}.outcome.json`);
  // A part that runs once more, and ends without an outcome, must not be judged by its first one.
  rmSync(outcomeFile, { force: true });
  const began = performance.now();
  const title = `\n━━━ ${parts[name].title} (${name})${note} ━━━`;
  if (atOnce) say(title);
  const child = spawn(process.execPath, [inRoot('scripts/test/run_part.mjs'), name, outcomeFile, ...files], {
    stdio: ['ignore', ...(atOnce ? [2, 2] : ['pipe', 'pipe'])],
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
  await new Promise((resolve) => child.once('close', resolve));
  if (!atOnce) say(`${clearLine}${title}\n${Buffer.concat(printed).toString().trimEnd()}`);
  const outcome = existsSync(outcomeFile) ? JSON.parse(readFileSync(outcomeFile, 'utf8')) : null;
  return { ...(outcome ?? { passed: 0, failed: 1 }), seconds: (performance.now() - began) / 1000 };
}

const clearLine = process.stderr.isTTY ? '\r\x1b[K' : '';

/**
 * Shows which parts are running: on a terminal, in one line that is replaced; elsewhere, in a line for each part that
 * starts.
 */
function progress() {
  let before = [];
  return (running) => {
    const begun = running.filter((name) => !before.includes(name));
    before = running;
    if (process.stderr.isTTY) process.stderr.write(`${clearLine}Running: ${running.join(', ')} …`);
    else for (const name of begun) say(`… ${name}`);
  };
}

/**
 * The summary of a part: one line for the part, and one line for each test that failed, that has no verdict or that
 * passed only at its second run.
 */
function summaryOf({ name, seconds, blockedBy, files, ...outcome }) {
  const { passed, failed, skipped, failures = [], unsteady = [], unjudged = [] } = outcome;
  if (blockedBy) return `✗ ${name.padEnd(10)} not run: ${blockedBy} failed`;
  const withoutVerdict = unjudged.length > 0 ? `, ${unjudged.length} without a verdict` : '';
  const notes = `${skipped ? `, ${skipped} skipped` : ''}${withoutVerdict}${files.length > 0 ? `, of ${files.join(', ')}` : ''}`;
  const mark = failed > 0 ? '✗' : '✓';
  const line = `${mark} ${name.padEnd(10)} ${passed} passed, ${failed} failed${notes} (${seconds.toFixed(1)} s)`;
  const text = ({ name: test, error }) => [test, error].filter(Boolean).join(': ');
  const named = [
    ...failures.map(text),
    ...unjudged.map((test) => `no verdict, the machine was taken by others: ${text(test)}`),
    ...unsteady.map((test) => `passed at its second run: ${text(test)}`),
  ];
  return [line, ...named.map((each) => `    ${each}`)].join('\n');
}

async function test() {
  const { names, changed } = selection();
  const read = new Map(
    names.filter((name) => parts[name].reads).map((name) => [name, contents(parts[name])]),
  );
  // For each part, what has to run again: null for nothing, [] for the whole part, otherwise a list of test files.
  const again = new Map(
    names.map((name) => [name, read.has(name) ? affected(lastPassed(name), read.get(name)) : []]),
  );
  const isKept = (name) => again.get(name) === null && (changed || parts[name].isStatic);
  const filesOf = (name) => (changed && again.get(name)) || [];
  const asked = names.filter((name) => !isKept(name));
  const toRun = withPrerequisites(parts, asked);
  await setup({
    native: toRun.includes('native') || toRun.includes('identity'),
    ffmpeg: toRun.includes('browser'),
    sfu: toRun.includes('kit'),
    firefox: toRun.includes('extension'),
    chromium: ['browser', 'extension', 'kit', 'measures', 'package'].some((name) => toRun.includes(name)),
  });
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });

  // If only one part is requested, its output is shown while it runs. (Only the parts that it needs run,
  // too.)
  const atOnce = asked.length === 1;
  const judge = (name, outcome) => {
    const { failed, unjudged, ...rest } = judged(outcome);
    const isWhole = failed === 0 && unjudged.length === 0;
    if (read.has(name)) rememberPassed(name, isWhole ? read.get(name) : null);
    return { ...rest, failed, unjudged };
  };
  const firstRuns = new Map();
  const run = async (name) => {
    const outcome = await runPart(name, filesOf(name), { atOnce });
    firstRuns.set(name, outcome);
    return { ...judge(name, outcome), files: filesOf(name) };
  };
  const outcomes = await schedule(parts, toRun, run, { onChange: atOnce ? undefined : progress() });
  for (const [name, first] of firstRuns) {
    const again = toRunAgain(first);
    if (again.length === 0) continue;
    const second = await runPart(name, again, { atOnce: true, note: ': the failed tests again' });
    const outcome = outcomes.find((other) => other.name === name);
    Object.assign(outcome, judge(name, withSecondRun(first, second)));
  }

  say(`${clearLine}\n━━━ Summary ━━━`);
  const kept = names.filter(isKept);
  for (const name of kept) say(`✓ ${name.padEnd(10)} passed before, and nothing that it reads has changed`);
  outcomes.forEach((outcome) => say(summaryOf(outcome)));
  // A part that was not requested, but ran because another part needs it, counts only if it failed.
  const counted = outcomes.filter(({ name, failed }) => asked.includes(name) || failed > 0);
  const total = (key) => counted.reduce((sum, outcome) => sum + outcome[key], 0);
  process.exitCode = total('failed') > 0 ? 1 : 0;
  // A static check whose files have not changed counts as passed. With `--changed`, only the parts that ran count.
  const held = changed ? 0 : kept.length;
  console.log(`${total('passed') + held} passed, ${total('failed')} failed`);
}

await test().catch(fail);
