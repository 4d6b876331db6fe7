// The parts of the test run. For each part: what it checks, the parts that have to end before it (`after`, `behind`),
// what it needs from the machine (`kind`, see schedule.mjs), and the files that it reads. `isStatic`: the part only
// checks files, so its result stays valid until one of them changes. `nice`: the higher this is, the more processor
// time the part leaves to others. Slow parts are listed first, so that they start early.
import { availableParallelism } from 'node:os';

import { build } from '../build.mjs';
import { buildWasm } from '../build_wasm.mjs';
import { buildNativeTests, runNativeTests } from '../native_tests.mjs';
import { bin, checks, googleTest, node, playwright, vitest } from './runners.mjs';

const browserTests = 'tests/playwright.config.ts';
const kitTests = 'tests/kit/playwright.config.ts';
const injectTests = 'tests/inject/playwright.config.ts';
const extensionTests = 'tests/extension/playwright.config.ts';
const lintConfig = 'scripts/lint/eslint.config.js';
// Prettier's cache compares contents, so a copied cache also works for a fresh clone.
const prettierCache = ['--cache', '--cache-strategy=content', '--cache-location=build/prettier'];
const cruise = ['src', '--config', '.dependency-cruiser.cjs'];

const settings = ['.dependency-cruiser.cjs', '.prettierrc.json', '.prettierignore', 'tsconfig.json'];
const documentFiles = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'CITATION.cff'];
const all = ['src', 'wasm', 'tests', 'scripts', 'public', ...documentFiles, 'vite.config.ts', ...settings];
/** The files that the build reads. */
const built = ['src', 'wasm', 'public', 'scripts', 'vite.config.ts', 'tsconfig.json'];
/** The files that tests read besides their own folder. */
const tested = [...built, 'tests/support'];
/** The files that the tests of these parts use of the tests of others. */
const shared = {
  browser: [
    'tests/inject/overlay_support.ts',
    'tests/kit/pages',
    'tests/kit/server.ts',
    'tests/node/broken_thread.mjs',
    'tests/node/ice_agent.ts',
    'tests/node/reproduce_scenario.json',
  ],
  kit: ['tests/node/mortal.ts', 'tests/node/mortal_thread.mjs', 'tests/unit/judge/synthetic.ts'],
  inject: ['tests/unit/judge/synthetic.ts', 'tests/unit/watch/calls.ts'],
};
const documents = [...documentFiles, 'LICENSE', 'src', 'wasm', 'public', 'scripts', 'tests'];

export const parts = {
  wasm: { title: 'WebAssembly module', kind: 'work', run: checks(() => buildWasm().then(() => 0)) },
  generated: {
    title: 'Generated files',
    kind: 'work',
    after: ['wasm'],
    reads: documents,
    run: checks(
      () => node('scripts/generate_abi.mjs', '--check'),
      () => node('scripts/generate_schema.mjs', '--check'),
      () => node('scripts/generate_readme.mjs', '--check'),
    ),
  },
  build: {
    title: 'Build',
    kind: 'work',
    after: ['wasm'],
    // Runs after the check of generated files, because the build would rewrite stale generated files.
    behind: ['generated'],
    run: checks(() => build().then(() => 0)),
  },
  browser: {
    title: 'Browser and end-to-end tests',
    kind: 'calls',
    after: ['build'],
    reads: [...tested, browserTests, 'tests/browser', 'tests/e2e', ...shared.browser],
    run: playwright('browser', [browserTests], ['--grep-invert', '@measures']),
  },
  kit: {
    title: 'Calls under test, of clients that nobody here wrote',
    kind: 'calls',
    after: ['build'],
    reads: [...tested, browserTests, 'tests/kit', ...shared.kit],
    run: playwright('kit', [kitTests], ['--grep-invert', '@measures|@situations|@incidents|@shadows']),
  },
  inject: {
    title: "ccscope's script in pages of others: watch, overlay and actions",
    kind: 'calls',
    after: ['build'],
    reads: [...tested, browserTests, 'tests/kit', 'tests/inject', ...shared.inject],
    run: playwright('inject', [injectTests], ['--grep-invert', '@measures']),
  },
  extension: {
    title: 'The browser extension in Chromium and Firefox',
    kind: 'calls',
    after: ['build'],
    reads: [...tested, browserTests, 'tests/extension', 'tests/kit/server.ts', 'tests/kit/pages'],
    run: playwright('extension', [extensionTests], []),
  },
  native: {
    title: 'Native tests under AddressSanitizer and UndefinedBehaviorSanitizer',
    kind: 'work',
    nice: 19,
    reads: ['wasm', 'tests/native', 'tests/fuzz', 'tests/vectors', 'scripts'],
    run: async () => {
      await buildNativeTests();
      return googleTest('native', availableParallelism(), runNativeTests);
    },
  },
  unit: {
    title: 'Unit and Node tests',
    kind: 'work',
    nice: 5,
    after: ['build'],
    reads: [...tested, 'tests/unit', 'tests/node', 'tests/fuzz', 'tests/vectors'],
    run: vitest('unit'),
  },
  package: {
    isStatic: true,
    title: 'Package in an empty project',
    // An example in one of the guides checks the rate that a real call reaches.
    kind: 'measures',
    after: ['build'],
    reads: [...built, ...documentFiles, 'LICENSE'],
    run: checks(() => node('scripts/test_package.mjs')),
  },
  lint: {
    isStatic: true,
    title: 'Lint',
    kind: 'work',
    nice: 19,
    reads: all,
    run: checks(() => bin('eslint/bin/eslint.js', '-c', lintConfig, '.')),
  },
  identity: {
    title: 'Identical bytes natively and in WebAssembly',
    kind: 'work',
    nice: 19,
    after: ['wasm'],
    reads: ['wasm', 'tests/native/identity', 'scripts'],
    run: checks(() => node('scripts/identity_test.mjs')),
  },
  types: {
    title: 'Types',
    kind: 'work',
    nice: 19,
    reads: all,
    run: checks(() =>
      bin('typescript/bin/tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', 'build/types.tsbuildinfo'),
    ),
  },
  format: {
    title: 'Format',
    kind: 'work',
    nice: 19,
    reads: all,
    run: checks(() => bin('prettier/bin/prettier.cjs', '--check', '--log-level=warn', ...prettierCache, '.')),
  },
  arrows: {
    isStatic: true,
    title: 'Which room uses which',
    kind: 'work',
    nice: 19,
    reads: ['src', ...settings],
    run: checks(() => bin('dependency-cruiser/bin/dependency-cruise.mjs', ...cruise)),
  },
  includes: {
    title: 'Which room of the core includes which',
    kind: 'work',
    nice: 19,
    reads: ['wasm', 'scripts'],
    run: checks(() => node('scripts/lint/check_core.mjs')),
  },
  readme: {
    title: 'Files and links in documents',
    kind: 'work',
    nice: 19,
    reads: documents,
    run: checks(
      () => node('scripts/lint/check_readme.mjs'),
      () => bin('remark-cli/cli.js', '.', '--frail', '--quiet', '--ignore-path', '.prettierignore'),
    ),
  },
  docs: {
    title: 'Documentation site: its links, its search, its policy',
    kind: 'work',
    nice: 19,
    after: ['build'],
    reads: documents,
    run: checks(() => node('scripts/lint/check_docs.mjs')),
  },
  size: {
    title: 'Sizes',
    kind: 'work',
    nice: 19,
    after: ['build'],
    reads: built,
    run: checks(() => node('scripts/lint/check_size.mjs')),
  },
  measures: {
    title: 'Browser tests and calls under test that judge rates and delays',
    kind: 'measures',
    after: ['build'],
    reads: [
      ...tested,
      browserTests,
      ...['tests/browser', 'tests/e2e', 'tests/kit', 'tests/inject'],
      ...Object.values(shared).flat(),
    ],
    run: playwright(
      'measures',
      [browserTests, kitTests, injectTests],
      ['--grep', '@measures', '--workers', '1'],
      {
        judgesTime: true,
      },
    ),
  },
  wire: {
    title: 'The shaper, measured on the wire',
    kind: 'alone',
    after: ['build'],
    reads: [...built, 'tests/node/shaper_wire.test.ts', 'tests/node/links.ts'],
    run: vitest('wire', { judgesTime: true }),
  },
};
