// Runs the tests of a part and counts the results. A runner takes what to run: files, or tests as FILE:LINE ([] for
// all files). It resolves with {passed, failed, skipped, failures, unsteady}. For `failures`, and for how they are
// judged, see verdicts.mjs. `unsteady` has the tests that repeated themselves and passed only then.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { inRoot, root } from '../lib/files.mjs';
import { status } from '../lib/run.mjs';
import { isTaken, partsOf, watchWakes } from './wakes.mjs';

const resultOf = (name) => inRoot('build/test', `${name}.json`);

export const node = (script, ...args) => status(process.execPath, [inRoot(script), ...args]);
export const bin = (script, ...args) => node(join('node_modules', script), ...args);

/** A runner for checks, which pass if their exit code is 0. It resolves with {passed, failed} only. */
export const checks =
  (...runs) =>
  async () => {
    const codes = [];
    for (const run of runs) codes.push(await run());
    const passed = codes.filter((code) => code === 0).length;
    return { passed, failed: codes.length - passed };
  };

const pathOf = (...path) => relative(root, join(...path)).replaceAll('\\', '/');

/**
 * A failed test: its name, the first line of its error, what runs it again, and the start and end times of each
 * attempt.
 */
const failure = (name, { message = '', again, attempts = [] } = {}) => ({
  name,
  error: stripVTControlCharacters(message).split('\n')[0],
  again,
  attempts,
});

/**
 * Counts the results in a report file. If the runner failed without naming a test, or ran no test, this counts as
 * one failure.
 */
function counts(code, file, read, { mayRunNone = false, wakes } = {}) {
  const none = { skipped: 0, unsteady: [] };
  if (!existsSync(file))
    return { ...none, passed: 0, failed: 1, failures: [failure(`no report: exit code ${code}`)] };
  const report = read(JSON.parse(readFileSync(file, 'utf8')));
  const { passed, failed } = report;
  const failures = report.failures.map(({ attempts, ...one }) => ({
    ...one,
    isTaken: wakes !== undefined && isTaken(wakes, attempts),
  }));
  const outcome = { ...none, ...report, failures };
  const nothingRan = passed + failed === 0 && !mayRunNone;
  if (failed > 0 || (code === 0 && !nothingRan)) return outcome;
  const why = nothingRan ? 'no test ran' : `every test passed, and the exit code is ${code}`;
  return { ...outcome, failed: 1, failures: [failure(why)] };
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
        .map((test) => failure(`${test.classname}.${test.name}`, { message: test.failures[0].failure })),
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
  const again = pathOf(name);
  const tests = timed.filter((test) => test.status === 'failed');
  if (tests.length === 0 && status === 'failed') return [failure(again, { message, again })];
  return tests.map(({ fullName, failureMessages, attempts }) =>
    failure(`${again} ${fullName}`, { message: failureMessages[0], again, attempts }),
  );
}

/** The tests in a file of Vitest's report that repeat themselves, and that failed at first. */
const unsteadyOfFile = ({ assertionResults }) =>
  assertionResults
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => failure(fullName, { message: failureMessages[0] }));

/** Runs a project of Vitest. `judgesTime`: whether its tests judge rates and delays. */
export const vitest =
  (project, { judgesTime = false } = {}) =>
  (files) =>
    watched(judgesTime, async (wakes) => {
      const file = resultOf(project);
      const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
      const some = files.length > 0 ? ['--passWithNoTests', ...files] : [];
      const command = ['run', '--project', project, ...report, ...some];
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

/** The failed tests in a suite of Playwright's report, including all nested suites. */
function failuresOfSuite({ specs, suites = [] }, folder) {
  const own = specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'unexpected'))
    .map(({ file, line, title, tests }) => {
      const results = tests.flatMap((test) => test.results).filter(({ status }) => status !== 'passed');
      const attempts = results.map(({ startTime, duration }) => {
        const fromMs = Date.parse(startTime);
        return { fromMs, toMs: fromMs + duration };
      });
      const again = `${pathOf(folder, file)}:${line}`;
      const { message } = results.flatMap(({ errors }) => errors)[0] ?? {};
      return failure(`${again} ${title}`, { message, again, attempts });
    });
  return [...own, ...suites.flatMap((suite) => failuresOfSuite(suite, folder))];
}

/** Runs Playwright with one configuration after the other. */
export const playwright =
  (name, configs, args, { judgesTime = false } = {}) =>
  (files) =>
    watched(judgesTime, async (wakes) => {
      const outcomes = [];
      for (const [index, config] of configs.entries()) {
        const report = resultOf(`${name}-${index}`);
        // Single tests are run only if they failed in the first run. So that nothing disturbs them, they run one by one.
        const isAgain = files.some((file) => /:\d+$/.test(file));
        const some = files.length > 0 ? ['--pass-with-no-tests', ...files] : [];
        if (isAgain) some.push('--workers=1');
        const command = ['test', '-c', config, '--reporter=list,json', ...args, ...some];
        const code = await status(
          process.execPath,
          [inRoot('node_modules/@playwright/test/cli.js'), ...command],
          { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report } },
        );
        const read = ({ config: { rootDir }, stats, suites }) => ({
          passed: stats.expected + stats.flaky,
          failed: stats.unexpected,
          skipped: stats.skipped,
          failures: suites.flatMap((suite) => failuresOfSuite(suite, rootDir)),
        });
        outcomes.push(counts(code, report, read, { mayRunNone: files.length > 0, wakes }));
      }
      return sum(outcomes);
    });
