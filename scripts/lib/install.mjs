// Installs system packages with the platform's package manager. Reports what it installs and why. On an interactive
// terminal, asks the user before using sudo. If it may not install packages, prints the command that the user
// should run.
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';

import { output, Problem, run, say, which } from './run.mjs';

/**
 * The tools that can be installed as system packages. For each tool: what it is needed for, and the names of its
 * packages in each package manager.
 */
export const systemPackages = {
  emscripten: {
    why: 'Emscripten compiles the C++ core to WebAssembly',
    'apt-get': ['emscripten'],
    dnf: ['emscripten'],
    pacman: ['emscripten'],
    brew: ['emscripten'],
  },
  compiler: {
    why: 'a C++ compiler builds the native tests of the core',
    'apt-get': ['g++'],
    dnf: ['gcc-c++', 'libasan', 'libubsan'],
    pacman: ['gcc'],
    brew: ['llvm'],
  },
  googletest: {
    why: 'GoogleTest runs the native tests of the core',
    'apt-get': ['libgtest-dev'],
    dnf: ['gtest-devel'],
    pacman: ['gtest'],
    brew: ['googletest'],
  },
  fuzzer: {
    why: 'clang and its libFuzzer run the fuzz targets of the core',
    'apt-get': ['clang-14', 'libclang-rt-14-dev'],
    dnf: ['clang', 'compiler-rt', 'libstdc++-devel'],
    pacman: ['clang', 'compiler-rt'],
    brew: ['llvm'],
  },
  chromium: {
    why: 'real calls run in a Chromium',
    'apt-get': ['chromium'],
    dnf: ['chromium'],
    pacman: ['chromium'],
    brew: undefined,
  },
  firefox: {
    why: 'the browser extension is tested in Firefox, too',
    'apt-get': ['firefox-esr'],
    dnf: ['firefox'],
    pacman: ['firefox'],
    brew: undefined,
  },
  ffmpeg: {
    why: 'ffmpeg makes the videos that calls send by name',
    'apt-get': ['ffmpeg'],
    dnf: ['ffmpeg-free'],
    pacman: ['ffmpeg'],
    brew: ['ffmpeg'],
  },
  janus: {
    why: 'calls under test go through Janus, too',
    'apt-get': ['janus'],
    dnf: undefined,
    pacman: undefined,
    brew: undefined,
  },
  turnserver: {
    why: 'calls under test ask for the TURN server coturn, too',
    'apt-get': ['coturn'],
    dnf: ['coturn'],
    pacman: ['coturn'],
    brew: ['coturn'],
  },
  go: {
    why: 'Go builds the forwarding unit on pion that calls under test go through, too',
    'apt-get': ['golang-go'],
    dnf: ['golang'],
    pacman: ['go'],
    brew: ['go'],
  },
};

const managers = {
  'apt-get': { refresh: ['update'], install: ['install', '-y', '--no-install-recommends'], needsRoot: true },
  dnf: { install: ['install', '-y'], needsRoot: true },
  pacman: { install: ['-S', '--needed', '--noconfirm'], needsRoot: true },
  brew: { install: ['install'], needsRoot: false },
};

const packageManager = () => Object.keys(managers).find((name) => which(name));
const isRoot = () => process.getuid?.() === 0;
/** Whether a user can answer questions on this terminal. */
export const personIsThere = () => Boolean(process.stdin.isTTY && process.stderr.isTTY && !process.env.CI);

async function agreesTo(command) {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`Run \`${command}\` now? [Y/n] `);
  prompt.close();
  return /^(y(es)?)?$/i.test(answer.trim());
}

/**
 * The prefix that runs a command as root: [], ['sudo'] or ['sudo', '-n']. Undefined if the command cannot run as
 * root, or if the user refuses.
 */
async function elevation(command) {
  if (isRoot()) return [];
  if (!which('sudo')) return undefined;
  if (personIsThere()) return (await agreesTo(command)) ? ['sudo'] : undefined;
  return output('sudo', ['-n', 'true']) === undefined ? undefined : ['sudo', '-n'];
}

// On Ubuntu, the packages of Chromium and Firefox only fetch a snap, which works neither in containers nor with
// automation.
const isUbuntu = () =>
  existsSync('/etc/os-release') && /^ID=ubuntu$/m.test(readFileSync('/etc/os-release', 'utf8'));

/** Whether the package manager of this machine can install this entry of systemPackages. */
export function canInstall(need) {
  if ((need === 'chromium' || need === 'firefox') && isUbuntu()) return false;
  return Boolean(systemPackages[need][packageManager()]);
}

/** Installs the packages of the given keys of systemPackages in one go. */
export async function install(needs) {
  const name = packageManager();
  const { refresh, install: verb, needsRoot } = managers[name];
  const packages = needs.flatMap((need) => systemPackages[need][name]);
  const steps = [...(refresh ? [[name, ...refresh]] : []), [name, ...verb, ...packages]];
  const command = steps.map((step) => [...(needsRoot ? ['sudo'] : []), ...step].join(' ')).join(' && ');
  for (const need of needs)
    say(`Missing: ${systemPackages[need][name].join(', ')} (${systemPackages[need].why}).`);
  const prefix = needsRoot ? await elevation(command) : [];
  if (!prefix) throw new Problem(`Please run this, then try again:\n\n  ${command}\n`);
  for (const step of steps) {
    say(`Running: ${[...prefix, ...step].join(' ')}`);
    const [program, ...args] = [...prefix, ...step];
    await run(program, args, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
  }
}
