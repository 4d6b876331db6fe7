// `npm test`: from a fresh clone to all tests. Every part runs, whatever the ones before it did; the last
// line is `N passed, N failed` over all parts, and the exit code is 1 unless nothing failed.
//
//   npm test -- [--only PART,PART …] [--list]
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { buildWasm } from './build_wasm.mjs';
import { inRoot } from './lib/files.mjs';
import { fail, Problem, say, status } from './lib/run.mjs';
import { nativeTests } from './native_tests.mjs';
import { setup } from './setup.mjs';

const results = inRoot('build/test');
const resultOf = (name) => join(results, `${name}.json`);

/** A part that is one check: the exit code decides. */
const check = (run) => async () =>
  (await run()) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
const node = (script, ...args) => status(process.execPath, [inRoot(script), ...args]);
const bin = (script, ...args) => node(join('node_modules', script), ...args);

/** A check for each generator: what it writes is not stale. */
const checks =
  (...generators) =>
  async () => {
    const codes = [];
    for (const generator of generators) codes.push(await node(generator, '--check'));
    const passed = codes.filter((code) => code === 0).length;
    return { passed, failed: codes.length - passed };
  };

/** Counts from a report file; a runner that failed without naming a test, or ran none, is one failure. */
function counts(code, file, read) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const { passed, failed, skipped = 0 } = read(JSON.parse(readFileSync(file, 'utf8')));
  const nothingRan = passed + failed === 0;
  return { passed, failed: failed === 0 && (code !== 0 || nothingRan) ? 1 : failed, skipped };
}

async function native() {
  const code = await nativeTests([`--gtest_output=json:${resultOf('native')}`, '--gtest_brief=1']);
  return counts(code, resultOf('native'), ({ tests, failures }) => ({
    passed: tests - failures,
    failed: failures,
  }));
}

async function unit() {
  // The shaper's thread, the pages' observer and the evidence page are what the build makes.
  await build({ app: false });
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultOf('unit')}`];
  const code = await bin('vitest/vitest.mjs', 'run', ...report);
  return counts(code, resultOf('unit'), (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
  }));
}

const playwright = (name, config) => async () => {
  const args = ['test', '-c', config, '--reporter=list,json'];
  const code = await status(process.execPath, [inRoot('node_modules/@playwright/test/cli.js'), ...args], {
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: resultOf(name) },
  });
  return counts(code, resultOf(name), ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
  }));
};

const lintConfig = 'scripts/lint/eslint.config.js';

/** The parts in the order in which they run. */
const parts = {
  format: {
    title: 'Format',
    run: check(() => bin('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.')),
  },
  lint: { title: 'Lint', run: check(() => bin('eslint/bin/eslint.js', '-c', lintConfig, '.')) },
  arrows: {
    title: 'Which room uses which',
    run: check(() =>
      bin('dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', '.dependency-cruiser.cjs'),
    ),
  },
  includes: {
    title: 'Which room of the core includes which',
    run: check(() => node('scripts/lint/check_includes.mjs')),
  },
  wasm: { title: 'WebAssembly module', run: check(() => buildWasm().then(() => 0)) },
  generated: {
    title: 'Generated files',
    run: async () => {
      await buildWasm(); // It tells the schema.
      return checks('scripts/generate_schema.mjs', 'scripts/generate_readme.mjs')();
    },
  },
  readme: { title: 'Files that the README names', run: check(() => node('scripts/lint/check_readme.mjs')) },
  types: { title: 'Types', run: check(() => bin('typescript/bin/tsc', '-p', '.')) },
  native: { title: 'Native tests under AddressSanitizer and UndefinedBehaviorSanitizer', run: native },
  identity: {
    title: 'Identical bytes natively and in WebAssembly',
    run: check(() => node('scripts/identity_test.mjs')),
  },
  build: { title: 'Build', run: check(() => build().then(() => 0)) },
  size: { title: 'Sizes', run: check(() => node('scripts/lint/check_size.mjs')) },
  unit: { title: 'Unit and Node tests', run: unit },
  browser: {
    title: 'Browser and end-to-end tests',
    run: playwright('browser', 'tests/playwright.config.ts'),
  },
  kit: {
    title: 'Calls under test, of clients that nobody here wrote',
    run: playwright('kit', 'tests/kit/playwright.config.ts'),
  },
  package: { title: 'Package in an empty project', run: check(() => node('scripts/test_package.mjs')) },
};

function selection() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } });
  if (values.list) {
    for (const [name, { title }] of Object.entries(parts)) say(`${name.padEnd(12)}${title}`);
    process.exit(0);
  }
  const names = values.only?.split(',') ?? Object.keys(parts);
  const unknown = names.filter((name) => !parts[name]);
  if (unknown.length > 0)
    throw new Problem(`--only: no part ${unknown.join(', ')}; expected ${Object.keys(parts).join(', ')}.`);
  return Object.keys(parts).filter((name) => names.includes(name));
}

async function runPart(name) {
  const { title, run } = parts[name];
  say(`\n━━━ ${title} (${name}) ━━━`);
  const began = performance.now();
  const result = await run().catch((error) => {
    say(error instanceof Problem ? error.message : String(error.stack));
    return { passed: 0, failed: 1 };
  });
  return { name, ...result, seconds: (performance.now() - began) / 1000 };
}

async function test() {
  const names = selection();
  await setup({
    native: names.includes('native') || names.includes('identity'),
    chromium: ['browser', 'kit', 'package'].some((name) => names.includes(name)),
  });
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const outcomes = [];
  for (const name of names) outcomes.push(await runPart(name));

  say('\n━━━ Summary ━━━');
  for (const { name, passed, failed, skipped, seconds } of outcomes) {
    const notes = skipped ? `, ${skipped} skipped` : '';
    say(
      `${failed > 0 ? '✗' : '✓'} ${name.padEnd(10)} ${passed} passed, ${failed} failed${notes} (${seconds.toFixed(1)} s)`,
    );
  }
  const total = (key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
  process.exitCode = total('failed') > 0 ? 1 : 0;
  console.log(`${total('passed')} passed, ${total('failed')} failed`);
}

await test().catch(fail);
