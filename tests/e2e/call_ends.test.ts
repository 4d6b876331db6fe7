/**
 * How a run of `ccscope call` ends after a failure. It must end soon, report the reason, and not affect other
 * runs.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { WebSocket } from 'ws';

import { runPageCall } from '../../src/command_line/call/page_call.js';
import { runCall, type CallServer, type RunContext } from '../../src/command_line/call/run.js';
import type { CallPlan } from '../../src/command_line/call/types.js';
import { startServer } from '../../src/server/server.js';
import { openShaperLink } from '../../src/shaper/index.js';
import type { Shaper } from '../../src/shaper/shaper.js';
import { IceAgent } from '../node/ice_agent.js';
import { DEFAULT_LINK_CONFIG } from '../../src/link/link_config.js';
import { descendants, isBrowser, isRenderer, signal, type Process } from './command.js';
import { expect, test } from './support.js';

const plan: CallPlan = {
  controller: 'gcc',
  text: 'gcc',
  mode: 'control',
  set: {},
  shadows: [],
  files: [],
  source: { name: 'synthetic', width: 640, height: 360, fps: 30, file: null },
  codec: 'vp8',
  audio: false,
  link: { ...DEFAULT_LINK_CONFIG },
  durationMs: 600_000,
  keyFrameIntervalS: 0,
  sourceMaxBps: 2_500_000,
  seed: 1,
};

const context = (changes: Partial<RunContext> = {}): RunContext => ({
  signal: new AbortController().signal,
  run: 0,
  onProgress: () => undefined,
  wantTrace: false,
  wantHtml: false,
  ...changes,
});

/** A server with a page that replaces the app. */
interface FakeApp {
  url: string;
  /** Resolves when the page's state is read for the first time. */
  asked: Promise<void>;
  close(): void;
}

/** Serves a page whose state is `first` when it is read for the first time, and `then` afterwards. */
async function fakeApp(first: object, then: object = first): Promise<FakeApp> {
  const usual = { phase: 'connecting', status: null, link: null, notices: [], urlProblems: [] };
  const states = [first, then].map((state) => ({ ...usual, ...state }));
  let told: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (told = resolve));
  const server = createServer((request, response) => {
    if (request.url === '/asked') told();
    response.setHeader('content-type', 'text/html');
    response.end(`<script>
      const states = ${JSON.stringify(states)};
      const state = () => {
        fetch('/asked');
        return states.length > 1 ? states.shift() : states[0];
      };
      window.ccscope = { state, media: () => null };
    </script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, close };
}

const CONNECTED = { phase: 'connected', link: 'link-1' };

/**
 * A fake server. Its `lend` returns the link name `link-1`, but does not make the shaper available under this
 * name.
 */
const lending = (url: string, lent: (shaper: Shaper) => void = () => undefined): CallServer => ({
  url,
  lend(shaper) {
    lent(shaper);
    return { name: 'link-1', end: () => undefined };
  },
});

/**
 * Starts a shaper: two ICE agents, one for each of its sockets, send it connectivity checks until it has
 * started.
 */
async function startedBy(shaper: Shaper): Promise<void> {
  const [a, b] = await Promise.all([IceAgent.at('offr', shaper.a.port), IceAgent.at('answ', shaper.b.port)]);
  const checks = setInterval(() => {
    a.check({ to: 'answ', role: 'controlling', nominate: true });
    b.check({ to: 'offr', role: 'controlled' });
  }, 20);
  await shaper.started;
  clearInterval(checks);
  a.close();
  b.close();
}

/** Kills the processes of this kind that are not in `before`. */
function kill(kind: (candidate: Process) => boolean, before: readonly Process[]): void {
  const known = new Set(before.map(({ pid }) => pid));
  const victims = descendants(process.pid).filter((found) => kind(found) && !known.has(found.pid));
  expect(victims).not.toEqual([]);
  signal(victims, 'SIGKILL');
}

test.describe('a run of our own page', () => {
  test('whose page finds no local server fails with what the page says', async ({ served }) => {
    const server = lending(served.staticUrl);
    await expect(runCall(plan, server, context())).rejects.toThrow(
      /^the page did not join the link.*There is no local server here.*Run the call again/,
    );
  });

  test('whose link is not lent fails with what the server says', async ({ served }) => {
    const server = await startServer({ appDir: served.appDir });
    try {
      await expect(runCall(plan, lending(server.url), context())).rejects.toThrow(
        /^the call failed\..*there is no link link-1 to join/,
      );
    } finally {
      await server.close();
    }
  });

  test('is measured by its own link, whoever has others at the same server', async ({ served }) => {
    const server = await startServer({ appDir: served.appDir });
    const stranger = new WebSocket(`${server.url.replace('http', 'ws')}ws`);
    await once(stranger, 'open');
    // Another client also opens two links: one before the call's link is opened, and one afterwards.
    const openLink = async (id: number): Promise<void> => {
      stranger.send(JSON.stringify({ id, type: 'link/open', config: {} }));
      await once(stranger, 'message');
    };
    await openLink(1);
    const asking: CallServer = {
      url: server.url,
      lend: (shaper) => {
        void openLink(2);
        return server.lend(shaper);
      },
    };
    try {
      const { report } = await runCall({ ...plan, durationMs: 3000 }, asking, context());
      expect(report.utilisation).toBeGreaterThan(0.05);
    } finally {
      stranger.terminate();
      await server.close();
    }
  });

  test('fails when the page goes over to another link', async () => {
    const app = await fakeApp(CONNECTED, { ...CONNECTED, link: 'link-2' });
    const started = lending(app.url, (shaper) => void startedBy(shaper));
    await expect(runCall(plan, started, context())).rejects.toThrow(/^the call switched to another link/);
    app.close();
  });

  for (const [what, kind, message] of [
    ['Chromium is killed', isBrowser, /^Chromium ended in the middle of the call.*run the call again$/],
    ['the page crashes', isRenderer, /^the page crashed in the middle of the call; run the call again$/],
  ] as const) {
    test(`fails at once when ${what} while it connects`, async () => {
      const app = await fakeApp({});
      const before = descendants(process.pid);
      const failed = expect(runCall(plan, lending(app.url), context())).rejects;
      await app.asked;
      kill(kind, before);
      await failed.toThrow(message);
      app.close();
    });

    test(`fails at once when ${what} while it is measured`, async () => {
      const app = await fakeApp(CONNECTED);
      const before = descendants(process.pid);
      let killed = false;
      const onProgress = (): void => {
        if (!killed) kill(kind, before);
        killed = true;
      };
      const started = lending(app.url, (shaper) => void startedBy(shaper));
      await expect(runCall(plan, started, context({ onProgress }))).rejects.toThrow(message);
      app.close();
    });
  }

  test('ends at once, and its browser with it, when it is interrupted', async () => {
    const app = await fakeApp({});
    const stop = new AbortController();
    const reason = new Error('interrupted');
    const before = descendants(process.pid).length;
    const run = runCall(plan, lending(app.url), context({ signal: stop.signal }));
    const failed = expect(run).rejects;
    await app.asked;
    stop.abort(reason);
    await failed.toBe(reason);
    await expect.poll(() => descendants(process.pid).length).toBe(before);
    app.close();
  });
});

test.describe('a run of somebody’s pages', () => {
  const pagePlan = (url: string) => ({
    urls: [url],
    clicks: [],
    link: { ...DEFAULT_LINK_CONFIG },
    durationMs: 600_000,
  });

  for (const [what, kind, message] of [
    ['Chromium is killed', isBrowser, /^Chromium ended in the middle of the call/],
    ['its page crashes', isRenderer, /^page 1 \(.*\) crashed/],
  ] as const) {
    test(`fails at once when ${what} before there is a call`, async () => {
      const app = await fakeApp({});
      const before = descendants(process.pid);
      const failed = expect(runPageCall(pagePlan(`${app.url}asked`), context())).rejects;
      await app.asked;
      kill(kind, before);
      await failed.toThrow(message);
      app.close();
    });
  }

  test('fails at once when the thread of its link has ended', async () => {
    const app = await fakeApp({});
    const thread = new URL('../node/broken_thread.mjs', import.meta.url);
    const run = runPageCall(pagePlan(app.url), context(), async (options) => {
      const link = await openShaperLink({ ...options, thread });
      await link.sync().catch(() => undefined);
      return link;
    });
    await expect(run).rejects.toThrow(/^the shaper failed: out of luck.*run the call again$/);
    app.close();
  });
});
