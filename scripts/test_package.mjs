// Tests the package as a new user gets it: packs and lints it, and installs it in an empty Vite project. In this
// project, it builds the examples from the guides to the library (src/README.md) and to the element
// (src/embed/README.md), and runs them in Chromium. It also tests the installed command, and two parts of the
// library's guide: the page with an import map, and the Node examples. In an empty Playwright project it runs the
// example of src/playwright/README.md.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import sirv from 'sirv';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { fail, nodeBin, output, Problem, run, say } from './lib/run.mjs';
import { findChromium } from './lib/tools.mjs';

const tsc = inRoot('node_modules/typescript/bin/tsc');
const isWindows = process.platform === 'win32';
const npmOptions = ['--loglevel=error', '--no-audit', '--no-fund'];
const npm = (args, cwd) => run('npm', [...args, ...npmOptions], { cwd, shell: isWindows });
const versionOf = (name) =>
  JSON.parse(readFileSync(inRoot('node_modules', name, 'package.json'), 'utf8')).version;

/** The first code block after the comment `marker` in a document. */
function exampleOf(marker, document = 'src/README.md') {
  const text = readFileSync(inRoot(document), 'utf8');
  const example = text.split(`<!-- ${marker} -->`)[1]?.match(/```\w+\n([\s\S]*?)```/)?.[1];
  if (!example) throw new Problem(`${document} has no example behind <!-- ${marker} -->.`);
  return example;
}

const page = `<!doctype html>
<title>An empty Vite project</title>
<canvas width="640" height="360"></canvas><video autoplay muted playsinline></video><output></output>
<script type="module" src="/main.ts"></script>
`;

const elementGuide = 'src/embed/README.md';

/** Packs the package as it would be published. Returns the path of the packed file. */
async function pack(folder) {
  await npm(['pack', '--pack-destination', folder], inRoot());
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
}

async function makeProject(folder, tarball) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'call.ts'), exampleOf('example: a call of your own'));
  writeFileSync(join(folder, 'simulation.ts'), exampleOf('example: a simulation in a worker'));
  writeFileSync(join(folder, 'element.ts'), exampleOf('example: the element with a bundler', elementGuide));
  const imports = ['call', 'simulation', 'element'].map((name) => `import './${name}.js';\n`);
  writeFileSync(join(folder, 'main.ts'), imports.join(''));
  writeFileSync(join(folder, 'core.mjs'), exampleOf('example: the core by itself'));
  writeFileSync(join(folder, 'simulation.mjs'), exampleOf('example: a simulation in Node'));
  writeFileSync(join(folder, 'common.cjs'), exampleOf('example: CommonJS'));
  writeFileSync(join(folder, 'import_map.html'), exampleOf('example: a page with an import map'));
  writeFileSync(join(folder, 'element.html'), exampleOf('example: a page with the element', elementGuide));
  await npm(
    ['install', tarball, `vite@${versionOf('vite')}`, `typescript@${versionOf('typescript')}`],
    folder,
  );
}

/** Entries of the package that are not modules and therefore have no types. */
const untyped = ['./ccscope.wasm', './inject', './inject/bookmarklet.txt'];

/** Checks that publint and are-the-types-wrong find nothing wrong in the package. */
async function lintTarball(tarball) {
  await nodeBin('publint/src/cli.js', ['--strict', tarball], { what: 'publint' });
  // Two checks are left out. `cjs-resolves-to-esm` is left out because Node 20.19 and newer can require ES modules.
  // The resolution `node10` is left out because it does not support `exports`, which the package needs.
  const rules = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm'];
  const args = [tarball, ...rules, '--exclude-entrypoints', ...untyped, '--format', 'ascii', '--no-summary'];
  await nodeBin('@arethetypeswrong/cli/dist/index.js', args, { what: 'are-the-types-wrong' });
}

/** Checks that the examples for the Vite project compile against the types of the package. */
async function checkTypes(folder) {
  const strict = [
    '--strict',
    '--noEmit',
    '--target',
    'ES2022',
    '--module',
    'ESNext',
    '--moduleResolution',
    'bundler',
  ];
  writeFileSync(join(folder, 'env.d.ts'), '/// <reference types="vite/client" />\n');
  await run(
    process.execPath,
    ['node_modules/typescript/bin/tsc', ...strict, '--ignoreConfig', 'main.ts', 'env.d.ts'],
    {
      cwd: folder,
      what: "Checking the types of the guide's example",
    },
  );
}

/**
 * Checks that all types of the package are complete: in a strict project that also checks the declarations of its
 * packages, and in which only the package and what it depends on are installed.
 */
async function checkDeclarations(folder) {
  const { exports } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const typed = Object.keys(exports).filter((entry) => exports[entry].types !== undefined);
  const imports = typed.map((entry, i) => `import * as entry${i} from '${entry.replace('.', 'ccscope')}';\n`);
  const all = `export const all = [${typed.map((_, i) => `entry${i}`).join(', ')}];\n`;
  writeFileSync(join(folder, 'entries.ts'), imports.join('') + all);
  const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--ignoreConfig'];
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'ES2022'];
  await run(process.execPath, [tsc, ...strict, ...modules, 'entries.ts'], {
    cwd: folder,
    what: 'Checking the declarations of all entries',
  });
}

/**
 * Checks that a CommonJS module in TypeScript finds the types of the package, with the module resolution of current
 * Node. Also runs the guide's example for CommonJS.
 */
async function checkCommonJs(folder) {
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'ES2022'];
  writeFileSync(
    join(folder, 'common.cts'),
    "import ccscope = require('ccscope');\nimport sim = require('ccscope/sim');\n" +
      'export const loads: [typeof ccscope.loadCore, typeof sim.loadCore] = [ccscope.loadCore, sim.loadCore];\n',
  );
  await run(
    process.execPath,
    [tsc, '--strict', '--noEmit', '--skipLibCheck', '--ignoreConfig', ...modules, 'common.cts'],
    { cwd: folder, what: 'Checking the types that CommonJS sees' },
  );
  const said = output(process.execPath, ['common.cjs'], { cwd: folder });
  if (!/^\d+ tables$/.test(said ?? '')) throw new Problem(`The guide's example for CommonJS said ${said}.`);
}

/** Checks that the page with an import map runs unchanged from the installed files. */
async function checkImportMap(folder) {
  await withTab(folder, async (tab, address) => {
    await tab.goto(`${address}import_map.html`);
    const output = tab.locator('output');
    await output.filter({ hasText: /^\d{5,} bit\/s$/ }).waitFor({ timeout: 30_000 });
  });
}

/**
 * Checks that the built examples run in Chromium: video arrives, the controller reports, a simulation ends, the element
 * draws, and no error goes uncaught.
 */
async function checkPage(folder) {
  await withTab(join(folder, 'dist'), async (tab, address) => {
    await tab.goto(address);
    await tab.waitForFunction(
      () =>
        document.querySelector('video').videoWidth > 0 &&
        /Simulated: call \d+ bit\/s, download \d+ bit\/s; \d+ rows$/.test(document.body.innerText.trim()) &&
        /\d+ groups/.test(document.querySelector('output').textContent) &&
        document.querySelector('ccscope-view').shadowRoot.querySelector('canvas') !== null,
      undefined,
      { timeout: 60_000 },
    );
  });
}

/**
 * Checks that the simulation in a worker also runs from Vite's development server. The server does not bundle what a
 * worker imports.
 */
async function checkDevServer(folder) {
  const vite = join(folder, 'node_modules/vite/bin/vite.js');
  const args = [vite, '--host', '127.0.0.1', '--port', '0', '--logLevel', 'info'];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (text) => {
        said += text;
        const [found] = /http:\/\/127\.0\.0\.1:\d+\//.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
      void ended.then((status) =>
        reject(new Problem(`Vite's server ended with ${status} and said ${said}.`)),
      );
    });
    await withPage(address, async (tab) => {
      await tab.goto(address);
      await tab.getByText(/Simulated: call \d+ bit\/s/).waitFor({ timeout: 60_000 });
    });
  } finally {
    child.kill();
    await ended;
  }
}

/**
 * Checks that the page with the element draws both of its figures. The page uses a copy of the element's folder,
 * and no bundler.
 */
async function checkElement(folder) {
  cpSync(join(folder, 'node_modules/ccscope/dist/lib/embed'), join(folder, 'ccscope'), { recursive: true });
  await withTab(folder, async (tab, address) => {
    await tab.goto(`${address}element.html`);
    for (const view of await tab.locator('ccscope-view').all()) {
      await view.scrollIntoViewIfNeeded();
      await view.getByRole('img', { name: /^Rates/ }).waitFor({ timeout: 30_000 });
    }
  });
  // Sites that render their pages in Node import the element there, too. So it has to load there, without defining
  // a custom element.
  const said = output(
    process.execPath,
    ['-e', "import('ccscope/view').then((m) => console.log(Object.keys(m)))"],
    {
      cwd: folder,
    },
  );
  if (!said?.includes('CcscopeView')) throw new Problem(`In Node, ccscope/view said ${said}.`);
}

/** Serves this folder, and calls `use` with a Chromium tab and the address of the server, as `withPage` does. */
async function withTab(folder, use) {
  const server = createServer(sirv(folder)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await withPage(`http://127.0.0.1:${server.address().port}/`, use);
  } finally {
    server.close();
  }
}

/**
 * Calls `use` with a Chromium tab and the address of a server. Throws Problem if `use` fails, or if an error in the
 * page goes uncaught.
 */
async function withPage(address, use) {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    ignoreDefaultArgs: ['--headless', '--headless=old'],
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
  });
  try {
    const tab = await browser.newPage();
    const errors = [];
    tab.on('pageerror', (error) => errors.push(String(error)));
    await use(tab, address).catch(async (error) => {
      const shown = await tab.locator('body').innerText();
      throw new Problem(
        `The guide's example did not get going: ${[error.message, shown, ...errors].join('\n')}`,
      );
    });
    if (errors.length > 0) throw new Problem(`The guide's example logged errors:\n${errors.join('\n')}`);
  } finally {
    await browser.close();
  }
}

/** A trace of a steady 30 fps, 0.5 Mbps video. */
function steadyTrace() {
  const header = { ccscope_trace: 1, created: new Date(0).toISOString(), source: 'test', clock: 'receiver' };
  const arrivals = Array.from({ length: 300 }, (_, seq) => {
    const send_time_us = Math.round((seq * 1e6) / 30);
    const arrival_time_us = send_time_us + 25_000;
    return { type: 'arrival', flow: 0, seq, send_time_us, arrival_time_us, size_bytes: 2083 };
  });
  return [header, ...arrivals].map((row) => `${JSON.stringify(row)}\n`).join('');
}

/**
 * Checks that two examples of the library's guide run in Node. The simulation must use at least 70 % of its link. The
 * 300 frames of the other example must form at least 290 packet groups.
 */
function checkCore(folder) {
  const used = output(process.execPath, ['simulation.mjs'], { cwd: folder });
  if (!(parseInt(used, 10) >= 70)) throw new Problem(`The guide's example of a simulation said ${used}.`);
  const said = output(process.execPath, ['core.mjs'], { cwd: folder });
  if (!(parseInt(said, 10) >= 290)) throw new Problem(`The guide's example of the core said ${said}.`);
}

/**
 * Checks that the installed command runs, replays a trace, and reproduces an experiment of a paper with its own
 * worker threads.
 */
function checkCommandLine(folder) {
  const ccscope = (...args) =>
    output('npx', ['--no-install', 'ccscope', ...args], { cwd: folder, shell: isWindows });
  const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const said = ccscope('--version');
  if (said !== version) throw new Problem(`ccscope --version said ${said}, expected ${version}.`);
  writeFileSync(join(folder, 'trace.ndjson'), steadyTrace());
  const rows = ccscope('replay', 'trace.ndjson', '--preset', 'gcc')
    ?.split('\n')
    .map((line) => JSON.parse(line));
  const groups = rows?.filter((row) => row.type === 'group') ?? [];
  if (groups.length < 250)
    throw new Problem(`ccscope replay wrote ${groups.length} group rows for 300 frames.`);
  const reproduced = ccscope('reproduce', 'ton-fig10', '--runs', '1', '--html', 'report.html', '--json', '-');
  const { failures, experiments } = JSON.parse(reproduced);
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  if (
    failures.length > 0 ||
    experiments[0]?.cells[0]?.metrics[0]?.measured.n !== 1 ||
    !page.includes('ton-fig10')
  )
    throw new Problem(`ccscope reproduce wrote ${reproduced.slice(0, 300)} …`);
}

/**
 * Checks the links in the package's guides. In the README, all links must work; in the other guides, the links to
 * guides and to pictures. Links into tests/ are not checked, since the package does not contain the tests.
 */
function checkGuides(folder) {
  const installed = join(folder, 'node_modules/ccscope');
  const guides = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  const missing = guides.flatMap((guide) => {
    const text = readFileSync(join(installed, guide), 'utf8').replace(/```[\s\S]*?```/g, '');
    return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
      .map(([, link]) => join(dirname(guide), link))
      .filter((file) => guide === 'README.md' || /\.(?:md|png)$/.test(file))
      .filter((file) => !isOnlyInClones(file) && !existsSync(join(installed, file)))
      .map((file) => `${guide} links to ${file}, which is not in the package.`);
  });
  if (guides.length < 30) throw new Problem(`The package has ${guides.length} guides.`);
  if (missing.length > 0) throw new Problem(missing.join('\n'));
}

const isOnlyInClones = (file) => file.startsWith('tests');

/** Checks that the installed command serves the app to a browser, and ends on SIGINT. */
async function checkServe(folder) {
  const cli = join(folder, 'node_modules/ccscope/dist/lib/command_line/cli.js');
  const child = spawn(process.execPath, [cli, 'serve', '--no-open', '--port', '0'], { cwd: folder });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => resolve(/http:\S+/.exec(text)?.[0]));
    void ended.then((status) => reject(new Problem(`ccscope serve ended with ${status}.`)));
  });
  const titles = [];
  for (const page of ['', 'lab.html', 'lessons.html', 'papers.html'])
    titles.push(/<title>[^<]+/.exec(await (await fetch(`${address}${page}`)).text())?.[0]);
  child.kill('SIGINT');
  const status = await ended;
  if (titles.some((title) => !title?.includes('ccscope')) || (status !== 0 && !isWindows))
    throw new Problem(`ccscope serve showed ${titles.join(', ')} and ended with ${status}.`);
}

const guide = 'src/playwright/README.md';

/**
 * Checks the example project of src/playwright/README.md: its types are right, its test passes, and the summary is
 * written. Only the package and Playwright are installed.
 */
async function checkPlaywright(folder, tarball) {
  mkdirSync(join(folder, 'tests'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const file of [
    'server.mjs',
    'app.html',
    'playwright.config.ts',
    'tests/call.spec.ts',
    'two_people.ts',
  ])
    writeFileSync(join(folder, file), exampleOf(`example: ${file}`, guide));
  await npm(['install', tarball, `@playwright/test@${versionOf('@playwright/test')}`], folder);
  // Playwright refuses to work with two copies of its runner.
  if (existsSync(join(folder, 'node_modules/ccscope/node_modules/@playwright/test')))
    throw new Problem('The package brings a copy of @playwright/test of its own.');
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--ignoreConfig'];
  const modules = ['--target', 'ES2022', '--module', 'nodenext', '--moduleResolution', 'nodenext'];
  await run(process.execPath, [tsc, ...strict, ...modules, 'tests/call.spec.ts', 'two_people.ts'], {
    cwd: folder,
    what: "Checking the types of the guide's example",
  });
  await checkDeclarations(folder);
  const env = { ...process.env, CHROMIUM: await findChromium(), FORCE_COLOR: '0' };
  const { status, stdout } = spawnSync('npx', ['--no-install', 'playwright', 'test'], {
    cwd: folder,
    shell: isWindows,
    env,
    encoding: 'utf8',
    timeout: 180_000,
  });
  if (status !== 0 || !/1 passed/.test(stdout) || !/Calls under test[\s\S]*✓/.test(stdout))
    throw new Problem(`The guide's example ended with ${status} and said:\n${stdout}`);
}

async function testPackage() {
  await build();
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-package-'));
  const playwright = mkdtempSync(join(tmpdir(), 'ccscope-playwright-'));
  try {
    const tarball = await pack(folder);
    say('Linting the packed package …');
    await lintTarball(tarball);
    say("Running the guide's example in an empty Playwright project …");
    await checkPlaywright(playwright, tarball);
    say('Installing the packed package in an empty Vite project …');
    await makeProject(folder, tarball);
    await checkTypes(folder);
    await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], {
      cwd: folder,
    });
    say("Running the guide's example in Chromium …");
    await checkPage(folder);
    await checkDevServer(folder);
    await checkImportMap(folder);
    await checkElement(folder);
    say('Running the core and the installed command in Node …');
    checkCore(folder);
    await checkCommonJs(folder);
    checkCommandLine(folder);
    await checkServe(folder);
    checkGuides(folder);
    say('The package works.');
  } finally {
    for (const made of [folder, playwright]) rmSync(made, { recursive: true, force: true });
  }
}

await testPackage().catch(fail);
