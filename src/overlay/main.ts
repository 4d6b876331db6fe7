/**
 * The script that shows the overlay in any page. It can be pasted into a console, started by a bookmarklet,
 * loaded by a `<script>`, or injected before all other scripts. Its worker runs the same script. Modules that
 * only the page or only the worker needs are imported dynamically. The page imports the views, after the
 * observer is installed. The worker imports the watch and the core. If a window already contains the script,
 * running it again opens the overlay.
 */
import { hasConnections, observe, type Connection } from '../inject/page.js';
import { attempt, epochMs } from '../inject/natives.js';
import type { TraceExtent } from '../trace/index.js';
import type { Model } from './model.js';
import type { Overlay } from './overlay.js';
import { HERE, startWatch, type StartedWatch } from './watch_client.js';
import type { ServedState, WatchStart } from './watch_service.js';

/** The key of a global symbol. Under this symbol, the script leaves its only object in a window. */
const INJECT_KEY = 'ccscope.inject';

/** The object that the script leaves in a window. */
interface Injected {
  /** Expands the overlay if it was collapsed. After `detach`, starts the watch and the overlay again. */
  show(): void;
  /** Collapses the overlay. */
  collapse(): void;
  /**
   * Returns the current state of the calls in the window, and how many rows are recorded; null after `detach`.
   */
  state(): Promise<InjectedState | null>;
  /**
   * Observes connections that the caller has found, for instance with the debugger's
   * `queryObjects(RTCPeerConnection)`, which lists all connections of the window.
   */
  adopt(...peers: Connection[]): void;
  /** Ends the watch and removes the overlay. The connections continue undisturbed. */
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
  /** Starts the watch when it is first needed. A frame without a call never needs a watch. */
  const starting = (): Promise<StartedWatch> => (started ??= startWatch(originEpochMs));
  let ending = Promise.resolve();
  let overlay: Overlay | null = null;
  let model: Model | null = null;
  let isAttached = true;
  /**
   * The document in which the overlay was opened. A popup first has a temporary document. When the browser
   * replaces this document, the overlay and the worker are lost.
   */
  let opened = document;
  /**
   * Whether the view opens at once. Two kinds of pages get a view only when they create a connection: pages in
   * a frame, such as an advertisement, and pages without an address, such as a new popup.
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
  // The first batches may come before the watch exists. They wait for the watch.
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
    // A list from `queryObjects` also contains prototypes of subclasses. For these, `adopt` throws.
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
    // If the document is the same, the user has called `show` or run the script again, and so wants to see the
    // view. In a new document, the script may be running only because it runs in every frame. In that case
    // `hasView` decides, as in the first run.
    isWanted = !isElsewhere || hasView();
    // `pause` undoes all actions on the calls. The observer must not resume before that is done.
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
