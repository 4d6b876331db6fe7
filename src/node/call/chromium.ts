/** Finds a Chromium and starts it so that it calls as a user's browser would, without a window. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import type { Browser } from 'playwright-core';

import { FailedRun, UsageError } from '../errors.js';

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

const FLAGS = [
  '--headless=new',
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

/** CCSCOPE_CHROMIUM, the PATH, the usual places, `playwrights` own. Throws UsageError or FailedRun. */
function findChromium(playwrights: string): string {
  const named = process.env['CCSCOPE_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new UsageError(
      `CCSCOPE_CHROMIUM: expected the path of a Chromium, got ${named}, which is not there`,
    );
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...inPath, ...INSTALLED, playwrights].find((path) => path !== '' && existsSync(path));
  if (found !== undefined) return found;
  throw new FailedRun(
    'no Chromium was found: install one, for instance with npx playwright-core install chromium, or let CCSCOPE_CHROMIUM name it',
  );
}

/** Starts Chromium. It ends with this process, whatever becomes of that. Throws FailedRun. */
export async function launchChromium(): Promise<Browser> {
  // Large, so that only calls load it and other commands start at once.
  const { chromium } = await import('playwright-core');
  const executablePath = findChromium(chromium.executablePath());
  const isRoot = process.getuid?.() === 0;
  try {
    return await chromium.launch({
      executablePath,
      ignoreDefaultArgs: ['--headless', '--headless=old', '--mute-audio'],
      args: [...FLAGS, ...(isRoot ? ['--no-sandbox'] : [])],
      // The command closes it on these itself, and then ends with its own status.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new FailedRun(`${executablePath} did not start (${reason}); is it a complete Chromium?`);
  }
}
