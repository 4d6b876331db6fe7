// `npm run soak`: simulates hours of use in minutes, to find growth that would otherwise show only after hours.
//
//   npm run soak -- [--minutes N] [--only day,call] [--hours N] [--json FILE]
//
// `day` sends 24 simulated hours of a call's messages through the pipelines. `call` holds two real calls for
// --minutes, with ICE restarts, changes of the controller and page reloads. Meanwhile, two hostile clients attack
// the servers. Once a minute, `call` samples the server, the kit and both browsers. The verdict depends on the
// slopes after the warm-up, not on the levels. The exit code is 1 if anything grows, or if an error went uncaught.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

import { SingleBar } from 'cli-progress';

import { build } from './build.mjs';
import { fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';

const PARTS = ['day', 'call'];
/**
 * The warm-up of the calls, which is not judged: their first half, but at most twenty minutes. During this time,
 * allocators take memory up to their final size. In the local server, for instance, the resident memory grows from
 * 62 to 65 MB while the heap is flat.
 */
const warmUpMinutes = (minutes) => Math.min(20, minutes / 2);

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '40' },
      hours: { type: 'string', default: '24' },
      only: { type: 'string', default: PARTS.join(',') },
      json: { type: 'string' },
    },
  });
  const [minutes, hours, only] = [Number(values.minutes), Number(values.hours), values.only.split(',')];
  const unknown = only.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Problem(`--only: expected ${PARTS.join(' or ')}; got ${unknown}`);
  for (const [name, value, least] of [
    ['minutes', minutes, 4],
    ['hours', hours, 4],
  ])
    if (!Number.isInteger(value) || value < least)
      throw new Problem(`--${name}: expected a whole number from ${least} on, since fewer give no slope`);
  if (process.platform !== 'linux' && only.includes('call'))
    throw new Problem('The calls are sampled through /proc, which only Linux has: try --only day.');
  return { minutes, hours, only, json: values.json };
}

/** A progress bar on a terminal; elsewhere nothing is shown. */
function progress(total, what) {
  const bar = new SingleBar({
    format: `${what} {bar} {value} of {total}, ETA {eta_formatted}`,
    stream: process.stderr,
    noTTYOutput: false,
  });
  if (!process.stderr.isTTY) return { to: () => undefined, end: () => undefined };
  bar.start(total, 0);
  return { to: (value) => bar.update(value), end: () => bar.stop() };
}

async function day(hours) {
  const bar = progress(hours, 'Simulated hours');
  const samples = [];
  const file = fileURLToPath(new URL('./soak/day_process.mjs', import.meta.url));
  const child = fork(file, [String(hours)], { execArgv: ['--expose-gc'] });
  let counts = null;
  child.on('message', ({ sample, counts: all }) => {
    if (all) counts = all;
    if (!sample) return;
    const { hour, heapBytes, wasmPages, cpuMs } = sample;
    const values = {
      'heap (MB)': heapBytes / 1e6,
      'WebAssembly pages': wasmPages,
      'CPU of an hour (s)': cpuMs / 1e3,
    };
    samples.push({ hours: hour, values });
    bar.to(hour);
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  bar.end();
  const faults = code === 0 ? [] : [`the day ended with exit code ${code}`];
  if (counts?.faults > 0) faults.push(`${counts.faults} faults of controllers`);
  if (counts?.outOfRange > 0) faults.push(`${counts.outOfRange} targets out of range`);
  return { samples, faults, counts };
}

const dayLimit = (name) => {
  if (name.startsWith('CPU')) return { unit: 's/h', limit: 0.1, judged: false };
  // The limit is per simulated hour: a heap may grow by at most 2.4 MB per simulated day.
  if (name.startsWith('heap')) return { unit: 'MB/h', limit: 0.1, judged: true };
  return { unit: '1/h', limit: 0.1, judged: true };
};

const figure = (value) => (Number.isFinite(value) ? value.toFixed(2) : '–').padStart(9);

function table(title, rows) {
  say(`\n${title}`);
  say(`${'series'.padEnd(40)}    first      last  slope an hour (95 % interval)       limit  verdict`);
  for (const { name, unit, limit, first, last, slope, low, high, verdict } of rows)
    say(
      `${name.padEnd(40)}${figure(first)} ${figure(last)} ${figure(slope)} (${figure(low).trim()} to ${figure(high).trim()}) ${unit}`.padEnd(
        100,
      ) + ` ${limit}  ${verdict}`,
    );
}

/** Prints the results of a part; returns whether the part passed. */
function report(title, rows, faults) {
  table(title, rows);
  say(faults.length === 0 ? 'No error went uncaught, and every step was done.' : `${faults.length} faults:`);
  for (const fault of faults.slice(0, 20)) say(`  ${fault}`);
  return faults.length === 0 && rows.every(({ verdict }) => verdict !== 'grows');
}

async function soak() {
  const { minutes, hours, only, json } = readOptions();
  await setup({ chromium: only.includes('call') });
  await build({ app: only.includes('call') });
  const { judge } = await import('./soak/slope.mjs');
  const all = {};
  let good = true;
  if (only.includes('day')) {
    const { samples, faults, counts } = await day(hours);
    const rows = judge(samples, { warmUpHours: Math.max(2, hours / 4), limitOf: dayLimit });
    good = report(`${hours} simulated hours: ${JSON.stringify(counts)}`, rows, faults) && good;
    all.day = { samples, faults, rows };
  }
  if (only.includes('call')) {
    const { limitOf, soakCalls } = await import('./soak/call.mjs');
    const bar = progress(minutes, 'Minutes of calls');
    const { samples, faults, sent } = await soakCalls({ minutes, onMinute: ({ number }) => bar.to(number) });
    bar.end();
    const rows = judge(samples, { warmUpHours: warmUpMinutes(minutes) / 60, limitOf });
    good =
      report(`${minutes} minutes of calls; hostile clients: ${JSON.stringify(sent)}`, rows, faults) && good;
    all.call = { samples, faults, rows };
  }
  if (json !== undefined) writeFileSync(json, JSON.stringify(all, null, 2));
  process.exitCode = good ? 0 : 1;
  console.log(good ? 'Nothing grows.' : 'Something grows or failed: see above.');
}

await soak().catch(fail);
