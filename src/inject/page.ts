/** The observer in a page. It is usually installed in every window before the page's own scripts. */
import { Actions } from './actions.js';
import { findConnections, patchAllUses, patchEvents } from './adoption.js';
import { Endpoint, type KnownBefore, type Window } from './endpoint.js';
import { FrameWorker } from './frames.js';
import { Held } from './held.js';
import {
  attempt,
  clearInterval,
  connectionPrototype,
  connectionTest,
  listen,
  setInterval,
  stringify,
} from './natives.js';
import { patchConstructor, patchPrototype, Policies } from './patches.js';
import {
  OBSERVER_KEY,
  sectionOf,
  type ActionResult,
  type ObserverConfig,
  type PageMessage,
  type PageObserver,
  type PageRequest,
} from './protocol.js';
import { rebased } from './rebase.js';
import { ReceiverTransforms } from './receivers.js';
import { Reporter, type Deliver } from './reporter.js';
import { SenderParameters } from './sender_parameters.js';
import { Strays } from './strays.js';

/** The interval at which getStats is read and a batch of messages is sent. Urgent messages are sent at once. */
const BATCH_MS = 500;
/**
 * A listener that has not taken a batch after this time is assumed to be gone. Even a busy listener is faster.
 */
const UNHEARD_MS = 10_000;

type ActionMessage = Extract<PageMessage, { type: 'action' }>;

export class Observer implements PageObserver {
  readonly #window: Window;
  readonly #isConnection = connectionTest();
  readonly #all = new WeakMap<RTCPeerConnection, Endpoint>();
  /** Connections that are not closed, as far as is known. */
  readonly #open = new Held<Endpoint>();
  readonly #policies = new Policies();
  readonly #actions: Actions;
  #document = document;
  #count = 0;
  #adopting = false;
  /**
   * While a constructor of connections runs, what the page announced for the new connection. Null at all other times.
   */
  #making: { ownsTransforms: boolean } | null = null;
  /**
   * Finds received video whose connection is unknown. Null if the observer was installed before any script of
   * the page, or if the configuration does not set `adoptsLate`.
   */
  #strays: Strays | null = null;
  /** Begins the search for connections that the page created earlier. Null if there is none, or it has ended. */
  #beginSearch: (() => Iterator<undefined, void>) | null = null;
  /** The search, once it has begun. */
  #search: Iterator<undefined, void> | null = null;
  /** For each media section on which actions are in force: the latest report that lists them. */
  readonly #standing = new Map<string, ActionMessage>();
  #isPaused = false;
  #isUnheard = false;
  /** The name of the window function that takes the batches; null if there is no such function. */
  #binding: string | null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(config: ObserverConfig, deliver: Deliver, binding: string | null) {
    this.#binding = binding;
    const parameters = new SenderParameters();
    this.#window = {
      config,
      reporter: new Reporter(config.originEpochMs, deliver),
      worker: this.#newWorker(config),
      receivers: new ReceiverTransforms(),
      boundOf: (sender, rid, index) => parameters.boundOf(sender, rid, index),
      closed: (endpoint) => this.#open.delete(endpoint),
    };
    const { reporter } = this.#window;
    this.#actions = new Actions({
      parameters,
      connection: (endpoint) => this.#openOne(endpoint)?.peer ?? null,
      isHidden: (endpoint) => this.#strays?.has(endpoint) ?? false,
      told: (action, result) => {
        const { endpoint } = action.target;
        this.#acted({ type: 'action', endpoint, timeUs: reporter.nowUs(), action, result });
      },
    });
    const { relay } = config;
    const native = RTCPeerConnection;
    patchPrototype(connectionPrototype(), (peer) => this.#endpoint(peer), relay, this.#policies);
    patchConstructor(
      native,
      (configuration) => (relay === null ? configuration : this.#policies.changed(configuration)),
      (configuration, construct) => this.#make(configuration, construct),
    );
    if (config.adoptsLate && isLate()) this.#lookBack();
    this.#listen();
  }

  /**
   * Searches for connections that the page has already created. Also patches the browser's objects, so that
   * later uses of such connections reveal them.
   */
  #lookBack(): void {
    const strays = new Strays(this.#window, () => this.#count++);
    this.#strays = strays;
    const meet = (peer: RTCPeerConnection): void => this.adopt(peer);
    const stray = (used: RTCRtpReceiver | RTCRtpTransceiver): void => {
      if (!this.#adopting && this.#making === null) strays.meet(used);
    };
    attempt(() => patchAllUses(connectionPrototype(), meet));
    attempt(() => patchEvents(meet));
    for (const { prototype } of [RTCRtpReceiver, RTCRtpTransceiver])
      attempt(() => patchAllUses(prototype, stray));
    this.#beginSearch = () => findConnections(globalThis, meet, stray);
    this.#continueSearch();
    this.#start();
  }

  #continueSearch(): void {
    this.#search ??= this.#beginSearch?.() ?? null;
    if (attempt(() => this.#search?.next())?.done !== false) [this.#search, this.#beginSearch] = [null, null];
  }

  #acted(message: ActionMessage): void {
    const { action, result } = message;
    if (result.ok) {
      const section = sectionOf(action.target);
      if (result.inForce.length > 0) this.#standing.set(section, message);
      else this.#standing.delete(section);
    }
    this.#window.reporter.tell(message);
  }

  /**
   * Observes a connection that the page created earlier, unless it is observed already. Throws if the object is
   * not a connection.
   */
  adopt(peer: RTCPeerConnection): void {
    // The constructor of Endpoint calls patched methods of the connection, which call `adopt` again. A constructor of
    // the page may use the connection that it makes, which is not late.
    if (!this.#adopting && this.#making === null) this.#endpoint(peer);
  }

  #newWorker({ frameTiming }: ObserverConfig): FrameWorker | null {
    if (frameTiming === 'getStats') return null;
    const worker = new FrameWorker(FRAME_WORKER_SOURCE, () => {
      if (worker === this.#window.worker) this.#giveUp();
    });
    return worker;
  }

  /** Sends the last messages when the document is unloaded. */
  #listen(): void {
    listen(globalThis, 'pagehide', (event) => this.#hide(event as PageTransitionEvent));
  }

  /**
   * Reports the connections as closed, because they end with the document and nothing else would tell the listener.
   * There may be no time for a last reading of getStats. The connections stay open if the browser keeps the document
   * (`persisted`) or if the page itself has dispatched the event.
   */
  #hide({ isTrusted, persisted }: PageTransitionEvent): void {
    if (isTrusted && !persisted) for (const endpoint of this.#open.all) attempt(() => endpoint.unloaded());
    void this.#window.reporter.send();
  }

  /**
   * Creates the worker and the listeners again if they were lost. They are lost in a window that has shown no
   * page yet, such as a new popup: when its first page loads, the window keeps its objects, but loses its
   * workers and listeners.
   */
  #renew(): void {
    if (document === this.#document) return;
    this.#document = document;
    this.#window.worker = this.#newWorker(this.#window.config);
    if (this.#isPaused) this.#window.worker?.pause();
    this.#listen();
  }

  #make(configuration: unknown, construct: () => RTCPeerConnection): RTCPeerConnection {
    const { encodedInsertableStreams } = (configuration ?? {}) as { encodedInsertableStreams?: unknown };
    const outer = this.#making;
    this.#making = { ownsTransforms: encodedInsertableStreams === true };
    try {
      const peer = construct();
      attempt(() => this.#made(peer, configuration));
      return peer;
    } finally {
      this.#making = outer;
    }
  }

  #made(peer: RTCPeerConnection, configuration: unknown): void {
    // A class of the page may return an object that only passes calls on to a connection. The connection is adopted
    // when it is used.
    if (!this.#isConnection(peer)) return;
    const endpoint = this.#endpoint(peer);
    if (this.#window.config.relay !== null && this.#policies.note(peer, configuration))
      endpoint.relayPolicy();
  }

  #endpoint(peer: RTCPeerConnection): Endpoint {
    return (
      this.#all.get(peer) ??
      (this.#making === null ? this.#adoptLate(peer) : this.#adoptNew(peer, this.#making))
    );
  }

  #adoptNew(peer: RTCPeerConnection, { ownsTransforms }: { ownsTransforms: boolean }): Endpoint {
    return this.#adopt(peer, { ownsTransforms, isLate: false, isReported: false }, this.#count++);
  }

  /**
   * Adopts a connection that the page created earlier. If its video was already reported as a stray, the
   * connection takes over the stray's number.
   */
  #adoptLate(peer: RTCPeerConnection): Endpoint {
    const reported = this.#ownUse(() =>
      attempt(() => this.#strays?.handOver(peer.getReceivers().map(({ track }) => track))),
    );
    const known = { ownsTransforms: false, isLate: true, isReported: typeof reported === 'number' };
    return this.#adopt(peer, known, reported ?? this.#count++);
  }

  #adopt(peer: RTCPeerConnection, known: KnownBefore, id: number): Endpoint {
    this.#renew();
    const endpoint = this.#ownUse(() => new Endpoint(id, peer, known, this.#window));
    this.#all.set(peer, endpoint);
    if (!endpoint.closed) this.#open.add(endpoint);
    this.#start();
    return endpoint;
  }

  /** Runs `work`. Uses of connections in `work` do not count as uses by the page. */
  #ownUse<T>(work: () => T): T {
    this.#adopting = true;
    try {
      return work();
    } finally {
      this.#adopting = false;
    }
  }

  #start(): void {
    if (!this.#isPaused) this.#timer ??= setInterval(() => attempt(() => this.#tick()), BATCH_MS);
  }

  /**
   * From now on, reports to this binding (a window function) instead of any earlier binding. Does nothing if
   * this binding is already in use.
   */
  listen({ binding, originEpochMs }: ObserverConfig & { binding: string }): void {
    if (this.#binding === binding) return;
    this.#binding = binding;
    const laterUs = Math.round((this.#window.config.originEpochMs - originEpochMs) * 1000);
    const deliver = throughBinding(binding);
    this.resume((batch) => deliver(laterUs === 0 ? batch : rebased(batch, laterUs)));
  }

  async release(binding: string): Promise<void> {
    if (this.#binding !== binding) return;
    this.#binding = null;
    await this.pause();
  }

  /** Executes a request from the listener. */
  async ask(request: PageRequest): Promise<unknown> {
    switch (request.type) {
      case 'flush':
        await this.flush();
        return null;
      case 'pause':
        await this.pause();
        return null;
      case 'resume':
        if (this.#isPaused) this.resume();
        return null;
      case 'act':
        return this.act(request.action);
    }
  }

  #openOne(number: number): Endpoint | undefined {
    return this.#open.all.find(({ id, closed }) => id === number && !closed);
  }

  /** Carries out an action on a call. Never rejects: the result describes what happened. */
  act(action: unknown): Promise<ActionResult> {
    return this.#actions.act(action);
  }

  /**
   * Pauses the observation until `resume` is called. The connections continue, but nothing about them is
   * reported. The observer still tracks existing and new connections, so that it can report them after the
   * pause. Its references to them are weak, and keep no connection alive. Resolves when all actions on the
   * connections are undone.
   */
  pause(): Promise<void> {
    this.#isPaused = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    // The search refers to objects of the page, and would keep them alive during the pause. It begins again later.
    this.#search = null;
    this.#standing.clear();
    this.#window.reporter.pause();
    this.#window.worker?.pause();
    for (const endpoint of this.#open.all) endpoint.pause();
    this.#open.letGo();
    this.#strays?.pause();
    return this.#actions.end();
  }

  /**
   * Resumes the observation, possibly for another listener. All open connections are reported as if they were
   * new.
   */
  resume(deliver?: Deliver): void {
    const { reporter, worker } = this.#window;
    // The page may have closed a connection without the observer noticing, for instance through a function that
    // it saved before it was observed.
    for (const endpoint of this.#open.all) attempt(() => endpoint.look());
    this.#open.hold();
    this.#isPaused = false;
    this.#isUnheard = false;
    this.#actions.begin();
    worker?.resume();
    reporter.resume(deliver);
    for (const endpoint of this.#open.all) attempt(() => endpoint.resume());
    this.#strays?.resume();
    for (const message of this.#standing.values()) reporter.tell(message);
    this.#start();
  }

  #giveUp(): void {
    for (const endpoint of this.#open.all) attempt(() => endpoint.giveUp());
  }

  /**
   * Undoes all actions if the listener has taken no batch for UNHEARD_MS. The listener is then gone, and can no
   * longer undo the actions itself.
   */
  #watchListener(): void {
    const isUnheard = this.#window.reporter.unheardMs > UNHEARD_MS;
    if (isUnheard === this.#isUnheard) return;
    this.#isUnheard = isUnheard;
    if (isUnheard) this.#undoUnheard();
    else this.#actions.begin();
  }

  /**
   * Also reports that the actions are undone, because a listener that was only slow still lists them. Reports this at
   * once, so that no later action is reported before it.
   */
  #undoUnheard(): void {
    void this.#actions.end();
    const { reporter } = this.#window;
    for (const { endpoint, action } of this.#standing.values()) {
      const { target } = action;
      const message = 'Nobody took the reports, so the settings of the page apply again.';
      this.#acted({
        ...{ type: 'action', endpoint, timeUs: reporter.nowUs() },
        ...{ action: { kind: 'release', target, of: null }, result: { ok: true, message, inForce: [] } },
      });
    }
  }

  #tick(): void {
    this.#watchListener();
    this.#continueSearch();
    void this.flush();
    if (this.#open.all.length > 0 || this.#strays !== null || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #lookForStrays(endpoints: readonly Endpoint[]): Promise<void> {
    const looked = this.#ownUse(() => attempt(() => this.#strays?.look(endpoints)));
    await looked?.catch(() => undefined);
  }

  async flush(): Promise<void> {
    const { worker, reporter } = this.#window;
    const endpoints = this.#open.all;
    const timeUs = reporter.nowUs();
    const samples = endpoints.map((endpoint) => endpoint.sample());
    const { rows: noted, late } = (await worker?.take()) ?? { rows: [], late: [] };
    for (const [endpoint, rows] of noted) reporter.add({ type: 'frames', endpoint, rows });
    for (const [epochMs, lateMs] of late)
      reporter.add({ type: 'late', timeUs: reporter.timeUs(epochMs), lateMs });
    await Promise.all([...samples, this.#lookForStrays(endpoints)]);
    for (const endpoint of endpoints) endpoint.look();
    await reporter.send(timeUs);
  }
}

/** Whether scripts of the page may have run before the observer. */
const isLate = (): boolean => document.readyState !== 'loading' || document.scripts.length > 0;

type Binding = (batch: string) => Promise<void>;

/** Returns a function that reports to Node. It calls the window function `name`, which Node has added. */
const throughBinding =
  (name: string): Deliver =>
  (batch) =>
    (globalThis as unknown as Record<string, Binding | undefined>)[name]?.(stringify(batch));

/** The type of the objects that are observed. */
export type Connection = RTCPeerConnection;

/** Whether this window has the class RTCPeerConnection. Some browsers, and some kinds of pages, lack it. */
export const hasConnections = (): boolean => typeof RTCPeerConnection !== 'undefined';

/**
 * Installs the observer, unless the window lacks the class RTCPeerConnection. If the window already has an
 * observer, even a paused one, the existing observer reports to this binding from now on. Never throws.
 */
export function install(config: ObserverConfig & { binding: string }): void {
  attempt(() => {
    const key = Symbol.for(OBSERVER_KEY);
    if (!hasConnections()) return;
    const known = (globalThis as unknown as Record<symbol, Observer | undefined>)[key];
    if (known !== undefined) {
      known.listen(config);
      return;
    }
    const observer = observe(config, throughBinding(config.binding), config.binding);
    Object.defineProperty(globalThis, key, { value: observer });
  });
}

/** Observes the window's peer connections from now on. */
export const observe = (config: ObserverConfig, deliver: Deliver, binding: string | null = null): Observer =>
  new Observer(config, deliver, binding);
