/**
 * The script for other people's pages: pasted into a console, behind a bookmark, in a `<script>` or before all
 * other scripts. It is also the script of its own worker. Modules behind dynamic imports are evaluated only where
 * and when they are needed: the views in pages, once the observer is in place; the watch and the core in the
 * worker. In a window that already has the script, it opens the overlay again.
 */
import { hasConnections, observe, type Connection } from '../inject/page.js';
import { attempt, epochMs } from '../inject/natives.js';
import type { TraceExtent } from '../trace/index.js';
import type { Model } from './model.js';
import type { Overlay } from './overlay.js';
import { HERE, startWatch, type StartedWatch } from './watch_client.js';
import type { ServedState, WatchStart } from './watch_service.js';

/** The only thing that the script leaves in a window: an object at this symbol, which all realms share. */
const INJECT_KEY = 'ccscope.inject';

/** What the script leaves in a window. */
interface Injected {
  /** Expands the overlay if it was collapsed, and starts again after `detach`. */
  show(): void;
  /** Collapses the overlay. */
  collapse(): void;
  /** The present state of the window's calls, and how many rows are recorded; null after `detach`. */
  state(): Promise<InjectedState | null>;
  /**
   * Observes connections that the caller has found: a debugger's `queryObjects(RTCPeerConnection)` lists them
   * all.
   */
  adopt(...peers: Connection[]): void;
  /** Ends the watch and removes the overlay; connections continue undisturbed. */
  detach(): void;
}

/** The result of `state`. */
interface InjectedState extends ServedState {
  recorded: TraceExtent;
}

function inWorker(): void {
  const start = async ({ data }: MessageEvent<WatchStart>): Promise<void> => {
    const { serveWatch } = await import('./watch_service.js');
    serveWatch(data);
  };
  addEventListener('message', (event: MessageEvent<WatchStart>) => void start(event), { once: true });
  postMessage(HERE);
}

function inPage(): void {
  const key = Symbol.for(INJECT_KEY);
  const scope = globalThis as unknown as Record<symbol, Injected | undefined>;
  if (scope[key] !== undefined) {
    scope[key].show();
    return;
  }
  if (!hasConnections()) return;
  const originEpochMs = epochMs();
  let started: Promise<StartedWatch> | null = null;
  /** Starts the watch when it is first needed: a frame without a call never needs one. */
  const starting = (): Promise<StartedWatch> => (started ??= startWatch(originEpochMs));
  let ending = Promise.resolve();
  let overlay: Overlay | null = null;
  let model: Model | null = null;
  let isAttached = true;
  /**
   * The document that the overlay was opened in. A popup first has a temporary document; when the browser replaces
   * it, the overlay and the worker are gone.
   */
  let opened = document;
  /**
   * Whether the view opens at once. A page in a frame, such as an advertisement, and one without an address, such as
   * a new popup, only get a view once they create a connection.
   */
  const hasView = (): boolean => window === window.top && location.href !== 'about:blank';
  let isWanted = hasView();
  const config = {
    originEpochMs,
    relay: null,
    frameTiming: 'transform',
    adoptsLate: true,
    timesShownFrames: true,
  } as const;
  // The first batches may come before the watch exists; it gets them as soon as it exists.
  const observer = observe(config, async (batch) => {
    if (!isWanted) {
      isWanted = true;
      openSafely();
    }
    const { watch } = await starting();
    await watch.hear(batch);
    await model?.refresh();
  });
  const open = async (): Promise<void> => {
    const { watch } = await starting();
    const [{ Model }, { mountOverlay }] = await Promise.all([import('./model.js'), import('./overlay.js')]);
    if (!isAttached) return;
    model = new Model(watch, (action) => observer.act(action));
    overlay = mountOverlay(model, detach);
  };
  /** A failure of the view must not affect the page. */
  const openSafely = (): void => void open().catch(() => undefined);
  const detach = (): void => {
    if (!isAttached) return;
    isAttached = false;
    ending = observer.pause();
    overlay?.remove();
    model?.close();
    [overlay, model] = [null, null];
    void started?.then(({ end }) => end());
    started = null;
  };
  const collapse = (): void => overlay?.collapse();
  const adopt = (...peers: Connection[]): void => {
    // A debugger lists prototypes of subclasses among the connections.
    for (const peer of peers) attempt(() => observer.adopt(peer));
  };
  const state = async (): Promise<InjectedState | null> => {
    if (!isAttached) return null;
    const { watch } = await starting();
    await observer.flush();
    return { ...(await watch.state()), recorded: await watch.extent() };
  };
  const show = (): void => {
    const isElsewhere = document !== opened;
    if (isElsewhere) detach();
    opened = document;
    if (isAttached) {
      overlay?.show();
      return;
    }
    isAttached = true;
    // In the same document, somebody called `show` or ran the script again, and wants the view. In a new document
    // the script may have run just because it runs in every frame: the view opens as on a first start.
    isWanted = !isElsewhere || hasView();
    // The observer resumes only when its pause has undone all actions on the calls.
    void ending.then(() => {
      if (!isAttached) return;
      observer.resume();
      if (isWanted) openSafely();
    });
  };
  Object.defineProperty(scope, key, { value: { show, collapse, state, adopt, detach } satisfies Injected });
  if (isWanted) openSafely();
}

attempt(() => (typeof document === 'undefined' ? inWorker() : inPage()));
