// `npm run bench`: what ccscope costs, each figure beside its budget or a peer measured in the same run.
//
//   npm run bench -- [--duration SECONDS]
//
// 1. The core: microseconds per frame of each preset, beside `gcc`.
// 2. A real call at 1 Mbps: share of a core that the workers take (their own clock and, on Linux, the
//    kernel's for their threads), the page's redraws and long tasks.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { fail } from './lib/run.mjs';
import { setup } from './setup.mjs';

const frames = 20_000;
const repeats = 5;
const ticksPerSecond = 100;

const row = (name, value, unit, beside, limit) => {
  const ratio = `${((100 * value) / limit).toFixed(0)} % of ${beside}`;
  console.log(`${name.padEnd(44)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(12)} ${ratio}`);
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Microseconds per frame; frames of 2 to 5 kB at 30 fps through a link of 1 Mbps. */
function timePreset(core, preset) {
  const receiver = core.createReceiver({ preset });
  let random = 1;
  const from = process.cpuUsage();
  for (let seq = 0; seq < frames; seq += 1) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const sizeBytes = 2000 + (random % 3000);
    const sendTimeUs = Math.round((seq * 1e6) / 30);
    receiver.pushArrival({ seq, sendTimeUs, arrivalTimeUs: sendTimeUs + 25_000 + 8 * sizeBytes, sizeBytes });
    receiver.takeFeedback();
    if (seq % 30 === 0) receiver.drain();
  }
  const { user, system } = process.cpuUsage(from);
  receiver.destroy();
  return (user + system) / frames;
}

async function benchCore() {
  const { loadCore, SCHEMA } = await import('../dist/lib/core/index.js');
  const core = await loadCore();
  timePreset(core, 'gcc'); // lets the engine compile
  const times = SCHEMA.presets.map(({ name }) => [
    name,
    median(Array.from({ length: repeats }, () => timePreset(core, name))),
  ]);
  const base = times.find(([name]) => name === 'gcc')[1];
  console.log('\nThe core, CPU time per frame (median of 5)');
  for (const [name, us] of times) row(name, us, 'us', 'gcc', base);
}

/** CPU seconds of each thread called so, over all processes (Linux). */
function threadSeconds(name) {
  const seconds = new Map();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      for (const tid of readdirSync(`/proc/${pid}/task`)) {
        const stat = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8');
        if (stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) !== name) continue;
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        seconds.set(`${pid}/${tid}`, (Number(fields[11]) + Number(fields[12])) / ticksPerSecond);
      }
    } catch {
      // The process or thread ended while it was looked at.
    }
  }
  return seconds;
}

async function benchCall(durationS) {
  const { startServer } = await import('../dist/lib/node/index.js');
  const { launchChromium } = await import('../dist/lib/node/call/chromium.js');
  const server = await startServer({ port: 0, appDir: inRoot('dist/app') });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}?autostart=1&capacity=1mbps&rtt_ms=50`);
    await page.waitForFunction(() => window.ccscope?.state().phase === 'connected', null, {
      timeout: 30_000,
    });
    const look = () =>
      page.evaluate(() => ({ cost: window.ccscope.cost(), workers: window.ccscope.state().status.workers }));
    const linux = process.platform === 'linux';
    const before = await look();
    const threadsBefore = linux ? threadSeconds('DedicatedWorker') : new Map();
    await sleep(durationS * 1000);
    const after = await look();
    const threadsAfter = linux ? threadSeconds('DedicatedWorker') : new Map();

    console.log(
      `\nA call at 1 Mbps and 30 fps, ${durationS} s (budgets: 2 % of a core a worker, 6 ms a redraw)`,
    );
    for (const side of ['sender', 'receiver']) {
      const ms = after.workers[side].busyMs - before.workers[side].busyMs;
      row(`${side}'s worker, its own clock`, ms / durationS / 10, '% of a core', 'budget', 2);
    }
    for (const [thread, seconds] of threadsAfter) {
      const used = seconds - (threadsBefore.get(thread) ?? 0);
      row('a worker thread, kernel time (camera too)', (100 * used) / durationS, '% of a core', 'budget', 2);
    }
    const { refresh, longTasks } = after.cost;
    for (const [name, ms] of Object.entries(refresh)) {
      if (name.endsWith('Ms')) row(`redraw of a chart, ${name.slice(0, -2)}`, ms, 'ms', 'budget', 6);
    }
    console.log(`tasks over 50 ms: ${longTasks.count}, the longest ${longTasks.longestMs.toFixed(0)} ms`);
  } finally {
    await browser.close();
    await server.close();
  }
}

async function bench() {
  const { values } = parseArgs({ options: { duration: { type: 'string', default: '60' } } });
  await setup({ chromium: true });
  await build();
  await benchCore();
  await benchCall(Number(values.duration));
}

await bench().catch(fail);
