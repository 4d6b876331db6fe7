/**
 * Playwright's `test` with fixtures for calls under test: `link`, `call`, `twoPeers`, `repeat` and their
 * options. In a test that uses none of these fixtures, pages behave as with Playwright's own `test`, apart
 * from the browser flags that `callFlags` adds.
 */
import {
  test as base,
  type Page,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';

import { attachEvidence } from './evidence.js';
import type { TestLink } from './link.js';
import {
  checkChoices,
  DEFAULTS,
  frameTimingOf,
  withCallFlags,
  type KitOptions,
  type KitWorkerOptions,
} from './options.js';
import { asksFor } from './parameters.js';
import { makeRepeat, type Repeat, type RunSession } from './repeat.js';
import { CallSession, type Call } from './session.js';

/** Opens two pages, each in its own context. `url` defaults to the base URL, and `secondUrl` defaults to `url`. */
export type TwoPeers = (url?: string, secondUrl?: string) => Promise<[Page, Page]>;

export interface KitFixtures {
  /** The link of this test. The peer connections of its pages are routed through it. */
  link: TestLink;
  /**
   * The call of this test: all peer connections of the pages in the test's context, of their popups and
   * iframes, and of the pages from `twoPeers`.
   */
  call: Call;
  twoPeers: TwoPeers;
  /** Runs a call several times, each time with fresh pages and a fresh link. */
  repeat: Repeat<TestLink>;
}

interface Internal {
  callSession: CallSession;
}

/** If a test names one of these fixtures in its parameters, the test's context is observed from the start. */
const ASKED = ['call', 'link', 'twoPeers'];
/** The time for closing a call and writing its evidence, in addition to the test's own timeout. */
const END = { timeout: 60_000 };

const kit = base.extend<KitOptions & KitFixtures & Internal, KitWorkerOptions>({
  linkOptions: [DEFAULTS.linkOptions, { option: true }],
  linkBackend: [DEFAULTS.linkBackend, { option: true }],
  linkPort: [DEFAULTS.linkPort, { option: true }],
  frameTiming: [DEFAULTS.frameTiming, { option: true }],
  evidence: [DEFAULTS.evidence, { option: true }],
  linkCapture: [DEFAULTS.linkCapture, { option: true }],
  callFlags: [DEFAULTS.callFlags, { option: true, scope: 'worker' }],

  launchOptions: [
    async ({ launchOptions, browserName, callFlags }, use) => {
      await use(callFlags && browserName === 'chromium' ? withCallFlags(launchOptions) : launchOptions);
    },
    { scope: 'worker' },
  ],

  callSession: [
    async (
      { linkOptions, linkBackend, linkPort, frameTiming, evidence, linkCapture, baseURL },
      use,
      testInfo,
    ) => {
      checkChoices({ linkBackend, frameTiming, evidence, linkCapture });
      const timing = { frameTiming: frameTimingOf({ frameTiming, evidence }) };
      const session = new CallSession({ linkOptions, linkBackend, linkPort, ...timing, baseURL });
      await use(session);
      await session.finish();
      await attachEvidence(session, testInfo, { evidence, linkCapture });
    },
    { ...END, box: true },
  ],

  // `finish` collects the pages' data, so it must run while the pages exist. The order in which Playwright
  // tears down the next four fixtures varies. So each of them calls `finish`, and only the first call has an
  // effect.
  context: async ({ context, callSession }, use, testInfo) => {
    callSession.remember(context);
    if (asksFor(testInfo.fn, ASKED)) await callSession.observe(context);
    await use(context);
    await callSession.finish();
  },

  page: async ({ page, callSession }, use) => {
    await callSession.shaped();
    await use(page);
  },

  link: async ({ callSession }, use) => {
    await callSession.call();
    await use(await callSession.link());
    await callSession.finish();
  },

  call: async ({ callSession }, use) => {
    await use(await callSession.call());
    await callSession.finish();
  },

  twoPeers: async ({ callSession, browser }, use) => {
    callSession.useBrowser(browser);
    await use((url, secondUrl) => callSession.peers(url, secondUrl));
    await callSession.finish();
    await callSession.closeContexts();
  },

  repeat: async (
    { linkOptions, linkBackend, linkPort, frameTiming, evidence, linkCapture, baseURL, browser },
    use,
    testInfo,
  ) => {
    checkChoices({ linkBackend, frameTiming, evidence, linkCapture });
    const timing = { frameTiming: frameTimingOf({ frameTiming, evidence }) };
    const options = { linkOptions, linkBackend, linkPort, ...timing, baseURL, browser };
    const sessions: CallSession[] = [];
    const open = (): RunSession<TestLink> => {
      const session = new CallSession(options);
      sessions.push(session);
      const attach = (name: string, failed: boolean): Promise<void> =>
        attachEvidence(session, testInfo, { evidence, linkCapture }, { name, failed });
      return Object.assign(session, { attach });
    };
    await use(makeRepeat({ open, testInfo }));
    // If a timeout has cut a run off, its session is still open.
    for (const session of sessions) {
      await session.finish();
      await session.closeContexts();
    }
  },
});

/**
 * Playwright's `test` with the fixtures and options for calls. To combine it with other extended tests, use
 * `mergeTests`.
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & KitOptions & KitFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & KitWorkerOptions
> = kit;
