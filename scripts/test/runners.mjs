// Runs the tests of a part and counts the results. A runner takes the files to run ([] for all files). It resolves
// with {passed, failed, skipped, failures, unsteady, unjudged}; `failures` has one line for each failure. Real
// calls share the machine with other programs, so a failed test of Vitest or Playwright runs once more, and its second
// result counts. `unsteady` names the tests that passed only at the second run, so that none of them is overlooked. If
// a test that judges rates and delays failed only while other virtual machines used the processors (see wakes.mjs), it
// has no verdict, and `unjudged` names it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { inRoot } from '../lib/files.mjs';
import { status } from '../lib/run.mjs';
import { isTaken, partsOf, watchWakes } from './wakes.mjs';

const resultOf = (name) => inRoot('build/test', `${name}.json`);

export const node = (script, ...args) => status(process.execPath, [inRoot(script), ...args]);
export const bin = (script, ...args) => node(join('node_modules', script), ...args);

/** A runner for a part that consists of checks. A check passes if its exit code is 0. */
export const checks =
  (...runs) =>
  async () => {
    const codes = [];
    for (const run of runs) codes.push(await run());
    const passed = codes.filter((code) => code === 0).length;
    return { passed, failed: codes.length - passed };
  };

/**
 * A failed test: one line with its name and the beginning of its error, and the start and end times of each
 * attempt.
 */
const failure = (name, message = '', attempts = []) => ({
  text: [name, stripVTControlCharacters(message).split('\n')[0]].filter(Boolean).join(': '),
  attempts,
});
const textOf = ({ text }) => text;

/**
 * Counts the results in a report file. If the runner failed without naming a test, or ran no test, this counts as
 * one failure.
 */
function counts(code, file, read, { mayRunNone = false, wakes } = {}) {
  if (!existsSync(file)) return { passed: 0, failed: 1, failures: [`no report: exit code ${code}`] };
  const report = read(JSON.parse(readFileSync(file, 'utf8')));
  const { passed, skipped = 0, unsteady = [] } = report;
  const hasNoVerdict = (one) => wakes !== undefined && isTaken(wakes, one.attempts);
  const unjudged = report.failures.filter(hasNoVerdict).map(textOf);
  const failures = report.failures.filter((one) => !hasNoVerdict(one)).map(textOf);
  const failed = report.failed - unjudged.length;
  const outcome = { passed, failed, skipped, failures, unsteady: unsteady.map(textOf), unjudged };
  const nothingRan = passed + report.failed === 0 && !mayRunNone;
  if (failed > 0 || unjudged.length > 0 || (code === 0 && !nothingRan)) return outcome;
  const why = nothingRan ? 'no test ran' : `every test passed, and the exit code is ${code}`;
  return { ...outcome, failed: 1, failures: [why] };
}

/**
 * Runs tests. If they judge rates and delays, this also measures how late the machine wakes a sleeping thread during
 * the tests.
 */
async function watched(judgesTime, run) {
  if (!judgesTime) return run(undefined);
  const wakes = watchWakes();
  try {
    return await run(wakes);
  } finally {
    await wakes.stop();
  }
}

const sum = (outcomes) => {
  const total = (key) => outcomes.reduce((all, outcome) => all + (outcome[key] ?? 0), 0);
  const named = (key) => outcomes.flatMap((outcome) => outcome[key] ?? []);
  return {
    passed: total('passed'),
    failed: total('failed'),
    skipped: total('skipped'),
    failures: named('failures'),
    unsteady: named('unsteady'),
    unjudged: named('unjudged'),
  };
};

/** Runs GoogleTest in several processes, each with a share of the tests. */
export async function googleTest(name, shards, run) {
  const shard = async (_, index) => {
    const file = resultOf(`${name}-${index}`);
    const env = { GTEST_TOTAL_SHARDS: String(shards), GTEST_SHARD_INDEX: String(index) };
    const code = await run([`--gtest_output=json:${file}`, '--gtest_brief=1'], env);
    return counts(code, file, ({ tests, failures, testsuites }) => ({
      passed: tests - failures,
      failed: failures,
      failures: testsuites
        .flatMap(({ testsuite }) => testsuite)
        .filter((test) => test.failures)
        .map((test) => failure(`${test.classname}.${test.name}`, test.failures[0].failure)),
    }));
  };
  return sum(await Promise.all(Array.from({ length: shards }, shard)));
}

/**
 * The failures in one test file of Vitest's report. If the file failed before any test ran, the failure is the file
 * itself.
 */
function failuresOfFile({ name, status, message, startTime, assertionResults }) {
  // The report contains the duration of each test, with all its attempts, but not its beginning. Tests run one
  // after another, so a test begins when the previous one ends.
  let endMs = startTime;
  const timed = assertionResults.map((test) => {
    const fromMs = endMs;
    endMs += test.duration ?? 0;
    return { ...test, attempts: partsOf(fromMs, endMs, Math.max(1, test.failureMessages.length)) };
  });
  const tests = timed.filter((test) => test.status === 'failed');
  if (tests.length === 0 && status === 'failed') return [failure(name, message)];
  return tests.map(({ fullName, failureMessages, attempts }) =>
    failure(fullName, failureMessages[0], attempts),
  );
}

/** The tests in a file of Vitest's report that passed only at their second run. */
const unsteadyOfFile = ({ assertionResults }) =>
  assertionResults
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => failure(fullName, failureMessages[0]));

/** Runs a project of Vitest. `judgesTime`: whether its tests judge rates and delays. */
export const vitest =
  (project, { judgesTime = false } = {}) =>
  (files) =>
    watched(judgesTime, async (wakes) => {
      const file = resultOf(project);
      const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
      const some = files.length > 0 ? ['--passWithNoTests', ...files] : [];
      const command = ['run', '--retry=1', '--project', project, ...report, ...some];
      const code = await bin('vitest/vitest.mjs', ...command);
      const read = ({ numPassedTests, numFailedTests, numPendingTests, testResults }) => ({
        passed: numPassedTests,
        failed: numFailedTests,
        skipped: numPendingTests,
        failures: testResults.flatMap(failuresOfFile),
        unsteady: testResults.flatMap(unsteadyOfFile),
      });
      return counts(code, file, read, { mayRunNone: files.length > 0, wakes });
    });

/** The tests with this outcome in a suite of Playwright's report, including all nested suites. */
function testsOfSuite({ specs, suites = [] }, outcome) {
  const own = specs
    .filter(({ tests }) => tests.some(({ status }) => status === outcome))
    .map(({ file, line, title, tests }) => {
      const results = tests.flatMap((test) => test.results).filter(({ status }) => status !== 'passed');
      const attempts = results.map(({ startTime, duration }) => {
        const fromMs = Date.parse(startTime);
        return { fromMs, toMs: fromMs + duration };
      });
      return failure(
        `${file}:${line} ${title}`,
        results.flatMap(({ errors }) => errors)[0]?.message,
        attempts,
      );
    });
  return [...own, ...suites.flatMap((suite) => testsOfSuite(suite, outcome))];
}

/** Runs Playwright with one configuration after the other. Each configuration is for one folder of tests/. */
export const playwright =
  (name, configs, args, { judgesTime = false } = {}) =>
  (files) =>
    watched(judgesTime, async (wakes) => {
      const outcomes = [];
      for (const [index, config] of configs.entries()) {
        const report = resultOf(`${name}-${index}`);
        const some = files.length > 0 ? ['--pass-with-no-tests', ...files] : [];
        const command = ['test', '-c', config, '--retries=1', '--reporter=list,json', ...args, ...some];
        const code = await status(
          process.execPath,
          [inRoot('node_modules/@playwright/test/cli.js'), ...command],
          { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report } },
        );
        const read = ({ stats, suites }) => ({
          passed: stats.expected + stats.flaky,
          failed: stats.unexpected,
          skipped: stats.skipped,
          failures: suites.flatMap((suite) => testsOfSuite(suite, 'unexpected')),
          unsteady: suites.flatMap((suite) => testsOfSuite(suite, 'flaky')),
        });
        outcomes.push(counts(code, report, read, { mayRunNone: files.length > 0, wakes }));
      }
      return sum(outcomes);
    });
