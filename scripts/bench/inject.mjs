// Measures the cost of the script that users put into other people's pages. The page in this benchmark sends and
// receives four streams at 30 fps. The cost is the CPU time of the page's main thread and of the whole browser,
// and the time for inserting the script. Four kinds of calls are made in turn: without the script; with a
// transform that does nothing, instead of the script; with the script and its overlay collapsed; and with the
// script and its overlay open.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';

import { inRoot } from '../lib/files.mjs';
import { serveBlankPage } from '../lib/page_call.mjs';
import { heading, median, row } from './report.mjs';
import { browserSeconds, secondsSince } from './threads.mjs';

const path = inRoot('dist/lib/inject/ccscope.js');
const streams = 4;
/** The first seconds of a call are not measured: its rate is still growing. */
const settleS = 4;
const callS = 8;
/** By default, Chromium's fake camera delivers 20 frames per second. */
const flags = ['--use-fake-device-for-media-stream=fps=30'];
const budgets = {
  collapsed: { page: 1, browser: 5 },
  open: { page: 5 },
  attachMs: 50,
  gzippedBytes: 250_000,
};

/** Makes a WebRTC call between two peer connections of the same page. */
async function call(count) {
  const [caller, callee] = [new RTCPeerConnection(), new RTCPeerConnection()];
  window.callee = callee;
  caller.onicecandidate = ({ candidate }) => callee.addIceCandidate(candidate);
  callee.onicecandidate = ({ candidate }) => caller.addIceCandidate(candidate);
  callee.ontrack = ({ track }) => {
    const video = Object.assign(document.createElement('video'), { muted: true, width: 320 });
    video.srcObject = new MediaStream([track]);
    document.body.append(video);
    void video.play();
  };
  for (let i = 0; i < count; i++) {
    const [track] = (
      await navigator.mediaDevices.getUserMedia({ video: { width: 640, height: 360, frameRate: 30 } })
    ).getTracks();
    caller.addTransceiver(track, { direction: 'sendonly', sendEncodings: [{ maxBitrate: 400_000 }] });
  }
  await caller.setLocalDescription();
  await callee.setRemoteDescription(caller.localDescription);
  await callee.setLocalDescription();
  await caller.setRemoteDescription(callee.localDescription);
}

/**
 * Measures the minimum cost of any frame observer: every received frame passes through a worker that does nothing
 * with it. The transform is attached in the same task in which the receiver is created.
 */
function passThrough() {
  const source = `addEventListener('rtctransform', ({ transformer: { readable, writable } }) => {
    readable.pipeTo(writable).catch(() => undefined);
  });`;
  const worker = new Worker(URL.createObjectURL(new Blob([source])));
  const attach = ({ receiver }) => (receiver.transform = new RTCRtpScriptTransform(worker, {}));
  globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration) {
      super(configuration);
      this.addEventListener('track', attach);
    }
  };
}

/** Calls a function of the injected script by its name. */
const tell = (page, what) => page.evaluate((name) => globalThis[Symbol.for('ccscope.inject')][name](), what);

/** Seconds that the page's main thread has spent in tasks, as the browser counts them. */
async function taskSeconds(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value;
}

async function oneCall(launch, url, mode) {
  const browser = await launch(null, flags);
  try {
    const context = await browser.newContext({ permissions: ['camera'] });
    if (mode === 'passing') await context.addInitScript(passThrough);
    else if (mode !== 'without') await context.addInitScript({ path });
    const page = await context.newPage();
    await page.goto(url);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.evaluate(call, streams);
    if (mode === 'collapsed') {
      await tell(page, 'state');
      await tell(page, 'collapse');
    }
    await sleep(settleS * 1000);
    const frames = () =>
      page.evaluate(async () => {
        let decoded = 0;
        (await callee.getStats()).forEach(
          (stat) => (decoded += stat.type === 'inbound-rtp' ? stat.framesDecoded : 0),
        );
        return decoded;
      });
    const before = {
      frames: await frames(),
      task: await taskSeconds(session),
      cpu: browserSeconds(),
      ms: performance.now(),
    };
    await sleep(callS * 1000);
    const cpu = secondsSince(before.cpu);
    const s = (performance.now() - before.ms) / 1000;
    const task = (await taskSeconds(session)) - before.task;
    return {
      page: (100 * task) / s,
      browser: (100 * cpu.all) / s,
      perCodec: cpu.all / cpu.codec,
      // The pages of this benchmark start no workers of their own. So all workers belong to the script or, in the mode
      // `passing`, to the transform that does nothing.
      workers: (100 * cpu.workers) / (cpu.all - cpu.workers),
      fps: ((await frames()) - before.frames) / s / streams,
    };
  } finally {
    await browser.close();
  }
}

/** The time for which inserting the script blocks a page with a running call, in milliseconds. */
async function attachMs(launch, url) {
  const browser = await launch(null, flags);
  try {
    const context = await browser.newContext({ permissions: ['camera'] });
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate(call, streams);
    await sleep(settleS * 1000);
    const text = readFileSync(path, 'utf8');
    return await page.evaluate((source) => {
      const element = document.createElement('script');
      element.text = source;
      const fromMs = performance.now();
      document.head.append(element);
      return performance.now() - fromMs;
    }, text);
  } finally {
    await browser.close();
  }
}

export async function benchInject({ durationS }) {
  const { launchChromium } = await import('../../dist/lib/command_line/call/chromium.js');
  const { url, close } = await serveBlankPage();
  try {
    const rounds = Math.max(1, Math.round(durationS / (4 * callS)));
    const runs = { without: [], passing: [], collapsed: [], open: [] };
    for (let round = 0; round < rounds; round++)
      for (const mode of Object.keys(runs)) runs[mode].push(await oneCall(launchChromium, url, mode));
    const middle = (mode, name) => median(runs[mode].map((run) => run[name]));
    heading(`The script in a page with ${streams} streams, medians of ${rounds} of ${callS} s`);
    for (const mode of Object.keys(runs)) {
      const spread = runs[mode].map(({ perCodec }) => perCodec.toFixed(3)).join(', ');
      row(`${mode}: the browser`, middle(mode, 'browser'), '% of a core');
      row(`${mode}: … by what its codecs take (${spread})`, middle(mode, 'perCodec'), '');
      row(`${mode}: the page's main thread`, middle(mode, 'page'), '% of a core');
      row(`${mode}: pictures`, middle(mode, 'fps'), 'fps a stream');
    }
    row(
      'passing: the worker of a transform that does nothing',
      middle('passing', 'workers'),
      '% of all else',
    );
    for (const mode of ['collapsed', 'open']) {
      const more = (name) => middle(mode, name) - middle('without', name);
      row(`${mode}: more of the main thread`, more('page'), '% of a core', 'budget', budgets[mode].page);
      row(`${mode}: its workers`, middle(mode, 'workers'), '% of all else');
      const page = (100 * more('page')) / middle('without', 'browser');
      row(
        `${mode}: its workers and what it adds to the main thread`,
        middle(mode, 'workers') + page,
        '% of all else',
        'budget',
        budgets[mode].browser,
      );
      row(`${mode}: more of the browser`, (100 * more('perCodec')) / middle('without', 'perCodec'), '%');
    }
    const times = [];
    for (let round = 0; round < rounds; round++) times.push(await attachMs(launchChromium, url));
    row('coming into a page whose call runs', median(times), 'ms', 'budget', budgets.attachMs);
    row('gzipped', gzipSync(readFileSync(path), { level: 9 }).length, 'B', 'budget', budgets.gzippedBytes);
  } finally {
    close();
  }
}
