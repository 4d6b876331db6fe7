// Finds the tools that do not come from npm: Emscripten, a C++ compiler, GoogleTest, browsers, and a fuzzer.
// Versions are remembered per file and modification time, so that looking again costs nothing.
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { inRoot, recall, remember } from './files.mjs';
import { output, Problem, which } from './run.mjs';

const isWindows = process.platform === 'win32';

/** The version line that a tool prints; undefined if the tool does not run. */
function versionOf(path) {
  const name = `version-${path.replace(/[^\w.-]+/g, '_')}`;
  const key = String(statSync(path).mtimeMs);
  const [known, ...text] = recall(name)?.split('\n') ?? [];
  if (known === key) return text.join('\n');
  const answer = output(path, ['--version'], { shell: isWindows });
  if (answer !== undefined) remember(name, `${key}\n${answer}`);
  return answer;
}

/** The oldest version of clang whose libFuzzer can build the fuzz targets. */
const oldestClang = 14;

/** The oldest Emscripten that compiles the core. */
const oldestEmscripten = [3, 1, 6];

/** Whether a version, as [major, minor, patch], is older than another. */
export function isOlder(version, than) {
  const difference = than.map((n, i) => (version[i] ?? 0) - n).find((d) => d !== 0) ?? 0;
  return difference < 0;
}

/** The version of an emcc as [major, minor, patch]. */
export function emccVersion(emcc) {
  const version = versionOf(emcc)?.match(/\b(\d+)\.(\d+)\.(\d+)\b/);
  if (!version) throw new Problem(`${emcc} does not answer --version; is this Emscripten complete?`);
  return version.slice(1).map(Number);
}

/** The path of emcc, from EMCC, PATH, EMSDK or ~/emsdk, in this order; undefined if there is none. */
export function findEmcc() {
  const name = isWindows ? 'emcc.bat' : 'emcc';
  const sdks = [process.env.EMSDK, join(homedir(), 'emsdk')].filter(Boolean);
  const candidates = [
    process.env.EMCC,
    which('emcc'),
    ...sdks.map((sdk) => join(sdk, 'upstream/emscripten', name)),
  ];
  const emcc = candidates.find((path) => path && existsSync(path));
  if (!emcc) return undefined;
  const version = emccVersion(emcc);
  if (isOlder(version, oldestEmscripten)) {
    throw new Problem(
      `${emcc} is Emscripten ${version.join('.')}; the core needs ${oldestEmscripten.join('.')} or newer. ` +
        'Install a newer one, or let EMCC name another emcc.',
    );
  }
  return emcc;
}

/** The folder of the Binaryen that came with an emcc. */
export function binaryenRoot(emcc) {
  const config = join(dirname(emcc), isWindows ? 'em-config.bat' : 'em-config');
  const answer = output(config, ['BINARYEN_ROOT'], { shell: isWindows });
  if (answer === undefined)
    throw new Problem(`${config} does not say where Binaryen is; reinstall Emscripten.`);
  return answer.trim();
}

/**
 * The environment variables for emcc. Debian's emcc needs JavaScript modules that Debian installs where only Debian's
 * Node finds them, so their folder is added to NODE_PATH.
 */
export function emccEnv() {
  const debian = '/usr/share/nodejs';
  if (!existsSync(debian)) return {};
  return { NODE_PATH: [process.env.NODE_PATH, debian].filter(Boolean).join(delimiter) };
}

/** The path of a C++ compiler: the one that CXX names, else g++, clang++ or c++; undefined if there is none. */
export function findCxx() {
  const named = process.env.CXX;
  if (named) return existsSync(named) ? named : which(named);
  return ['g++', 'clang++', 'c++'].map(which).find(Boolean);
}

/** The prefix under which GoogleTest is installed (in its subfolders include and lib), or undefined. */
export function findGoogleTest() {
  const prefixes = [
    process.env.GTEST_ROOT,
    '/usr',
    '/usr/local',
    '/opt/homebrew',
    '/opt/homebrew/opt/googletest',
  ];
  return prefixes.filter(Boolean).find((prefix) => existsSync(join(prefix, 'include/gtest/gtest.h')));
}

/** Whether this compiler can link a program with libFuzzer and UndefinedBehaviorSanitizer. */
function linksFuzzer(compiler) {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-fuzzer-'));
  const source = join(folder, 'probe.cc');
  writeFileSync(
    source,
    '#include <vector>\nextern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n',
  );
  const args = ['-std=c++20', '-fsanitize=fuzzer,undefined', source, '-o', join(folder, 'probe')];
  const linked = output(compiler, args, { stdio: 'pipe' }) !== undefined;
  rmSync(folder, { recursive: true });
  return linked;
}

/**
 * The path of a clang++ 14 or newer with libFuzzer: the one that CLANG names, else clang++, else the newest
 * clang++-N, else Homebrew's; undefined if there is none.
 */
export function findFuzzer() {
  const newestFirst = Array.from({ length: 20 }, (_, i) => `clang++-${33 - i}`);
  const candidates = ['clang++', ...newestFirst].map(which);
  const homebrew = ['/opt/homebrew/opt/llvm/bin/clang++', '/usr/local/opt/llvm/bin/clang++'];
  return [process.env.CLANG, ...candidates, ...homebrew].find((path) => {
    if (!path || !existsSync(path)) return false;
    const key = `fuzzer ${statSync(path).mtimeMs}`;
    const name = `fuzzer-${path.replace(/[^\w.-]+/g, '_')}`;
    if (recall(name) === key) return true;
    const version = versionOf(path)?.match(/clang version (\d+)/);
    if (!version || Number(version[1]) < oldestClang || !linksFuzzer(path)) return false;
    remember(name, key);
    return true;
  });
}

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const chromiumApps = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of the Chromium that Playwright's installer has downloaded, or undefined. */
async function playwrightChromium() {
  const entry = inRoot('node_modules/playwright-core/index.mjs');
  if (!existsSync(entry)) return undefined;
  const { chromium } = await import(pathToFileURL(entry).href);
  return chromium.executablePath();
}

/**
 * The path of a Chromium that runs: the one that CCSCOPE_CHROMIUM names, else one on this machine, else Playwright's;
 * undefined if there is none.
 */
export async function findChromium() {
  const named = process.env.CCSCOPE_CHROMIUM;
  if (named) {
    if (existsSync(named)) return named;
    throw new Problem(`CCSCOPE_CHROMIUM names ${named}, which does not exist. Correct it or unset it.`);
  }
  // In some distributions, `chromium` is a launcher that only prints "install the snap", so the browser is asked for
  // its version. On Windows, this would open a window of Chrome, so there it is enough that the file exists.
  const runs = (path) => path && existsSync(path) && (isWindows || versionOf(path) !== undefined);
  return [...chromiumNames.map(which), ...chromiumApps].find(runs) ?? [await playwrightChromium()].find(runs);
}

/**
 * The path of a Firefox: the one that CCSCOPE_FIREFOX names, else firefox or firefox-esr; undefined if there is none.
 */
export function findFirefox() {
  const named = process.env.CCSCOPE_FIREFOX;
  if (!named) return ['firefox', 'firefox-esr'].map(which).find(Boolean);
  if (existsSync(named)) return named;
  throw new Problem(`CCSCOPE_FIREFOX names ${named}, which does not exist. Correct it or unset it.`);
}
