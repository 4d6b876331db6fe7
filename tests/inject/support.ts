/** Visits third-party pages with ccscope's script in them, and collects the errors that occur in these pages. */
import { readFileSync } from 'node:fs';
import {
  test as base,
  expect,
  type Browser,
  type BrowserContext,
  type Frame,
  type Page,
} from '@playwright/test';

import type { ConnectionState, StreamState } from '../../src/watch/index.js';
import type { ServedState } from '../../src/overlay/watch_service.js';
import type { TraceExtent } from '../../src/trace/index.js';
import { startTestServer, type PageHeaders, type TestServer } from '../kit/server.js';

export { expect };

export const scriptPath = new URL('../../dist/lib/inject/ccscope.js', import.meta.url).pathname;
export const script = (): string => readFileSync(scriptPath, 'utf8');
export const bookmarklet = (): string =>
  readFileSync(new URL('../../dist/lib/inject/bookmarklet.txt', import.meta.url), 'utf8').trim();

/** The observer alone. Its messages are collected in `watched.told`; `watched.act` runs an action on a stream. */
export const observerScript = (): string => `{
  ${readFileSync(new URL('../../dist/lib/inject/observer.js', import.meta.url), 'utf8')};
  const told = [];
  const config = { originEpochMs: performance.timeOrigin, relay: null, frameTiming: 'transform' };
  const late = { adoptsLate: true, timesShownFrames: true };
  const observing = observer.observe({ ...config, ...late }, ({ messages }) => void told.push(...messages));
  globalThis.watched = { told, act: (action) => observing.act(action) };
}`;

export interface PageState extends ServedState {
  recorded: TraceExtent;
}

/**
 * When the script starts in a page: before all other scripts (`early`), or only if the test starts it later
 * (`none`).
 */
export type Way = 'early' | 'none';

/** A page, and the errors that it threw or logged. */
export class Visit {
  readonly troubles: string[] = [];
  /** The console's messages about what the page's own policy blocked. */
  readonly reports: string[] = [];

  constructor(
    readonly page: Page,
    context: BrowserContext,
  ) {
    context.on('weberror', (error) => this.troubles.push(error.error().stack ?? String(error.error())));
    context.on('console', (message) => {
      if (message.type() !== 'error') return;
      const text = message.text();
      if (/Content Security Policy|TrustedScript/i.test(text)) this.reports.push(text);
      else if (!/favicon/.test(message.location().url)) this.troubles.push(text);
    });
  }

  /**
   * The script's state, with the page's connections and streams; null while the page does not have the
   * script.
   */
  state(frame: Page | Frame = this.page): Promise<PageState | null> {
    return frame.evaluate(async () => {
      const scope = globalThis as unknown as Record<
        symbol,
        { state(): Promise<PageState | null> } | undefined
      >;
      return (await scope[Symbol.for('ccscope.inject')]?.state()) ?? null;
    });
  }

  /** Waits until the state satisfies `isSo`. */
  async until(
    what: string,
    isSo: (state: PageState) => boolean,
    { frame = this.page, timeoutMs = 60_000 }: { frame?: Page | Frame; timeoutMs?: number } = {},
  ): Promise<PageState> {
    const seen: { latest: PageState | null } = { latest: null };
    await expect
      .poll(
        async () => {
          seen.latest = await this.state(frame);
          return seen.latest !== null && isSo(seen.latest);
        },
        { message: what, timeout: timeoutMs, intervals: [500] },
      )
      .toBe(true)
      .catch((error: unknown) => {
        throw new Error(`${String(error)}\nthe latest state: ${JSON.stringify(seen.latest, null, 1)}`);
      });
    if (seen.latest === null) throw new Error('the script has gone');
    return seen.latest;
  }

  /** Frames that the page's video elements have shown. */
  shown(frame: Page | Frame = this.page): Promise<number> {
    return frame.evaluate(() =>
      [...document.querySelectorAll('video')].reduce(
        (sum, video) => sum + video.getVideoPlaybackQuality().totalVideoFrames,
        0,
      ),
    );
  }

  /** Waits until more than `frames` frames have been shown. */
  async showsMoreThan(frames: number, frame: Page | Frame = this.page): Promise<void> {
    await expect.poll(() => this.shown(frame)).toBeGreaterThan(frames);
  }

  /** Expects that no error was thrown or logged in the page. */
  expectUntroubled(): void {
    expect(this.troubles).toEqual([]);
  }
}

export interface Foreign {
  readonly server: TestServer;
  /** Opens a page in a new context. */
  visit(
    path: string,
    options?: { way?: Way; headers?: PageHeaders; prepare?: (context: BrowserContext) => Promise<void> },
  ): Promise<Visit>;
  /** Opens both sides of a call: first `b`, which receives, then `a`. */
  visitBoth(path: string, way?: Way): Promise<{ a: Visit; b: Visit }>;
}

let room = 0;

function foreign(browser: Browser, server: TestServer, contexts: BrowserContext[]): Foreign {
  const visit: Foreign['visit'] = async (path, { way = 'none', headers = {}, prepare } = {}) => {
    const context = await browser.newContext();
    contexts.push(context);
    if (way === 'early') await context.addInitScript({ path: scriptPath });
    await prepare?.(context);
    server.headers = headers;
    const page = await context.newPage();
    const made = new Visit(page, context);
    await page.goto(new URL(path, server.url).href);
    server.headers = {};
    return made;
  };
  const visitBoth: Foreign['visitBoth'] = async (path, way = 'none') => {
    const mark = path.includes('?') ? '&' : '?';
    const query = `${mark}room=foreign${room++}&side=`;
    const b = await visit(`${path}${query}b`, { way });
    return { a: await visit(`${path}${query}a`, { way }), b };
  };
  return { server, visit, visitBoth };
}

export const test = base.extend<{ foreign: Foreign }>({
  foreign: async ({ browser }, use) => {
    const server = await startTestServer(new URL('./pages/', import.meta.url));
    const contexts: BrowserContext[] = [];
    await use(foreign(browser, server, contexts));
    await Promise.all(contexts.map((context) => context.close()));
    await server.close();
  },
});

/** Ways to put the script into a page whose call is already running. */
export const lateWays: Readonly<Record<string, (visit: Visit) => Promise<unknown>>> = {
  'pasted into the console': ({ page }) => page.evaluate(script()),
  'as a <script>': ({ page }) => page.addScriptTag({ path: scriptPath }),
  'behind a bookmark': ({ page }) => page.evaluate((url) => void (location.href = url), bookmarklet()),
};

export const received = (state: PageState): StreamState[] =>
  state.streams.filter(({ direction, kind }) => direction === 'receive' && kind === 'video');

export const sent = (state: PageState): StreamState[] =>
  state.streams.filter(({ direction, kind }) => direction === 'send' && kind === 'video');

export const codesOf = (connection: ConnectionState | undefined): string[] =>
  (connection?.notices ?? []).map(({ code }) => code);

/**
 * Whether the script knows the rate of a received stream, and the three controllers that analyse the stream have
 * produced rows.
 */
export const isWatched = (state: PageState): boolean =>
  received(state).some(({ rateBps, shadows }) => rateBps > 0 && shadows.length === 3) &&
  ['group', 'nada', 'lcc'].every((table) => (state.recorded.rows[table] ?? 0) > 10);

/** What the page's own `getStats` reports as received, in bytes without headers. */
const bytesReceived = (page: Page | Frame, connection: string): Promise<{ bytes: number; ms: number }> =>
  page.evaluate(async (expression) => {
    const peer = (0, eval)(expression) as RTCPeerConnection;
    let bytes = 0;
    let ms = 0;
    (await peer.getStats()).forEach((stat: RTCInboundRtpStreamStats) => {
      if (stat.type !== 'inbound-rtp') return;
      bytes += stat.bytesReceived ?? 0;
      ms = stat.timestamp;
    });
    return { bytes, ms };
  }, connection);

/**
 * Expects that the displayed rate agrees with the rate that the page computes itself over the same seconds.
 * `connection` is a JavaScript expression for the peer connection in the page.
 */
export async function expectTrueRate(visit: Visit, connection: string): Promise<void> {
  const look = async (): Promise<{ timeUs: number; rateBps: number }> => {
    const state = await visit.state();
    return { timeUs: state?.timeUs ?? NaN, rateBps: (state && received(state)[0]?.rateBps) ?? NaN };
  };
  let latest = await look();
  const before = await bytesReceived(visit.page, connection);
  let [bits, us] = [0, 0];
  await expect
    .poll(
      async () => {
        const now = await look();
        bits += (now.rateBps * (now.timeUs - latest.timeUs)) / 1e6;
        us += now.timeUs - latest.timeUs;
        latest = now;
        return us;
      },
      { intervals: [300] },
    )
    .toBeGreaterThan(6e6);
  const after = await bytesReceived(visit.page, connection);
  const truthBps = ((after.bytes - before.bytes) * 8e3) / (after.ms - before.ms);
  const shownBps = (bits * 1e6) / us;
  // The displayed rate includes RTP headers, and covers slightly different seconds.
  expect(shownBps / truthBps).toBeGreaterThan(0.75);
  expect(shownBps / truthBps).toBeLessThan(1.3);
}
