// A real call at 1 Mbps: share of a core that the workers take (their own clock and, on Linux, the
// kernel's for their threads), the page's redraws and long tasks.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { inRoot } from '../lib/files.mjs';
import { heading, row } from './report.mjs';

const ticksPerSecond = 100;

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

export async function benchCall({ durationS }) {
  const { startServer } = await import('../../dist/lib/node/index.js');
  const { launchChromium } = await import('../../dist/lib/node/call/chromium.js');
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

    heading(`A call at 1 Mbps and 30 fps, ${durationS} s (budgets: 2 % of a core a worker, 6 ms a redraw)`);
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
