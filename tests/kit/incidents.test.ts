/**
 * Disturbs real calls in known ways, and checks which cause the incident log names at each end. Run with `npm run
 * incidents`, which counts the causes and prints the confusion matrix. The log gets the same data as in an overlay
 * on somebody else's page: getStats and the arrival of frames, but no data from the link.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';

import type { Browser, Page } from '@playwright/test';

import { isTaken, watchWakes } from '../../scripts/test/wakes.mjs';
import type { CallRecord } from '../../src/calls/record/record.js';
import type { CauseKind } from '../../src/judge/index.js';
import { IncidentLog, type Incident, type IncidentKind } from '../../src/judge/incidents/index.js';
import type { LinkSettings } from '../../src/link/settings.js';
import { CallObserver } from '../../src/observe/observer.js';
import { openShaperLink } from '../../src/shaper/index.js';
import { Bed, expect, secondsOfVideo, test as bedTest } from './bed.js';
import { seenAround, type Side } from './seen_around.js';
import { ownAddress, startPion, startTurn, type ControlledUnit, type TurnServer } from './sfu/servers.js';

interface Scene {
  bed: Bed;
  /** The page that sends, and the one that receives. */
  sender: Page;
  receiver: Page;
  unit: ControlledUnit | null;
  /**
   * The TURN servers of a call with `through: 'turn'`: the one that the call uses, and a slow one to which the call can
   * move. Otherwise empty.
   */
  turns: readonly TurnServer[];
  /** Functions to call at the end of the scene. */
  ended: (() => void)[];
}

interface Provocation {
  name: string;
  /**
   * How the two pages reach each other. Default: over the link. `pion`: over the link and an SFU. `turn`: over a TURN
   * server, without the link. `nothing`: directly, without the link.
   */
  through?: 'pion' | 'turn' | 'nothing';
  /** The kind of incident whose cause is checked. Default: the first incident is checked, whatever its kind. */
  kind?: IncidentKind;
  /** The state of the link before the provocation; it is set once the call's rate has settled. */
  link?: Pick<LinkSettings, 'jitter' | 'loss'>;
  /** The options of the sending page. */
  publishes?: Readonly<Record<string, string | number>>;
  /** How long the call runs before the provocation; default: SETTLE_S. */
  settleS?: number;
  /**
   * The causes that are correct at each end, the main one first. If an end is left out, its cause is not checked.
   */
  expected: Partial<Record<Side, readonly CauseKind[]>>;
  /**
   * Whether the provocation itself takes processor time away. Such a test is not repeated when processor time is
   * missing.
   */
  takesProcessors?: boolean;
  provoke(scene: Scene): Promise<unknown>;
}

/** How long a call runs before it is disturbed, so that its rate can settle. */
const SETTLE_S = 12;
/**
 * How long a call with a high resolution runs before it is disturbed. The browser starts at a low resolution,
 * and raises it step by step.
 */
const LARGE_SETTLE_S = 35;
/** How long the link is in a bad state before the provocation: so long that the log treats this state as normal. */
const USUAL_MS = 10_000;
/** How soon after a provocation (a deliberate disturbance) the log must report an incident with its cause. */
const WAIT_MS = 15_000;

/** Runs code in the sending page. In this code, `sender` is the page's RTCRtpSender for video. */
const withSender = (page: Page, change: string): Promise<unknown> =>
  page.evaluate(
    `(async () => {
      const peer = globalThis.connection?.() ?? globalThis.peer;
      const [sender] = peer.getSenders().filter(({ track }) => track?.kind === 'video');
      ${change}
    })()`,
  );

const setEncodings = (page: Page, change: string): Promise<unknown> =>
  withSender(
    page,
    `const parameters = sender.getParameters();
     for (const encoding of parameters.encodings) { ${change} }
     await sender.setParameters(parameters);`,
  );

/** Drops all packets on the link for a while. */
async function interrupt({ bed: { link }, receiver }: Scene, ms: number): Promise<void> {
  await link.set({ loss: '100%', backward: { loss: '100%' } });
  await receiver.waitForTimeout(ms);
  await link.set({ loss: '0%', backward: { loss: '0%' } });
}

const STILL = `
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 });
  const context = canvas.getContext('2d');
  let shade = 0;
  setInterval(() => { context.fillStyle = ++shade % 2 ? '#111' : '#112'; context.fillRect(0, 0, 640, 360); }, 33);
  await sender.replaceTrack(canvas.captureStream(30).getVideoTracks()[0]);`;

/** `takeProcessors` lets the browser's processes run for only OWN_MS of every TURN_MS. */
const TURN_MS = 100;
const OWN_MS = 15;

/**
 * Suspends the browser's processes for most of the time, until the scene ends. This has the same effect as other
 * programs that use the processors.
 */
async function takeProcessors({ sender, ended }: Scene): Promise<void> {
  const session = await sender.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
  // The browser's main process keeps running: it handles no media, and the test talks to it.
  const pids = processInfo.filter(({ type }) => type !== 'browser').map(({ id }) => id);
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const pid of pids) process.kill(pid, name);
  };
  let stops: NodeJS.Timeout | undefined;
  const takes = setInterval(() => {
    signal('SIGCONT');
    stops = setTimeout(() => signal('SIGSTOP'), OWN_MS);
  }, TURN_MS);
  ended.push(() => {
    clearInterval(takes);
    clearTimeout(stops);
    signal('SIGCONT');
  });
}

/** Whether a thread of a page's process encodes or decodes video, judging by its name. */
const isCodec = (name: string): boolean => name.startsWith('ThreadPool');
const SCHEDULED_MS = 500;
/** Returns the result of `look`, or `otherwise` if `look` throws because the process or thread has ended. */
function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

function threads(pid: number, isOne: (name: string) => boolean): number[] {
  const folder = `/proc/${pid}/task`;
  return unlessGone(() => readdirSync(folder), [])
    .filter((tid) => isOne(unlessGone(() => readFileSync(join(folder, tid, 'comm'), 'utf8'), '')))
    .map(Number);
}

/** The processes of a browser's pages. */
async function pageProcesses(browser: Browser | null): Promise<number[]> {
  const session = await browser?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/**
 * Until the scene ends, leaves the codecs only about a sixth of the processor time, without slowing other threads. The
 * codecs get the scheduling policy `idle` (weight 3, see sched(7)). On each core, a busy thread of low priority (weight
 * 15) competes with them. So the codecs get 3/18 of the time that other threads leave. Other threads have much larger
 * weights, so they are hardly slowed. The busy threads are workers of another page in the same browser, because Linux
 * may first divide the processors among sessions (autogroup), and a browser is one session.
 */
async function starveCodecs({ sender, ended }: Scene): Promise<void> {
  const browser = sender.context().browser();
  const pages = await pageProcesses(browser);
  const busy = await browser?.newPage();
  await busy?.evaluate((count) => {
    const source = URL.createObjectURL(new Blob(['for (;;);']));
    for (let i = 0; i < count; i++) new Worker(source);
  }, availableParallelism());
  const others = (await pageProcesses(browser)).filter((pid) => !pages.includes(pid));
  const starve = (): void => {
    for (const tid of pages.flatMap((pid) => threads(pid, isCodec)))
      spawnSync('chrt', ['--idle', '--pid', '0', String(tid)], { stdio: 'ignore' });
    for (const tid of others.flatMap((pid) => threads(pid, () => true)))
      unlessGone(() => setPriority(tid, constants.priority.PRIORITY_LOW), undefined);
  };
  starve();
  const again = setInterval(starve, SCHEDULED_MS);
  ended.push(() => {
    clearInterval(again);
    void busy?.close();
  });
}

/** Code for a page: renegotiates with a forged SDP answer that limits the rate of the video. */
const boundBy = (kbps: number): string => `(async () => {
  const { sdp } = peer.currentRemoteDescription;
  await peer.setLocalDescription();
  await peer.setRemoteDescription({
    type: 'answer',
    sdp: sdp.replace(/(m=video[^]*?\\r\\nc=[^\\r]*\\r\\n)/, '$1b=AS:${kbps}\\r\\n'),
  });
})()`;

/** Code for a page: makes it use another TURN server, and restarts ICE. */
const moveTo = (url: string): string => `(async () => {
  peer.setConfiguration(configurationOf(${JSON.stringify(url)}));
  peer.restartIce();
  await describe();
})()`;
/** The rate limit of the slow TURN server; the call sends at a higher rate. */
const SLOW_TURN_BYTES_PER_S = 50_000;

const simplePicture = (name: string, link: NonNullable<Provocation['link']>): Provocation => ({
  ...{ name: `the picture becomes simple under steady ${name}`, link, kind: 'rate-fall' },
  expected: { sender: ['application-limited'], receiver: ['far-side-limited'] },
  provoke: ({ sender }) => withSender(sender, STILL),
});

const remb = (name: string, link: NonNullable<Provocation['link']>): Provocation => ({
  ...{
    name: `the server asks for less (REMB) under steady ${name}`,
    through: 'pion',
    link,
    kind: 'rate-fall',
  },
  expected: { sender: ['far-side-limited'], receiver: ['far-side-limited'] },
  provoke: ({ unit }) => unit?.control({ limitBps: 200_000 }) ?? Promise.resolve(),
});

/**
 * Provocations on links that always have some jitter or loss. The log must not name this usual jitter or loss as
 * the cause. Through the SFU the loss is only 1 %: with 3 %, the loss alone would lower Chromium's estimate to the
 * rate that the provocation allows.
 */
const ON_BAD_LINKS: readonly Provocation[] = [
  simplePicture('jitter', { jitter: '15ms' }),
  simplePicture('loss of 3 %', { loss: '3%' }),
  remb('jitter', { jitter: '15ms' }),
  remb('loss of 1 %', { loss: '1%' }),
];

const PROVOCATIONS: readonly Provocation[] = [
  ...ON_BAD_LINKS,
  {
    name: 'capacity falls to a quarter',
    expected: { sender: ['overuse'], receiver: ['overuse'] },
    provoke: ({ bed: { link } }) => link.set({ capacity: '500kbps' }),
  },
  {
    name: 'TCP joins, and the round trip grows',
    kind: 'delay-rise',
    expected: { sender: ['overuse'], receiver: ['overuse'] },
    provoke: ({ bed: { link } }) => link.set({ crossTraffic: 'cubic:2' }),
  },
  {
    name: 'the picture freezes while nothing passes for 3 s',
    kind: 'freeze',
    expected: { receiver: ['outage'] },
    provoke: (scene) => interrupt(scene, 3000),
  },
  {
    name: 'other programs take the processors',
    through: 'nothing',
    expected: {
      // A page that gets too little processor time also draws fewer video frames, so it may be limited by its
      // own source.
      sender: ['machine-overloaded', 'cpu-limited', 'application-limited'],
      receiver: ['machine-overloaded', 'cpu-limited', 'far-side-limited'],
    },
    takesProcessors: true,
    provoke: (scene) => takeProcessors(scene),
  },
  {
    name: 'TCP joins',
    expected: { sender: ['overuse'], receiver: ['overuse'] },
    provoke: ({ bed: { link } }) => link.set({ crossTraffic: 'cubic:2' }),
  },
  {
    name: '20 % of the packets are lost',
    kind: 'rate-fall',
    expected: { sender: ['loss'], receiver: ['loss'] },
    provoke: ({ bed: { link } }) => link.set({ loss: '20%' }),
  },
  {
    name: 'nothing passes for 3 s',
    expected: { sender: ['outage'], receiver: ['outage'] },
    provoke: (scene) => interrupt(scene, 3000),
  },
  {
    name: 'nothing passes for 10 s',
    expected: { sender: ['outage'], receiver: ['outage'] },
    provoke: (scene) => interrupt(scene, 10_000),
  },
  {
    name: 'the page caps the rate',
    expected: { sender: ['cap'], receiver: ['far-side-limited'] },
    provoke: ({ sender }) => setEncodings(sender, 'encoding.maxBitrate = 300_000;'),
  },
  {
    name: 'the far side describes itself with b=AS',
    expected: { sender: ['cap'], receiver: ['far-side-limited'] },
    provoke: ({ sender }) => sender.evaluate(boundBy(300)),
  },
  {
    name: 'the codecs get too little of the processors',
    through: 'nothing',
    publishes: { width: 1280, height: 720 },
    settleS: LARGE_SETTLE_S,
    kind: 'rate-fall',
    expected: { sender: ['cpu-limited'] },
    takesProcessors: true,
    provoke: (scene) => starveCodecs(scene),
  },
  {
    name: 'the page switches the encoding off',
    expected: { sender: ['sender-paused'], receiver: ['sender-paused'] },
    provoke: ({ sender }) => setEncodings(sender, 'encoding.active = false;'),
  },
  {
    name: 'the page takes the track away',
    expected: { sender: ['sender-paused'], receiver: ['sender-paused'] },
    provoke: ({ sender }) => withSender(sender, 'await sender.replaceTrack(null);'),
  },
  {
    name: 'the track is stopped',
    expected: { sender: ['sender-paused'], receiver: ['sender-paused'] },
    provoke: ({ sender }) => withSender(sender, 'sender.track.stop();'),
  },
  {
    name: 'the track is disabled',
    expected: { sender: ['sender-paused'], receiver: ['far-side-limited', 'sender-paused'] },
    provoke: ({ sender }) => withSender(sender, 'sender.track.enabled = false;'),
  },
  {
    name: 'the picture becomes simple',
    expected: { sender: ['application-limited'], receiver: ['far-side-limited'] },
    provoke: ({ sender }) => withSender(sender, STILL),
  },
  {
    name: 'the server asks for less (REMB)',
    through: 'pion',
    expected: { sender: ['far-side-limited'], receiver: ['far-side-limited'] },
    provoke: ({ unit }) => unit?.control({ limitBps: 200_000 }) ?? Promise.resolve(),
  },
  {
    name: 'the server sends no feedback',
    through: 'pion',
    expected: { sender: ['feedback-missing'] },
    provoke: ({ unit }) => unit?.control({ feedback: false }) ?? Promise.resolve(),
  },
  {
    name: 'the server pauses the stream',
    through: 'pion',
    expected: { receiver: ['sender-paused'] },
    provoke: ({ unit }) => unit?.control({ paused: true }) ?? Promise.resolve(),
  },
  {
    name: 'the server forwards a lower layer',
    through: 'pion',
    publishes: { layers: 2, width: 640, height: 360 },
    expected: { receiver: ['layer-dropped'] },
    provoke: ({ unit }) => unit?.control({ rid: 'm' }) ?? Promise.resolve(),
  },
  {
    name: 'the server switches the layer, and asks for no key frame',
    through: 'pion',
    publishes: { layers: 2, width: 640, height: 360 },
    kind: 'freeze',
    expected: { receiver: ['waiting-for-key-frame'] },
    provoke: ({ unit }) => unit?.control({ keyFrames: false, rid: 'm' }) ?? Promise.resolve(),
  },
  {
    name: 'the connection moves to a slow TURN server',
    through: 'turn',
    expected: { sender: ['route-change'], receiver: ['route-change'] },
    provoke: ({ sender, turns }) => sender.evaluate(moveTo(turns[1]?.url ?? '')),
  },
  {
    name: 'the page switches the upper layer off',
    through: 'pion',
    publishes: { layers: 2, width: 640, height: 360 },
    expected: { sender: ['layer-dropped'] },
    provoke: ({ sender }) => setEncodings(sender, "if (encoding.rid === 'h') encoding.active = false;"),
  },
];

/** Whether the packets of the provocation's call pass through the link. */
const isShaped = ({ through }: Provocation): boolean => through === undefined || through === 'pion';

const test = bedTest.extend<{ bedOf: (provocation: Provocation) => Promise<Bed> }>({
  bedOf: async ({ browser, server }, use) => {
    const beds: Bed[] = [];
    await use(async (provocation) => {
      const originEpochMs = Date.now();
      const settings = { capacity: '2mbps', queue: 'droptail:400ms', rtt: 40 };
      const link = await openShaperLink({ settings, originEpochMs });
      const observer = new CallObserver({ ...(isShaped(provocation) && { link }), originEpochMs });
      const bed = new Bed(server, link, observer, () => browser.newContext());
      beds.push(bed);
      return bed;
    });
    for (const bed of beds) await bed.close();
  },
});

async function open(bed: Bed, { through, publishes = {} }: Provocation): Promise<Scene> {
  if (through === 'pion') {
    const unit = await startPion();
    const sender = await bed.open(unit.page('publish', publishes));
    const receiver = await bed.open(unit.page('watch'));
    return { bed, sender, receiver, unit, turns: [], ended: [] };
  }
  const turns: TurnServer[] = [];
  if (through === 'turn')
    for (const mostBytesPerS of [Infinity, SLOW_TURN_BYTES_PER_S])
      turns.push(await startTurn({ address: ownAddress(), mostBytesPerS }));
  const [first] = turns;
  const flags = new URLSearchParams(first === undefined ? {} : { policy: 'relay', turn: first.url });
  for (const [name, value] of Object.entries(publishes)) flags.set(name, String(value));
  const { a, b } = await bed.openBoth(`plain.html?${flags.toString()}`);
  return { bed, sender: a, receiver: b, unit: null, turns, ended: [] };
}

/** Whether all simulcast layers are sent and a watcher receives the largest layer, which browsers start last. */
function passesLayers({ endpoints }: CallRecord, layers: number): boolean {
  const newest = endpoints.flatMap(({ samples }) => samples.slice(-1));
  const sent = newest
    .flatMap(({ outbound }) => outbound)
    .filter(({ kind, framesPerSecond }) => kind === 'video' && framesPerSecond > 0);
  const widest = Math.max(...sent.map(({ frameHeight }) => frameHeight));
  const received = newest.flatMap(({ inbound }) => inbound);
  return sent.length === layers && received.some(({ frameHeight }) => frameHeight === widest);
}

/**
 * A page's first incident that has the wanted kind and a final cause, and that began no earlier than 1.5 s before
 * `fromUs`.
 */
function firstOf(bed: Bed, log: IncidentLog, page: Page, fromUs: number, wanted?: IncidentKind) {
  const id = bed.observer.pageId(page);
  return log.incidents.find(({ kind, stream, settled, fromUs: began }): boolean => {
    const endpoint = bed.record.endpoints[stream.endpoint];
    const isWanted = wanted === undefined || kind === wanted;
    return isWanted && endpoint?.page === id && settled && began >= fromUs - 1.5e6;
  });
}

for (const provocation of PROVOCATIONS) {
  test(`${provocation.name} @incidents`, async ({ bedOf }, { annotations }) => {
    const bed = await bedOf(provocation);
    const wakes = watchWakes();
    const fromMs = Date.now();
    const scene = await open(bed, provocation);
    // Each end is judged by its own data alone, as on a page whose far side is not observed.
    const log = new IncidentLog({ ...bed.record, connections: [] });
    bed.observer.onUpdate(() => void log.update());
    try {
      await bed.until(
        'a call that has found its rate',
        ({ endpoints }) =>
          endpoints.some((endpoint) => secondsOfVideo(endpoint) >= (provocation.settleS ?? SETTLE_S)),
        60_000,
      );
      const { layers } = provocation.publishes ?? {};
      if (typeof layers === 'number')
        await bed.until('all layers', (record) => passesLayers(record, layers), 60_000);
      if (provocation.link !== undefined) {
        await bed.link.set(provocation.link);
        await scene.receiver.waitForTimeout(USUAL_MS);
      }
      for (const { kind, cause } of log.incidents)
        annotations.push({ type: 'before', description: JSON.stringify({ kind, cause: cause.kind }) });
      const atUs = (Date.now() - bed.record.originEpochMs) * 1000;
      await provocation.provoke(scene);
      const sides = Object.keys(provocation.expected) as Side[];
      const found = (): (Incident | undefined)[] =>
        sides.map((side) => firstOf(bed, log, scene[side], atUs, provocation.kind));
      await bed
        .until('an incident at each end', () => !found().includes(undefined), WAIT_MS)
        .catch(() => undefined);
      found().forEach((incident, i) => {
        const side = sides[i] ?? 'sender';
        const expected = provocation.expected[side] ?? [];
        const said = incident?.cause.kind;
        const right = said !== undefined && expected.includes(said);
        annotations.push({
          type: 'incident',
          description: JSON.stringify({
            ...{ side, right, expected: expected[0], said: said ?? 'none' },
            ...{ kind: incident?.kind, evidence: incident?.cause.evidence },
            ...(!right && {
              seen: seenAround(bed.record, bed.observer.pageId(scene[side]), side, atUs),
            }),
          }),
        });
      });
      // If other virtual machines took processor time away, the run fails and is repeated, even if the named
      // cause was right. Repeating only wrong results would bias the count.
      const taken = provocation.takesProcessors !== true && isTaken(wakes, [{ fromMs, toMs: Date.now() }]);
      expect(taken, 'the machine was taken away meanwhile').toBe(false);
    } finally {
      for (const end of scene.ended) end();
      await wakes.stop();
      await scene.unit?.close();
      for (const turn of scene.turns) await turn.close();
    }
  });
}
