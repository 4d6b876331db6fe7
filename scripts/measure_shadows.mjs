// `npm run measure:shadows`: compares two instances of GCC. One sees only the receive side and derives send times
// from RTP timestamps; the other is given the real send times. The calls are real, under the browser's own
// controller. Writes the table of src/watch/accuracy.md.
//
//   npm run measure:shadows -- [--runs N]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { writeMeasured } from './lib/measured.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';

const document = inRoot('src/watch/accuracy.md');
const FALLS_S = [20, 40, 60];
const falls = ['2mbps', ...FALLS_S.flatMap((s) => [`0.6mbps@${s}s`, `2mbps@${s + 8}s`])].join(',');

/**
 * The links. Each is described by its differences from a link of 2 Mbps with an RTT of 50 ms and a queue of 300 ms.
 */
const links = [
  { name: '2 Mbps', flags: [] },
  { name: '2 Mbps, three times 0.6 Mbps for 8 s', flags: ['--capacity', falls], overloadsS: FALLS_S },
  { name: '1 Mbps', flags: ['--capacity', '1mbps'] },
  { name: 'jitter of 10 ms', flags: ['--jitter', '10ms'] },
  { name: '2 % loss', flags: ['--loss', '2%'] },
  {
    name: '2 % loss, three times 0.6 Mbps',
    flags: ['--loss', '2%', '--capacity', falls],
    overloadsS: FALLS_S,
  },
  { name: 'beside one CUBIC flow', flags: ['--cross-traffic', 'cubic:1'] },
];

/**
 * Makes a call and records it. Times in its trace are relative to the beginning of the call; times in its report
 * are relative to the first packet.
 */
async function call(flags, trace) {
  const args = ['call', '--controller', 'native', '--capacity', '2mbps', '--duration', '75s', ...flags];
  const cli = inRoot('dist/lib/command_line/cli.js');
  const child = spawn(process.execPath, [cli, ...args, '--trace', trace, '--json', '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Problem(`ccscope ${args.join(' ')} ended with ${code}.`);
  return JSON.parse(text);
}

/**
 * The results of calls with layers, i.e. with simulcast or SVC. `ccscope call` cannot make such calls, so
 * tests/kit/shadows.test.ts makes them and reports the results. Throws Problem if a call failed.
 */
async function layeredCalls(title, runs) {
  const args = [
    'test',
    '-c',
    'tests/kit/playwright.config.ts',
    '--grep',
    `${title} @shadows`,
    '--workers',
    '1',
  ];
  const flags = ['--repeat-each', String(runs), '--reporter', 'json'];
  const child = spawn(process.execPath, [inRoot('node_modules/@playwright/test/cli.js'), ...args, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: inRoot('.'),
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Problem(`The calls with layers ended with ${code}: ${text.slice(-2000)}`);
  const specs = JSON.parse(text).suites.flatMap((suite) => suite.specs);
  const annotations = specs.flatMap(({ tests }) => tests.flatMap((each) => each.annotations));
  return annotations
    .filter(({ type }) => type === 'shadow')
    .map(({ description }) => JSON.parse(description));
}

/** The times at which the capacity fell, on the trace's clock. */
function fallsIn(trace) {
  const rows = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"type":"queue"'));
  const steps = rows.map((line) => JSON.parse(line)).filter(({ link = 0 }) => link === 0);
  return steps
    .filter(({ capacity_bps }, i) => i > 0 && capacity_bps < (steps[i - 1]?.capacity_bps ?? 0))
    .map(({ time_us }) => time_us - 100e3);
}

/** Calls with layers, by the titles of their tests. */
const layered = [
  { title: 'simulcast through a unit', name: 'simulcast through a unit, 2 Mbps, three times 0.5 Mbps' },
  { title: 'spatial and temporal layers', name: 'VP9 with L3T3, 2 Mbps, three times 0.5 Mbps' },
];

const middle = (sorted) => sorted[sorted.length >> 1];

/** Text such as `0.998 (0.995–0.999)`: the median, then the smallest and the largest value. */
function spreadText(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return `${middle(sorted).toFixed(3)} (${sorted[0].toFixed(3)}–${sorted.at(-1).toFixed(3)})`;
}

function rowOf(name, results) {
  const all = (key) => results.map((result) => result[key]);
  const sum = (key) => all(key).reduce((total, value) => total + value, 0);
  const overloads = sum('overloads') === 0 ? '–' : `${sum('within')} of ${sum('overloads')}`;
  const held = `${(100 * (sum('held') / results.length)).toFixed(0)} %`;
  return [
    name,
    spreadText(all('correlation')),
    spreadText(all('whileRunning')),
    held,
    overloads,
    String(sum('groups')),
  ];
}

const head = [
  'link',
  'correlation of m (smallest–largest)',
  'the same while neither filter is held',
  'held',
  'overuse within 300 ms, of forced overloads',
  'groups',
];

async function measure() {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
  const runs = Number(values.runs);
  await setup({ chromium: true, sfu: true });
  await build();
  // Imported here and not above, since the library does not exist before the build.
  const { compare } = await import('./shadows/compare.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-shadows-'));
  const rows = [];
  let browser = '';
  for (const { name, flags, overloadsS } of links) {
    const results = [];
    for (let run = 0; run < runs; run++) {
      say(`${name}, ${run + 1} of ${runs} …`);
      const trace = join(folder, `${rows.length}-${run}.ndjson`);
      ({ browser } = await call(flags, trace));
      results.push(await compare(trace, overloadsS === undefined ? [] : fallsIn(trace)));
    }
    rows.push(rowOf(name, results));
    say(rows.at(-1).join('  '));
  }
  for (const { title, name } of layered) {
    say(name);
    rows.push(rowOf(name, await layeredCalls(title, runs)));
    say(rows.at(-1).join('  '));
  }
  rmSync(folder, { recursive: true });
  const facts = `${browser}, ${process.platform} ${arch()}, ${cpus().length} cores; ${runs} calls of 75 s a row, medians.`;
  await writeMeasured(document, 'shadows', { facts, head, rows });
  say('src/watch/accuracy.md is written.');
}

await measure().catch(fail);
