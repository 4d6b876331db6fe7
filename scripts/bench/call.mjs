// Measures a real call at 1 Mbps: the share of a core that the workers use, the page's redraws, and its long tasks.
// The workers measure this share themselves. On Linux, the kernel also measures it for each worker thread.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { inRoot } from '../lib/files.mjs';
import { heading, row } from './report.mjs';

const ticksPerSecond = 100;

/** CPU seconds of each thread with this name, in all processes (Linux). */
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
      // The process or thread ended while it was being read.
    }
  }
  return seconds;
}

const sides = ['sender', 'receiver'];
const shadows = ['gcc', 'nada', 'lcc'];
/**
 * GCC controls the call, with one parameter changed. So unchanged GCC can run as a shadow, i.e. as a
 * controller that computes rates which the call does not use.
 */
const inCharge = 'controller=gcc&set.alpha=0.84';

/** The CPU time that the workers have used so far: measured by their own clock, and on Linux also by the kernel. */
async function look(page) {
  const seen = await page.evaluate(() => ({
    cost: window.ccscope.cost(),
    workers: window.ccscope.state().status.workers,
  }));
  return { ...seen, threads: process.platform === 'linux' ? threadSeconds('DedicatedWorker') : new Map() };
}

/**
 * The share of a core that was used during `durationS`, in percent. `own`: the share of each side's worker, by its
 * own clock. `threads`: the share of each worker thread, by the kernel's clock.
 */
async function shareOver(page, durationS) {
  const before = await look(page);
  await sleep(durationS * 1000);
  const after = await look(page);
  const own = sides.map(
    (side) => (after.workers[side].busyMs - before.workers[side].busyMs) / durationS / 10,
  );
  const threads = [...after.threads].map(
    ([thread, seconds]) => (100 * (seconds - (before.threads.get(thread) ?? 0))) / durationS,
  );
  return { own, threads, cost: after.cost };
}

const sum = (values) => values.reduce((all, value) => all + value, 0);
const mean = (values) => sum(values) / values.length;

/**
 * Measures the cost of three shadows. They are switched off and on in turn within one call, so that both states are
 * measured under the same load.
 */
async function benchShadows(page, durationS) {
  const spans = { off: [], on: [] };
  for (const state of ['off', 'on', 'off', 'on']) {
    for (const text of shadows)
      await page.locator(`input[name=shadow][value=${text}]`).setChecked(state === 'on');
    await sleep(1000);
    spans[state].push(await shareOver(page, durationS / 4));
  }
  heading(`Three shadows (${shadows.join(', ')}) in the call, ${durationS} s (budget: 2 % of a core more)`);
  const more = (of) => mean(spans.on.map(of)) - mean(spans.off.map(of));
  row(
    'both workers, their own clock',
    more(({ own }) => sum(own)),
    '% of a core',
    'budget',
    2,
  );
  if (process.platform !== 'linux') return;
  row(
    'all worker threads, kernel time',
    more(({ threads }) => sum(threads)),
    '% of a core',
    'budget',
    2,
  );
}

export async function benchCall({ durationS }) {
  const { startServer } = await import('../../dist/lib/node.js');
  const { launchChromium } = await import('../../dist/lib/command_line/call/chromium.js');
  const server = await startServer({ port: 0, appDir: inRoot('dist/app') });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}?autostart=1&capacity=1mbps&rtt_ms=50&${inCharge}`);
    await page.waitForFunction(() => window.ccscope?.state().phase === 'connected', null, {
      timeout: 30_000,
    });
    const { own, threads, cost } = await shareOver(page, durationS);
    heading(`A call at 1 Mbps and 30 fps, ${durationS} s (budgets: 2 % of a core a worker, 6 ms a redraw)`);
    sides.forEach((side, i) => row(`${side}'s worker, its own clock`, own[i], '% of a core', 'budget', 2));
    for (const share of threads)
      row('a worker thread, kernel time (camera too)', share, '% of a core', 'budget', 2);
    const { refresh, longTasks } = cost;
    for (const [name, ms] of Object.entries(refresh)) {
      if (name.endsWith('Ms')) row(`redraw of a chart, ${name.slice(0, -2)}`, ms, 'ms', 'budget', 6);
    }
    console.log(`tasks over 50 ms: ${longTasks.count}, the longest ${longTasks.longestMs.toFixed(0)} ms`);
    await benchShadows(page, durationS);
  } finally {
    await browser.close();
    await server.close();
  }
}
