/**
 * Provokes problems in calls through a server, and checks whether each verdict and each named cause is right. Run with
 * `npm run situations`, which counts the right verdicts and causes. A measure that is independent of ccscope shows
 * whether the test got too little processor time. If so, a wrong result is inconclusive, and the test is repeated.
 */
import type { Page } from '@playwright/test';

import { isTaken, watchWakes } from '../../scripts/test/wakes.mjs';
import type { CauseKind } from '../../src/judge/index.js';
import type { Call, TestLink } from '../../src/playwright/index.js';
import { startPion, startWerift, type ControlledUnit } from './sfu/servers.js';
import { expect, test } from './support.js';

interface Scene {
  call: Call;
  link: TestLink;
  unit: ControlledUnit;
  publisher: Page;
  watcher: Page;
  /** Opens one more watching page. */
  join(): Promise<Page>;
}

interface Situation {
  name: string;
  /** The options of the publisher's page. */
  publishes?: Readonly<Record<string, string | number>>;
  /** The cause that the failed expectation should name; null if the expectation should hold. */
  cause: CauseKind | null;
  provoke?(scene: Scene): Promise<unknown>;
  expectation(scene: Scene): Promise<void>;
}

const over = { over: '5s', timeout: '12s' } as const;
const within = { within: '6s' } as const;
/**
 * A rate that no publisher reaches in its first seconds. If the rate then falls, it was never this high, so
 * `toConvergeTo` must fail.
 */
const HIGH = '1mbps';
/** A link with less capacity than a publisher needs. */
const NARROW = { capacity: '80kbps' } as const;

/** For three seconds, lets the page's own link carry next to nothing. */
async function outage(scene: Scene, page: Page): Promise<void> {
  const { link } = scene;
  await link.for(page).set({ capacity: '1kbps' });
  await page.waitForTimeout(3000);
  await link.for(page).set({ capacity: '5mbps' });
}

const cap = ({ publisher }: Scene): Promise<void> =>
  publisher.evaluate(async () => {
    const [sender] = (window as unknown as { connection(): RTCPeerConnection }).connection().getSenders();
    const parameters = sender?.getParameters();
    if (!sender || !parameters) throw new Error('no sender');
    for (const encoding of parameters.encodings) encoding.maxBitrate = 60_000;
    await sender.setParameters(parameters);
  });

const replaceTrack = ({ publisher }: Scene, still: boolean): Promise<void> =>
  publisher.evaluate(async (draws) => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    if (draws) setInterval(() => context?.fillRect(0, 0, 10, 10), 33);
    const [track = null] = draws ? canvas.captureStream(30).getTracks() : [];
    const [sender] = (window as unknown as { connection(): RTCPeerConnection }).connection().getSenders();
    await sender?.replaceTrack(track);
  }, still);

/** Blocks the thread of the observer's worker again and again, as a busy machine does. */
function takeThread(): void {
  setInterval(() => {
    const untilMs = performance.now() + 150;
    while (performance.now() < untilMs);
  }, 230);
}

const busy = async (pages: readonly Page[]): Promise<void> => {
  const workers = pages.flatMap((page) => page.workers());
  await Promise.all(workers.map((worker) => worker.evaluate(takeThread)));
};

const settled = async ({ watcher }: Scene): Promise<void> => watcher.waitForTimeout(6000);

const SITUATIONS: readonly Situation[] = [
  {
    name: 'nothing: the rate of the watcher',
    cause: null,
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toHaveUtilisation({ min: 0.02 }, over),
  },
  {
    name: 'nothing: the queue',
    cause: null,
    expectation: ({ call }) => expect(call).toKeepQueuingDelayBelow({ p95: '150ms' }, over),
  },
  { name: 'nothing: loss', cause: null, expectation: ({ call }) => expect(call).toLoseLessThan('2%', over) },
  {
    name: 'nothing: freezes',
    cause: null,
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toHaveNoFreezeLongerThan('1s', over),
  },
  {
    name: 'a narrow link of the watcher',
    cause: 'capacity',
    provoke: ({ link, watcher }) => link.for(watcher).set(NARROW),
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toConvergeTo(HIGH, within),
  },
  {
    name: 'a narrow link of the publisher, judged there',
    cause: 'capacity',
    provoke: ({ link, publisher }) => link.for(publisher).set(NARROW),
    expectation: ({ call, publisher }) => expect(call.of(publisher)).toConvergeTo(HIGH, within),
  },
  {
    name: 'a narrow link of the publisher, judged at the watcher',
    cause: 'capacity',
    provoke: ({ link, publisher }) => link.for(publisher).set(NARROW),
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toConvergeTo(HIGH, within),
  },
  {
    name: 'loss on the way to the watcher',
    cause: 'loss',
    provoke: ({ link, watcher }) => link.for(watcher).set({ loss: '15%' }),
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toLoseLessThan('4%', over),
  },
  {
    name: 'loss on the way from the publisher',
    cause: 'loss',
    provoke: ({ link, publisher }) => link.for(publisher).set({ loss: '20%' }),
    expectation: ({ call, publisher }) => expect(call.of(publisher)).toLoseLessThan('5%', over),
  },
  {
    name: 'an outage of the watcher',
    cause: 'outage',
    provoke: (scene) => outage(scene, scene.watcher),
    expectation: ({ call, link, watcher }) =>
      expect(call.of(watcher)).toHaveNoFreezeLongerThan('1s', {
        over: '8s',
        after: firstChange(link, watcher),
      }),
  },
  {
    name: 'an outage of the publisher',
    cause: 'outage',
    provoke: (scene) => outage(scene, scene.publisher),
    expectation: ({ call, link, publisher, watcher }) =>
      expect(call.of(watcher)).toHaveNoFreezeLongerThan('1s', {
        over: '8s',
        after: firstChange(link, publisher),
      }),
  },
  {
    name: 'a publisher that sends more than its link carries',
    cause: 'overuse',
    provoke: ({ link, publisher }) =>
      link.for(publisher).set({ capacity: '100kbps', queue: 'droptail:600ms' }),
    expectation: ({ call, publisher }) =>
      expect(call.of(publisher)).toKeepQueuingDelayBelow({ p95: '100ms' }, over),
  },
  {
    name: 'TCP beside the publisher',
    cause: 'cross-traffic',
    provoke: ({ link, publisher }) =>
      link.for(publisher).set({ capacity: '1mbps', queue: 'droptail:400ms', crossTraffic: 'cubic:2' }),
    expectation: async (scene) => {
      await settled(scene);
      await expect(scene.call.of(scene.publisher)).toKeepQueuingDelayBelow({ p95: '100ms' }, over);
    },
  },
  {
    name: 'TCP beside the watcher',
    cause: 'cross-traffic',
    provoke: ({ link, watcher }) =>
      link
        .for(watcher)
        .set({ capacity: '3mbps', queue: 'droptail:400ms', backward: { crossTraffic: 'cubic:2' } }),
    expectation: async (scene) => {
      await settled(scene);
      await expect(scene.call.of(scene.watcher)).toKeepQueuingDelayBelow({ p95: '100ms' }, over);
    },
  },
  {
    name: 'a maxBitrate of the publisher, judged there',
    cause: 'cap',
    provoke: cap,
    expectation: ({ call, publisher }) => expect(call.of(publisher)).toConvergeTo(HIGH, within),
  },
  {
    name: 'a maxBitrate of the publisher, judged at the watcher',
    cause: 'cap',
    provoke: cap,
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toConvergeTo(HIGH, within),
  },
  {
    name: 'a publisher without a track',
    cause: 'application-limited',
    provoke: (scene) => replaceTrack(scene, false),
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toHaveNoFreezeLongerThan('1s', over),
  },
  {
    name: 'a picture that does not move',
    cause: 'application-limited',
    provoke: (scene) => replaceTrack(scene, true),
    expectation: ({ call, publisher }) => expect(call.of(publisher)).toConvergeTo(HIGH, within),
  },
  {
    name: 'a server that pauses',
    cause: 'no-media',
    provoke: ({ unit }) => unit.control({ paused: true }),
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toHaveNoFreezeLongerThan('1s', over),
  },
  {
    name: 'a server that drops a layer',
    publishes: { layers: 2 },
    cause: 'far-side-limited',
    provoke: ({ unit }) => unit.control({ rid: 'm' }),
    expectation: async (scene) => {
      await settled(scene);
      await expect(scene.call.of(scene.watcher)).toConvergeTo('500kbps', within);
    },
  },
  {
    name: 'a server that asks for no key frame',
    publishes: { hold: 1 },
    cause: 'waiting-for-key-frame',
    provoke: ({ unit }) => unit.control({ keyFrames: false }),
    expectation: async ({ call, join }) => {
      const late = await join();
      await call.of(late).connected();
      await expect(call.of(late)).toHaveNoFreezeLongerThan('1s', over);
    },
  },
  {
    name: 'a machine that is too busy',
    cause: 'machine-overloaded',
    provoke: async (scene) => {
      await busy([scene.publisher, scene.watcher]);
      await settled(scene);
    },
    expectation: ({ call, watcher }) => expect(call.of(watcher)).toConvergeTo('4mbps', within),
  },
];

/** The first change in the record of a page's own link, i.e. the creation of the link. */
function firstChange(link: TestLink, page: Page): { timeUs: number } {
  const [change] = link.for(page).record?.changes ?? [];
  if (change === undefined) throw new Error('the page has no link of its own');
  return change;
}

test.use({
  linkOptions: { capacity: '5mbps', queue: 'droptail:300ms', rtt: '20ms' },
  evidence: 'on-failure',
  frameTiming: 'transform',
});

for (const { server, start } of [
  { server: 'werift', start: () => startWerift() },
  { server: 'pion', start: () => startPion('-mux') },
])
  for (const { name, publishes, cause, provoke, expectation } of SITUATIONS)
    test(`${server}: ${name} @situations`, async ({ call, link, twoPeers }, testInfo) => {
      const fromMs = Date.now();
      const wakes = watchWakes();
      const unit = await start();
      try {
        const [publisher, watcher] = await twoPeers(unit.page('publish', publishes), unit.page('watch'));
        const join = async (): Promise<Page> => {
          const page = await watcher.context().newPage();
          await page.goto(unit.page('watch'));
          return page;
        };
        const scene = { call, link, unit, publisher, watcher, join };
        const frames = (): number => call.of(watcher).metrics({ over: '2s' }).framesPerSecond ?? 0;
        await expect.poll(frames, { timeout: 40_000 }).toBeGreaterThan(5);
        await provoke?.(scene);
        const error = await expectation(scene).then(
          () => null,
          (thrown: unknown) => String(thrown),
        );
        const { judgement } = call.judgements.at(-1) ?? {};
        const got = error === null ? null : (judgement?.cause?.kind ?? 'unknown');
        const evidence = `${judgement?.received ?? ''}; ${judgement?.cause?.evidence ?? ''}`;
        const verdict = (got === null) === (cause === null) ? 'right' : 'wrong';
        testInfo.annotations.push(
          { type: 'verdict', description: verdict },
          {
            type: 'cause',
            description:
              got === cause ? 'right' : `wrong: ${got ?? 'none'}, not ${cause ?? 'none'}: ${evidence}`,
          },
        );
        const taken = got !== cause && isTaken(wakes, [{ fromMs, toMs: Date.now() }]);
        expect(taken, `the machine was taken away while it was judged: ${evidence}`).toBe(false);
      } finally {
        await wakes.stop();
        await unit.close();
      }
    });
