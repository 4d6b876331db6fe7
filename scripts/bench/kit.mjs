// Measures what observing costs the pages under test: the time until a page has loaded, and the CPU time of a call
// between two pages. Calls without the observer, with it, and with it using only getStats take turns, so that all
// are measured under the same load.
import { setTimeout as sleep } from 'node:timers/promises';

import { connect, framesOf, openPage, serveBlankPage } from '../lib/page_call.mjs';
import { heading, median, row } from './report.mjs';
import { browserSeconds, secondsSince } from './threads.mjs';

const loads = 25;
/** The limit for the additional CPU time of the browser with the observer, in percent. */
const budget = 5;
const callS = 8;
/** The first seconds of a call are not measured: its rate is still growing. */
const settleS = 4;

async function benchLoad(browser, url, observer) {
  const contexts = { without: await browser.newContext(), with: await browser.newContext() };
  await observer.observe(contexts.with);
  const times = { without: [], with: [] };
  for (let turn = 0; turn < 2 * loads; turn++) {
    const which = turn % 2 === 0 ? 'without' : 'with';
    const page = await contexts[which].newPage();
    await page.goto(url);
    const ms = await page.evaluate(
      () =>
        new Promise((done) => {
          const look = () => {
            const { loadEventEnd } = performance.getEntriesByType('navigation')[0];
            if (loadEventEnd > 0) done(loadEventEnd);
            else setTimeout(look, 10);
          };
          look();
        }),
    );
    times[which].push(ms);
    await page.close();
  }
  heading(`Loading an empty page, medians of ${loads} (budget: 50 ms more)`);
  const [without, observed] = [median(times.without), median(times.with)];
  row('without the observer', without, 'ms');
  row('with the observer', observed, 'ms');
  row('more', observed - without, 'ms', 'budget', 50);
}

/**
 * Makes one call; returns the share of a core that the browser and this process used for it, in percent, and the call's
 * results.
 */
async function oneCall(launch, url, makeObserver) {
  const browser = await launch();
  const observer = makeObserver?.();
  try {
    const receiver = await openPage(browser, url, observer);
    const sender = await openPage(browser, url, observer);
    await connect(sender, receiver);
    await sleep(settleS * 1000);
    const before = { cpu: browserSeconds(), own: process.cpuUsage(), frames: await framesOf(receiver) };
    await sleep(callS * 1000);
    const own = process.cpuUsage(before.own);
    const taken = secondsSince(before.cpu);
    return {
      browser: (100 * taken.all) / callS,
      perCodec: taken.all / taken.codec,
      observed: (100 * taken.observed) / callS,
      node: (own.user + own.system) / 1e4 / callS,
      fps: ((await framesOf(receiver)) - before.frames) / callS,
      seen: observer?.record.endpoints.reduce((sum, { frames }) => sum + frames.rows, 0),
    };
  } finally {
    await browser.close();
    await observer?.close();
  }
}

async function benchCallCpu(launch, url, makeObserver, pairs) {
  const runs = { without: [], with: [], getStats: [] };
  const observers = { with: () => makeObserver('transform'), getStats: () => makeObserver('getStats') };
  for (let turn = 0; turn < 3 * pairs; turn++) {
    const which = Object.keys(runs)[turn % 3];
    runs[which].push(await oneCall(launch, url, observers[which]));
  }
  const middle = (which, name) => median(runs[which].map((run) => run[name]));
  heading(
    `The observer beside a call of two pages at 1 Mbps, medians of ${pairs} of ${callS} s (budget: ${budget} % more CPU)`,
  );
  const names = { without: 'without it', with: 'with it', getStats: 'with it, by getStats' };
  for (const [which, name] of Object.entries(names)) {
    const spread = (of, digits) => runs[which].map((run) => run[of].toFixed(digits)).join(', ');
    row(`the browser ${name} (${spread('browser', 1)})`, middle(which, 'browser'), '% of a core');
    row(`… by what its codecs take (${spread('perCodec', 3)})`, middle(which, 'perCodec'), '');
    row(`this process ${name}`, middle(which, 'node'), '% of a core');
    row(`pictures ${name}`, middle(which, 'fps'), 'fps');
  }
  for (const which of ['with', 'getStats']) {
    const more = 100 * (middle(which, 'perCodec') / middle('without', 'perCodec') - 1);
    row(`more CPU in the browser ${names[which]}`, more, '%', 'budget', budget);
    const ofItsThreads = middle(which, 'observed') - middle('without', 'observed');
    row(
      'what its own threads took',
      (100 * ofItsThreads) / middle('without', 'browser'),
      '%',
      'budget',
      budget,
    );
    const ofThisProcess = middle(which, 'node') - middle('without', 'node');
    row(
      'this process included',
      more + (100 * ofThisProcess) / middle('without', 'browser'),
      '%',
      'budget',
      2 * budget,
    );
  }
  if (runs.with.some(({ seen }) => !(seen > 0)))
    console.log('No frames were observed: these numbers say nothing.');
}

export async function benchKit({ durationS }) {
  const { CallObserver } = await import('../../dist/lib/observe/observer.js');
  const { launchChromium } = await import('../../dist/lib/command_line/call/chromium.js');
  const { url, close } = await serveBlankPage();
  const makeObserver = (frameTiming) => new CallObserver({ originEpochMs: Date.now(), frameTiming });
  try {
    const browser = await launchChromium();
    const observer = makeObserver('transform');
    await benchLoad(browser, url, observer).finally(() => browser.close());
    await observer.close();
    if (process.platform !== 'linux') return;
    await benchCallCpu(launchChromium, url, makeObserver, Math.max(1, Math.round(durationS / (2 * callS))));
  } finally {
    close();
  }
}
