// What a stranger gets: packs the package, installs it in an empty Vite project, builds the README's
// example there and runs it in Chromium; then runs the command line from the installed package. In an
// empty Playwright project it runs the example of the guide (src/playwright/README.md).
import { spawnSync } from 'node:child_process';
import {
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
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sirv from 'sirv';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { fail, output, Problem, run, say } from './lib/run.mjs';
import { findChromium } from './lib/tools.mjs';

const isWindows = process.platform === 'win32';
const npmOptions = ['--loglevel=error', '--no-audit', '--no-fund'];
const npm = (args, cwd) => run('npm', [...args, ...npmOptions], { cwd, shell: isWindows });
const versionOf = (name) =>
  JSON.parse(readFileSync(inRoot('node_modules', name, 'package.json'), 'utf8')).version;

/** The first block of code of a document behind this comment. */
function readmeExample(marker, document = 'README.md') {
  const readme = readFileSync(inRoot(document), 'utf8');
  const example = readme.split(`<!-- ${marker} -->`)[1]?.match(/```\w+\n([\s\S]*?)```/)?.[1];
  if (!example) throw new Problem(`${document} has no example behind <!-- ${marker} -->.`);
  return example;
}

const page = `<!doctype html>
<title>An empty Vite project</title>
<canvas width="640" height="360"></canvas><video autoplay muted playsinline></video><output></output>
<script type="module" src="/main.ts"></script>
`;

/** The package as it would be published. */
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
  writeFileSync(join(folder, 'call.ts'), readmeExample('example: a call of your own'));
  writeFileSync(join(folder, 'simulation.ts'), readmeExample('example: a simulation in a worker'));
  writeFileSync(join(folder, 'main.ts'), "import './call.js';\nimport './simulation.js';\n");
  writeFileSync(join(folder, 'core.mjs'), readmeExample('example: the core by itself'));
  writeFileSync(join(folder, 'simulation.mjs'), readmeExample('example: a simulation in Node'));
  await npm(
    ['install', tarball, `vite@${versionOf('vite')}`, `typescript@${versionOf('typescript')}`],
    folder,
  );
}

/** The example compiles against the types of the package. */
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
      what: "Checking the types of the README's example",
    },
  );
}

/** The built examples run in Chromium: video arrives, the controller reports, a simulation ends, no error is logged. */
async function checkPage(folder) {
  const server = createServer(sirv(join(folder, 'dist'))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const executablePath = await findChromium();
  const browser = await chromium.launch({
    executablePath,
    ignoreDefaultArgs: ['--headless', '--headless=old'],
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
  });
  try {
    const tab = await browser.newPage();
    const errors = [];
    tab.on('pageerror', (error) => errors.push(String(error)));
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    const worked = tab.waitForFunction(
      () =>
        document.querySelector('video').videoWidth > 0 &&
        /Simulated: call \d+ bit\/s, download \d+ bit\/s; \d+ rows$/.test(document.body.innerText.trim()) &&
        /\d+ groups/.test(document.querySelector('output').textContent),
      undefined,
      { timeout: 60_000 },
    );
    await worked.catch(async (error) => {
      const shown = await tab.locator('body').innerText();
      throw new Problem(
        `The README's example did not get going: ${[error.message, shown, ...errors].join('\n')}`,
      );
    });
    if (errors.length > 0) throw new Problem(`The README's example logged errors:\n${errors.join('\n')}`);
  } finally {
    await browser.close();
    server.close();
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

/** The examples of the core run in Node: 300 frames are at least 290 groups; call and TCP use most of a link. */
function checkCore(folder) {
  const used = output(process.execPath, ['simulation.mjs'], { cwd: folder });
  if (!(parseInt(used, 10) >= 70)) throw new Problem(`The README's example of a simulation said ${used}.`);
  const said = output(process.execPath, ['core.mjs'], { cwd: folder });
  if (!(parseInt(said, 10) >= 290)) throw new Problem(`The README's example of the core said ${said}.`);
}

/** The installed command runs, replays a trace and reproduces an experiment in its own workers. */
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

const guide = 'src/playwright/README.md';
const tsc = inRoot('node_modules/typescript/bin/tsc');

/** The guide's project with nothing but Playwright: its types hold, its test passes, the summary is there. */
async function checkPlaywright(folder, tarball) {
  mkdirSync(join(folder, 'tests'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const file of ['server.mjs', 'app.html', 'playwright.config.ts', 'tests/call.spec.ts'])
    writeFileSync(join(folder, file), readmeExample(`example: ${file}`, guide));
  await npm(['install', tarball, `@playwright/test@${versionOf('@playwright/test')}`], folder);
  // Playwright refuses to work with two copies of its runner.
  if (existsSync(join(folder, 'node_modules/ccscope/node_modules/@playwright/test')))
    throw new Problem('The package brings a copy of @playwright/test of its own.');
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--ignoreConfig'];
  const modules = ['--target', 'ES2022', '--module', 'nodenext', '--moduleResolution', 'nodenext'];
  await run(process.execPath, [tsc, ...strict, ...modules, 'tests/call.spec.ts'], {
    cwd: folder,
    what: "Checking the types of the guide's example",
  });
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
    say("Running the guide's example in an empty Playwright project …");
    await checkPlaywright(playwright, tarball);
    say('Installing the packed package in an empty Vite project …');
    await makeProject(folder, tarball);
    await checkTypes(folder);
    await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], {
      cwd: folder,
    });
    say("Running the README's example in Chromium …");
    await checkPage(folder);
    say('Running the core and the installed command in Node …');
    checkCore(folder);
    checkCommandLine(folder);
    say('The package works.');
  } finally {
    for (const made of [folder, playwright]) rmSync(made, { recursive: true, force: true });
  }
}

await testPackage().catch(fail);
