/** The observer in a page: installed before the page's own scripts, in every window. */
import { Endpoint, type KnownBefore, type Window } from './endpoint.js';
import { FrameWorker } from './frames.js';
import { attempt, clearInterval, listen, setInterval } from './natives.js';
import { patchConstructor, patchPrototype, Policies, SenderBounds } from './patches.js';
import { OBSERVER_KEY, type ObserverConfig, type PageObserver } from './protocol.js';
import { ReceiverTransforms } from './receivers.js';
import { Reporter } from './reporter.js';

/** From one look at getStats to the next, and from one batch to the next: what is urgent does not wait. */
const BATCH_MS = 500;

class Observer implements PageObserver {
  readonly #window: Window;
  readonly #all = new WeakMap<RTCPeerConnection, Endpoint>();
  readonly #open = new Set<Endpoint>();
  readonly #policies = new Policies();
  #document = document;
  #count = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(config: ObserverConfig) {
    const bounds = new SenderBounds();
    this.#window = {
      config,
      reporter: new Reporter(config),
      worker: this.#newWorker(config),
      receivers: new ReceiverTransforms(),
      boundOf: (sender, rid) => bounds.of(sender, rid),
    };
    bounds.patch();
    const { relay } = config;
    const native = RTCPeerConnection;
    patchPrototype(native.prototype, (peer) => this.#endpoint(peer), relay, this.#policies);
    patchConstructor(
      native,
      (configuration) => (relay === null ? configuration : this.#policies.changed(configuration)),
      (peer, configuration) => this.#made(peer, configuration),
    );
    this.#listen();
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
    const endpoint = new Endpoint(this.#count++, peer, known, this.#window);
    this.#all.set(peer, endpoint);
    this.#open.add(endpoint);
    this.#timer ??= setInterval(() => attempt(() => this.#tick()), BATCH_MS);
    return endpoint;
  }

  #giveUp(): void {
    for (const endpoint of this.#open) attempt(() => endpoint.giveUp());
  }

  #tick(): void {
    void this.flush();
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async flush(): Promise<void> {
    const { worker, reporter } = this.#window;
    const endpoints = [...this.#open];
    const timeUs = reporter.nowUs();
    const samples = endpoints.map((endpoint) => endpoint.sample());
    const { rows: noted, late } = (await worker?.take()) ?? { rows: [], late: [] };
    for (const [endpoint, rows] of noted) reporter.add({ type: 'frames', endpoint, rows });
    for (const [epochMs, lateMs] of late)
      reporter.add({ type: 'late', timeUs: reporter.timeUs(epochMs), lateMs });
    await Promise.all(samples);
    for (const endpoint of endpoints) {
      endpoint.look();
      if (endpoint.closed) this.#open.delete(endpoint);
    }
    await reporter.send(timeUs);
  }
}

/** Installs the observer, unless the window has one or no peer connections. Never throws. */
export function install(config: ObserverConfig): void {
  attempt(() => {
    const key = Symbol.for(OBSERVER_KEY);
    if (key in globalThis || typeof RTCPeerConnection === 'undefined') return;
    Object.defineProperty(globalThis, key, { value: new Observer(config) });
  });
}
