// Measures how soon the app's pages can be seen and used when they are loaded for the first time, on this machine and
// with its CPU slowed down four times. Each load has a new browser context, so nothing comes from a cache.
import { inRoot } from '../lib/files.mjs';
import { heading, median, row } from './report.mjs';

const loads = 7;
const slowdown = 4;
const pages = { Call: '', Lab: 'lab.html', Lessons: 'lessons.html', Papers: 'papers.html' };
const budgets = { paintMs: 1000, usableMs: 2000 };

/** Runs before the page's own scripts. Records when the first control exists, and when long tasks end. */
function watch() {
  const seen = { controlMs: null, longTasks: [] };
  window.seen = seen;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.longTasks.push(startTime + duration);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector('main button:not(:disabled), main a[href]') === null) return;
    seen.controlMs ??= performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

/**
 * Resolves half a second after the first control existed and the last long task ended. The page is usable from the
 * later of these two moments on.
 */
function settle() {
  const quietMs = 500;
  return new Promise((resolve) => {
    const look = () => {
      const { controlMs, longTasks } = window.seen;
      const lastMs = Math.max(controlMs ?? 0, ...longTasks);
      if (controlMs === null || performance.now() - lastMs < quietMs) return void setTimeout(look, 50);
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      resolve({ paintMs: paint?.startTime ?? NaN, usableMs: lastMs });
    };
    look();
  });
}

async function load(browser, url, rate) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(url);
    return await page.evaluate(settle);
  } finally {
    await context.close();
  }
}

export async function benchPages() {
  const { startServer } = await import('../../dist/lib/node.js');
  const { launchChromium } = await import('../../dist/lib/command_line/call/chromium.js');
  const server = await startServer({ port: 0, appDir: inRoot('dist/app') });
  const browser = await launchChromium();
  try {
    for (const [name, path] of Object.entries(pages)) {
      const times = { 1: [], [slowdown]: [] };
      for (let turn = 0; turn < loads; turn++)
        for (const rate of [1, slowdown]) times[rate].push(await load(browser, `${server.url}${path}`, rate));
      heading(`First load of ${name}, medians of ${loads} loads each`);
      for (const rate of [1, slowdown]) {
        const at = rate === 1 ? '' : `, CPU ${rate} times slower`;
        const of = (which) => median(times[rate].map((each) => each[which]));
        row(`first paint${at}`, of('paintMs'), 'ms', 'budget', budgets.paintMs);
        row(`usable${at}`, of('usableMs'), 'ms', 'budget', budgets.usableMs);
      }
    }
  } finally {
    await browser.close();
    await server.close();
  }
}
