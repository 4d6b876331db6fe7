/**
 * The extension in the page's own world: it observes, and sends what it sees to the bridge beside it. While no
 * panel is open it tells nothing. The page can see what is in here, so nothing in here is worth a secret.
 */
import { attempt, listen, stringify } from '../inject/natives.js';
import { observe, type Observer } from '../inject/page.js';
import { EXTENSION_KEY, PORT_OFFERED, PORT_WANTED, type AskedPage } from './channel.js';

// Taken before the page can change them.
const parse = JSON.parse.bind(JSON);
const Channel = MessageChannel;
const PortEvent = MessageEvent;
const { postMessage } = MessagePort.prototype;
const dispatch = EventTarget.prototype.dispatchEvent;

/** The page's end of the channel. */
class PageEnd {
  #port: MessagePort | null = null;
  #document: Document | null = null;
  readonly #observer: Observer;

  constructor() {
    // Times are those of the Unix epoch: each panel has an origin of its own.
    const late = { adoptsLate: true, timesShownFrames: true } as const;
    const config = { originEpochMs: 0, relay: null, frameTiming: 'transform', ...late } as const;
    this.#observer = observe(config, (batch) => this.#tell({ batch }));
    void this.#observer.pause();
    this.meet();
  }

  /**
   * Looks for the bridge of the window's document: there may be one, or it asks when it comes. A window that showed
   * nothing yet keeps its objects when its first document comes, and not its listeners.
   */
  meet(): void {
    if (document === this.#document) return;
    this.#document = document;
    listen(document, PORT_WANTED, () => this.#offer());
    this.#offer();
  }

  /** Offers a port to the bridge; it takes the place of the one before. */
  #offer(): void {
    const { port1, port2 } = new Channel();
    listen(port1, 'message', (event) => void this.#hear((event as MessageEvent).data));
    port1.start();
    this.#port = port1;
    dispatch.call(document, new PortEvent(PORT_OFFERED, { ports: [port2] }));
  }

  #tell(message: object): void {
    if (this.#port !== null) postMessage.call(this.#port, stringify(message));
  }

  async #hear(text: unknown): Promise<void> {
    if (typeof text !== 'string') return;
    const { id, request } = parse(text) as AskedPage;
    try {
      // A panel that is opened later has to be told of everything, also while others are told already.
      if (request.type === 'resume') this.#observer.resume();
      const answer = await this.#observer.ask(request);
      this.#tell({ id, answer: answer ?? null });
    } catch (error) {
      this.#tell({ id, error: String(error) });
    }
  }
}

attempt(() => {
  const key = Symbol.for(EXTENSION_KEY);
  const scope = globalThis as unknown as Record<symbol, (() => void) | undefined>;
  if (!('RTCPeerConnection' in globalThis)) return;
  if (key in scope) {
    scope[key]?.();
    return;
  }
  const end = new PageEnd();
  Object.defineProperty(scope, key, { value: () => end.meet() });
});
