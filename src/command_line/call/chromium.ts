/** Finds a Chromium, starts it in headless mode, and ends it. The options make calls work as in a user's browser. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Browser, Page } from 'playwright-core';

import { FailedRun, UsageError } from '../../text/errors.js';
import { unlessAborted } from '../interrupt.js';

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'chrome',
];

const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * Features that a headless browser does not need. For example, the suggestions under the address bar are a
 * separate page, which costs 1.6 s of CPU for each new page. Chromium obeys only the last `--disable-features`, so
 * this list also contains the features that Playwright disables.
 */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay', 'MediaRouter'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'TcpPortRandomizationWin', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];

/** The command-line options of Chromium for calls. */
export const CHROMIUM_FLAGS = [
  '--headless=new',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/**
 * The path of a Chromium. Looks at CCSCOPE_CHROMIUM, the PATH, the usual folders, and Playwright's own Chromium,
 * in this order. Throws UsageError or FailedRun.
 */
function findChromium(playwrights: string): string {
  const named = process.env['CCSCOPE_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new UsageError(
      `CCSCOPE_CHROMIUM: expected the path of a Chromium executable, got ${named}, which does not exist; correct the path`,
    );
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...inPath, ...INSTALLED, playwrights].find((path) => path !== '' && existsSync(path));
  if (found !== undefined) return found;
  throw new FailedRun(
    'Chromium was not found; install it, for example with `npx playwright-core install chromium`, or set CCSCOPE_CHROMIUM to its path',
  );
}

/**
 * Starts Chromium. A video file `camera` replaces the fake camera. Chromium ends with this process, however the
 * process ends. Throws FailedRun.
 */
export async function launchChromium(
  camera: string | null = null,
  flags: readonly string[] = [],
): Promise<Browser> {
  // Loaded only for calls: the module is large, and other commands start faster without it.
  const { chromium } = await import('playwright-core');
  const executablePath = findChromium(chromium.executablePath());
  const isRoot = process.getuid?.() === 0;
  try {
    return await chromium.launch({
      executablePath,
      ignoreDefaultArgs: ['--headless', '--headless=old', '--mute-audio'],
      args: [
        ...CHROMIUM_FLAGS,
        ...(isRoot ? ['--no-sandbox'] : []),
        ...(camera === null ? [] : [`--use-file-for-fake-video-capture=${camera}`]),
        ...flags,
      ],
      // The command handles these signals itself: it closes Chromium, and ends with its own exit status.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new FailedRun(
      `${executablePath} did not start (${reason}); check that it is a complete Chromium installation`,
    );
  }
}

/** A browser that belongs to one call. */
export interface OwnBrowser {
  browser: Browser;
  /** Aborted when the call must end, when the browser has ended, or when a page of `newPage` has crashed. */
  signal: AbortSignal;
  /** Opens a page. If this page crashes, the call fails. */
  newPage(): Promise<Page>;
}

/**
 * How long a Chromium that does not respond can delay the end of a command. Playwright kills it when the process
 * ends.
 */
const CLOSE_TIMEOUT_MS = 3000;
/**
 * If the browser ends or a page crashes, a Playwright request may fail before Playwright reports the cause. This
 * is how long to wait for that report.
 */
const NEWS_MS = 2000;
const SOMETHING_ENDED = /closed|crashed|disconnected/;

/**
 * Starts a Chromium, runs `work` with it, and always closes it afterwards (see launchChromium for `camera`). If
 * the call cannot continue, rejects without waiting for `work`. The reason is the signal's reason after an abort,
 * or a FailedRun if Chromium has ended or a page has crashed.
 */
export async function withChromium<T>(
  signal: AbortSignal,
  work: (own: OwnBrowser) => Promise<T>,
  camera: string | null = null,
): Promise<T> {
  signal.throwIfAborted();
  const browser = await launched(signal, camera);
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const end = (what: string): void => ended.abort(new FailedRun(`${what}; run the call again`));
  browser.once('disconnected', () =>
    end('Chromium ended in the middle of the call: it crashed or was killed'),
  );
  const newPage = async (): Promise<Page> => {
    const page = await browser.newPage();
    page.once('crash', () => end('the page crashed in the middle of the call'));
    return page;
  };
  try {
    return await unlessAborted(either, work({ browser, signal: either, newPage }));
  } catch (error) {
    if (error instanceof Error && SOMETHING_ENDED.test(error.message))
      await sleep(NEWS_MS, undefined, { signal: either }).catch(() => undefined);
    either.throwIfAborted();
    throw error;
  } finally {
    await Promise.race([
      browser.close().catch(() => undefined),
      sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
}

/**
 * Starts Chromium. If the signal is aborted during the start, rejects at once, and closes Chromium once it has
 * started.
 */
async function launched(signal: AbortSignal, camera: string | null): Promise<Browser> {
  const launching = launchChromium(camera);
  try {
    return await unlessAborted(signal, launching);
  } catch (error) {
    void launching.then((browser) => browser.close()).catch(() => undefined);
    throw error;
  }
}
