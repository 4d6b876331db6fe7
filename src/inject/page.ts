/** The observer in a page: installed before the page's own scripts, in every window. */
import { Actions } from './actions.js';
import { findConnections, patchAllUses, patchEvents } from './adoption.js';
import { Endpoint, type KnownBefore, type Window } from './endpoint.js';
import { FrameWorker } from './frames.js';
import { Held } from './held.js';
import { attempt, clearInterval, listen, setInterval, stringify } from './natives.js';
import { patchConstructor, patchPrototype, Policies } from './patches.js';
import {
  OBSERVER_KEY,
  type ActionResult,
  type ObserverConfig,
  type PageObserver,
  type PageRequest,
} from './protocol.js';
import { rebased } from './rebase.js';
import { ReceiverTransforms } from './receivers.js';
import { Reporter, type Deliver } from './reporter.js';
import { SenderParameters } from './sender_parameters.js';
import { Strays } from './strays.js';

/** From one look at getStats to the next, and from one batch to the next: what is urgent does not wait. */
const BATCH_MS = 500;
/** A busy listener takes a batch within this time. */
const UNHEARD_MS = 10_000;

export class Observer implements PageObserver {
  readonly #window: Window;
  readonly #all = new WeakMap<RTCPeerConnection, Endpoint>();
  /** Those that are not closed, as far as that is known. */
  readonly #open = new Held<Endpoint>();
  readonly #policies = new Policies();
  readonly #actions: Actions;
  #document = document;
  #count = 0;
  #adopting = false;
  /** Null where all connections are known, since there were none before. */
  #strays: Strays | null = null;
  #isPaused = false;
  #isUnheard = false;
  /** The function of the window that batches go to; null where there is none. */
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
      boundOf: (sender, rid) => parameters.boundOf(sender, rid),
      closed: (endpoint) => this.#open.delete(endpoint),
    };
    const { reporter } = this.#window;
    this.#actions = new Actions({
      parameters,
      connection: (endpoint) => this.#openOne(endpoint)?.peer ?? null,
      isHidden: (endpoint) => this.#strays?.has(endpoint) ?? false,
      told: (action, result) => {
        const { endpoint } = action.target;
        reporter.tell({ type: 'action', endpoint, timeUs: reporter.nowUs(), action, result });
      },
    });
    const { relay } = config;
    const native = RTCPeerConnection;
    patchPrototype(native.prototype, (peer) => this.#endpoint(peer), relay, this.#policies);
    patchConstructor(
      native,
      (configuration) => (relay === null ? configuration : this.#policies.changed(configuration)),
      (peer, configuration) => this.#made(peer, configuration),
    );
    if (config.adoptsLate && isLate()) this.#lookBack();
    this.#listen();
  }

  /** Looks for connections that the page has made already, and goes on looking. */
  #lookBack(): void {
    const strays = new Strays(this.#window, () => this.#count++);
    this.#strays = strays;
    const meet = (peer: RTCPeerConnection): void => this.adopt(peer);
    const stray = (used: RTCRtpReceiver | RTCRtpTransceiver): void => {
      if (!this.#adopting) strays.meet(used);
    };
    attempt(() => patchAllUses(RTCPeerConnection.prototype, meet));
    attempt(() => patchEvents(meet));
    for (const { prototype } of [RTCRtpReceiver, RTCRtpTransceiver])
      attempt(() => patchAllUses(prototype, stray));
    attempt(() => findConnections(globalThis, meet, stray));
    this.#start();
  }

  /** Watches a connection that somebody has found, unless it is watched already. Throws for any other object. */
  adopt(peer: RTCPeerConnection): void {
    // An endpoint that is being made asks its connection, too.
    if (!this.#adopting) this.#endpoint(peer);
  }

  #newWorker({ frameTiming }: ObserverConfig): FrameWorker | null {
    if (frameTiming === 'getStats') return null;
    const worker = new FrameWorker(FRAME_WORKER_SOURCE, () => {
      if (worker === this.#window.worker) this.#giveUp();
    });
    return worker;
  }

  /** What is known when the document goes; there may be no time for more. */
  #listen(): void {
    listen(globalThis, 'pagehide', () => void this.#window.reporter.send());
  }

  /**
   * A window that showed nothing yet, as a popup at first, keeps its objects when its first page comes,
   * but neither workers nor listeners.
   */
  #renew(): void {
    if (document === this.#document) return;
    this.#document = document;
    this.#window.worker = this.#newWorker(this.#window.config);
    this.#listen();
  }

  #made(peer: RTCPeerConnection, configuration: unknown): void {
    const { encodedInsertableStreams } = (configuration ?? {}) as { encodedInsertableStreams?: unknown };
    const endpoint = this.#adopt(peer, { ownsTransforms: encodedInsertableStreams === true, isLate: false });
    if (this.#window.config.relay !== null && this.#policies.note(peer, configuration))
      endpoint.relayPolicy();
  }

  #endpoint(peer: RTCPeerConnection): Endpoint {
    return this.#all.get(peer) ?? this.#adopt(peer, { ownsTransforms: false, isLate: true });
  }

  #adopt(peer: RTCPeerConnection, known: KnownBefore): Endpoint {
    this.#renew();
    const endpoint = this.#ownUse(() => new Endpoint(this.#count++, peer, known, this.#window));
    this.#all.set(peer, endpoint);
    if (!endpoint.closed) this.#open.add(endpoint);
    this.#start();
    return endpoint;
  }

  /** What is asked of connections meanwhile is no use by the page. */
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

  /** Tells the binding from now on, and whoever was told before nothing more. For the one that is told already nothing changes. */
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

  /** Does what whoever listens asks for. */
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

  /** Acts on a call, as somebody has commanded. Never rejects: the result says what came of it. */
  act(action: unknown): Promise<ActionResult> {
    return this.#actions.act(action);
  }

  /**
   * Ends the observation, until it is resumed: connections go on, and nothing of them is told. What is noted of them
   * and of new ones, so that they can be told of when it is resumed, keeps none alive. Resolves when everything that
   * was done to them is taken back.
   */
  pause(): Promise<void> {
    this.#isPaused = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#window.reporter.pause();
    this.#window.worker?.pause();
    for (const endpoint of this.#open.all) endpoint.pause();
    this.#open.letGo();
    this.#strays?.pause();
    return this.#actions.end();
  }

  /** Begins again, perhaps for somebody else: all connections that are open are told of as if they were new. */
  resume(deliver?: Deliver): void {
    const { reporter, worker } = this.#window;
    // One may be closed and nobody saw it, as by a function that the page took before it was observed.
    for (const endpoint of this.#open.all) attempt(() => endpoint.look());
    this.#open.hold();
    this.#isPaused = false;
    this.#isUnheard = false;
    this.#actions.begin();
    worker?.resume();
    reporter.resume(deliver);
    for (const endpoint of this.#open.all) attempt(() => endpoint.resume());
    this.#strays?.resume();
    this.#start();
  }

  #giveUp(): void {
    for (const endpoint of this.#open.all) attempt(() => endpoint.giveUp());
  }

  /** A listener that has taken nothing for this long is gone, and nobody is left who could take back what was done. */
  #watchListener(): void {
    const isUnheard = this.#window.reporter.unheardMs > UNHEARD_MS;
    if (isUnheard === this.#isUnheard) return;
    this.#isUnheard = isUnheard;
    if (isUnheard) void this.#actions.end();
    else this.#actions.begin();
  }

  #tick(): void {
    this.#watchListener();
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

/** Whether scripts of the page may have run before. */
const isLate = (): boolean => document.readyState !== 'loading' || document.scripts.length > 0;

type Binding = (batch: string) => Promise<void>;

/** Tells Node, through the function that it has put into the window. */
const throughBinding =
  (name: string): Deliver =>
  (batch) =>
    (globalThis as unknown as Record<string, Binding | undefined>)[name]?.(stringify(batch));

/** What is observed. */
export type Connection = RTCPeerConnection;

/** Whether this browser, or this kind of page, has peer connections at all. */
export const hasConnections = (): boolean => typeof RTCPeerConnection !== 'undefined';

/**
 * Installs the observer, unless the window has no peer connections. In a window that has one, which
 * may be paused, that one tells from now on. Never throws.
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
