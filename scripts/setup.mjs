// Installs everything that a fresh clone needs to build, run and test; quick if nothing is missing.
//
//   node scripts/setup.mjs        everything
//
// Installs the npm dependencies and Emscripten. For the tests, also installs a C++ compiler, GoogleTest, a Chromium,
// a Firefox, ffmpeg, and the programs for tests of calls through a server: Janus, coturn, and Go (for an SFU based on
// pion).
import { existsSync, readFileSync, statSync } from 'node:fs';

import { inRoot } from './lib/files.mjs';
import { canInstall, install, personIsThere } from './lib/install.mjs';
import { fail, nodeBin, Problem, run, say, which } from './lib/run.mjs';
import { isStarted } from './lib/started.mjs';
import { findChromium, findCxx, findEmcc, findFirefox, findFuzzer, findGoogleTest } from './lib/tools.mjs';

const oldestNode = [20, 19];

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new Problem(
    `ccscope needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}. ` +
      'Install a current one from https://nodejs.org or with your version manager.',
  );
}

/** Whether node_modules contains the packages that package-lock.json names. */
function hasDependencies() {
  const [lock, installed] = [inRoot('package-lock.json'), inRoot('node_modules/.package-lock.json')];
  if (!existsSync(installed)) return false;
  if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return true;
  const packages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const found = packages(installed);
  return Object.entries(packages(lock)).every(
    ([path, { version, optional }]) => path === '' || optional || found[path]?.version === version,
  );
}

async function installDependencies() {
  say('Installing the npm dependencies that package-lock.json names …');
  await run('npm', ['ci', '--loglevel=notice', '--no-audit', '--no-fund'], {
    shell: process.platform === 'win32',
  });
}

const howToGetEmscripten = `Emscripten (emcc) compiles the C++ core, and this machine's package manager does not offer it.
Please run this, then try again:

  git clone --depth 1 https://github.com/emscripten-core/emsdk ~/emsdk && ~/emsdk/emsdk install latest && ~/emsdk/emsdk activate latest
`;

const noChromium = `No Chromium that runs was found. Install one or set CCSCOPE_CHROMIUM to its path; if only its
system libraries are missing, run this, then try again:

  sudo npx playwright-core install-deps chromium
`;

/**
 * The server programs for tests of calls through a server. If a program is missing, the tests that need it are
 * skipped.
 */
const servers = ['janus', 'turnserver', 'go'];

/** The tools that are missing and that npm cannot install, as keys of systemPackages. */
async function missingTools({ native, chromium, firefox, fuzzer, ffmpeg, sfu }) {
  const missing = [];
  if (!findEmcc()) missing.push('emscripten');
  if (native && !findCxx()) missing.push('compiler');
  if (native && !findGoogleTest()) missing.push('googletest');
  if (chromium && !(await findChromium())) missing.push('chromium');
  if (firefox && !findFirefox()) missing.push('firefox');
  if (fuzzer && !findFuzzer()) missing.push('fuzzer');
  if (ffmpeg && !which('ffmpeg')) missing.push('ffmpeg');
  if (sfu) missing.push(...servers.filter((name) => !which(name)));
  return missing;
}

async function installChromium() {
  say('Missing: Chromium (real calls run in one). Playwright installs its own …');
  await nodeBin('playwright-core/cli.js', ['install', '--no-shell', 'chromium'], {
    what: 'Installing Chromium',
  });
}

/**
 * Installs what is requested. The npm dependencies and Emscripten are always installed. The options add:
 * - `native`: a C++ compiler and GoogleTest;
 * - `chromium`: a Chromium, whose path is stored in CCSCOPE_CHROMIUM for programs that run later;
 * - `firefox`: a Firefox;
 * - `fuzzer`: a clang with libFuzzer;
 * - `ffmpeg`: it generates the test videos that users can select by name;
 * - `sfu`: the servers for tests of calls through a server.
 */
export async function setup({
  native = false,
  chromium = false,
  firefox = false,
  fuzzer = false,
  ffmpeg = false,
  sfu = false,
} = {}) {
  checkNode();
  const dependencies = hasDependencies() ? undefined : installDependencies();
  // npm runs at the same time as the other installations. But on an interactive terminal npm runs first, because its
  // output could hide a question to the user.
  if (personIsThere()) await dependencies;
  const needs = { native, chromium, firefox, fuzzer, ffmpeg, sfu };
  const missing = await missingTools(needs);
  const fromSystem = missing.filter(canInstall);
  await Promise.all([dependencies, fromSystem.length > 0 ? install(fromSystem) : undefined]);
  const remaining = missing.length > 0 ? await missingTools(needs) : [];
  if (remaining.includes('emscripten')) throw new Problem(howToGetEmscripten);
  if (remaining.includes('compiler') || remaining.includes('googletest')) {
    throw new Problem(
      'Please install a C++20 compiler and GoogleTest (CXX and GTEST_ROOT may name them), then try again.',
    );
  }
  if (remaining.includes('fuzzer')) {
    throw new Problem(
      'Please install clang 14 or newer with libFuzzer (CLANG may name its clang++), then try again.',
    );
  }
  if (remaining.includes('ffmpeg')) throw new Problem('Please install ffmpeg, then try again.');
  if (remaining.includes('chromium')) await installChromium();
  const without = remaining.filter((name) => name === 'firefox' || servers.includes(name));
  if (without.length > 0)
    say(`Cannot be installed here: ${without.join(', ')}. The tests that need them are skipped.`);
  if (chromium) {
    const path = await findChromium();
    if (!path) throw new Problem(noChromium);
    process.env.CCSCOPE_CHROMIUM = path;
  }
}

if (isStarted(import.meta.url)) {
  await setup({ native: true, chromium: true, firefox: true, ffmpeg: true, sfu: true }).catch(fail);
  say('Everything is set up.');
}
