/** A running browser, reached through its debugging port. */
import { isIP } from 'node:net';

import type { Browser } from 'playwright-core';
import * as v from 'valibot';

import { FailedRun, systemCode } from '../../text/errors.js';
import { plain } from '../../text/plain.js';
import { unlessAborted } from '../interrupt.js';

const ANSWER_MS = 5000;
const CONNECT_MS = 15_000;
/** How long a browser that no longer answers can delay the end of the command. */
const CLOSE_MS = 3000;

const versionAnswer = v.object({ Browser: v.string(), webSocketDebuggerUrl: v.string() });

/** The instructions for making a browser reachable at this address. */
function startFix(url: string): string {
  const { port } = new URL(url);
  const flags = `--remote-debugging-port=${port === '' ? '9222' : port}`;
  return `start the browser with ${flags} (Chrome 136 and newer also need --user-data-dir=FOLDER), or give the port on which it already listens: \`ccscope attach PORT\``;
}

/** Whether the host of an address is given by a name other than localhost. */
const isNamed = ({ hostname }: URL): boolean =>
  hostname !== 'localhost' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;

/** The version of the browser with this debugging port, such as `Chrome/156.0.1.2`. Throws FailedRun. */
async function browserAt(url: string): Promise<string> {
  let answer: Response;
  let body: unknown;
  try {
    answer = await fetch(new URL('/json/version', url), { signal: AbortSignal.timeout(ANSWER_MS) });
    body = await answer.json().catch(() => null);
  } catch (error) {
    const cause = error instanceof Error ? systemCode(error.cause) : undefined;
    const why = cause === 'ECONNREFUSED' ? 'nothing listens there' : (cause ?? 'no answer');
    throw new FailedRun(`no browser was found at ${url} (${why}); ${startFix(url)}`);
  }
  const version = v.safeParse(versionAnswer, body);
  if (version.success) return plain(version.output.Browser);
  // Chromium only answers requests to an IP address or to localhost. Otherwise a page could reach the port
  // through a DNS name that the page's owner controls (DNS rebinding).
  const fix =
    !answer.ok && isNamed(new URL(url)) ? "use the machine's IP address instead of its name" : startFix(url);
  throw new FailedRun(
    `the server at ${url} does not answer like Chromium's debugging port (HTTP status ${answer.status}); ${fix}`,
  );
}

/** A browser that the user started. */
export interface AttachedBrowser {
  browser: Browser;
  /** For example `Chrome/156.0.1.2`. */
  version: string;
  /** Aborted when the command must end, or when the browser has ended. */
  signal: AbortSignal;
}

/**
 * Connects to the browser at `url`, runs `work`, and disconnects. The browser and its pages remain open. Throws
 * FailedRun.
 */
export async function withBrowser<T>(
  url: string,
  signal: AbortSignal,
  work: (attached: AttachedBrowser) => Promise<T>,
): Promise<T> {
  const version = await unlessAborted(signal, browserAt(url));
  const browser = await unlessAborted(signal, connect(url));
  const ended = new AbortController();
  browser.once('disconnected', () =>
    ended.abort(new FailedRun(`the connection to the browser at ${url} ended`)),
  );
  // Without a listener, Playwright would dismiss the dialogs of pages. The user must be able to answer them.
  for (const context of browser.contexts()) context.on('dialog', () => undefined);
  try {
    return await work({ browser, version, signal: AbortSignal.any([signal, ended.signal]) });
  } finally {
    await letGo(browser);
  }
}

async function connect(url: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  try {
    // Turns off Playwright's defaults, which are meant for tests: they change the colour scheme and the download
    // folder.
    return await chromium.connectOverCDP(url, { noDefaults: true, timeout: CONNECT_MS });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new FailedRun(
      `the browser at ${url} cannot be inspected (${plain(why)}); close pages that hang, dialogs that are open, and debuggers that have paused a page, then try again`,
    );
  }
}

/** `close` only ends the connection: Playwright did not start this browser. */
async function letGo(browser: Browser): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
  await Promise.race([browser.close().catch(() => undefined), late]);
  clearTimeout(timer);
}
