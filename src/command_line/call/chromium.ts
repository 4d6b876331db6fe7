/** Finds a Chromium, starts it without a window so that calls work as in a user's browser, and ends it. */
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
 * Features that a browser without a window does not need, such as the list of suggestions under the address
 * bar: that list is a page of its own and costs 1.6 s of CPU for each new page. Chromium obeys only the last
 * `--disable-features`, so the features that Playwright disables are repeated here.
 */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay', 'MediaRouter'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'TcpPortRandomizationWin', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];

/** The options with which Chromium is started for calls. */
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
 * The path of a Chromium: from CCSCOPE_CHROMIUM, the PATH, the usual places, or Playwright's own. Throws
 * UsageError or FailedRun.
 */
function findChromium(playwrights: string): string {
  const named = process.env['CCSCOPE_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new UsageError(
      `CCSCOPE_CHROMIUM: expected the path of a Chromium, got ${named}, which does not exist; correct the path`,
    );
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...inPath, ...INSTALLED, playwrights].find((path) => path !== '' && existsSync(path));
  if (found !== undefined) return found;
  throw new FailedRun(
    'no Chromium was found; install one, for instance with npx playwright-core install chromium, or set CCSCOPE_CHROMIUM to its path',
  );
}

/**
 * Starts Chromium, with the video file `camera` as its camera, if given. Chromium ends with this process, however
 * the process ends. Throws FailedRun.
 */
export async function launchChromium(
  camera: string | null = null,
  flags: readonly string[] = [],
): Promise<Browser> {
  // A large module, loaded only for calls so that other commands start at once.
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
      // On these signals the command itself closes Chromium, and then ends with its own exit status.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new FailedRun(`${executablePath} did not start (${reason}); check that it is a complete Chromium`);
  }
}

/** A browser that belongs to one call. */
export interface OwnBrowser {
  browser: Browser;
  /** Aborted when the call has to end, and when the browser or a page on which the call depends has ended. */
  signal: AbortSignal;
  /** Opens a page. The call is over if this page crashes. */
  newPage(): Promise<Page>;
}

/**
 * How long a Chromium that no longer answers can delay the end of a command. If Chromium still runs when the process
 * ends, it is killed then.
 */
const CLOSE_TIMEOUT_MS = 3000;
/**
 * If the browser ends or a page crashes, a Playwright request may fail before Playwright reports the end or the
 * crash. This is how long to wait for that report.
 */
const NEWS_MS = 2000;
const SOMETHING_ENDED = /closed|crashed|disconnected/;

/**
 * Runs `work` with a Chromium, and always closes the Chromium afterwards (see launchChromium for `camera`). If the
 * call cannot continue, rejects without waiting for `work`: with the signal's reason after an abort, or with
 * FailedRun if Chromium has ended or a page has crashed.
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
 * Starts Chromium. If the signal is aborted before Chromium has started, rejects at once. Chromium is then closed as
 * soon as it has started.
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
