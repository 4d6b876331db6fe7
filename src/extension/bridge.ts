/**
 * The bridge, which connects a document to the panels. It runs in a JavaScript world that the page cannot access. It
 * forwards texts in both directions and neither parses nor executes them. The observer only works while a panel is
 * connected.
 */
import type { PageRequest } from '../inject/protocol.js';
import {
  ARE_YOU_HERE,
  GOODBYE,
  MOST_CHARACTERS,
  PORT_OFFERED,
  PORT_WANTED,
  portName,
  STILL_HERE,
  type AskBackground,
  type AskedPage,
  type Here,
  type ToBridge,
} from './channel.js';
import { siteOf } from './sites.js';

class Bridge {
  readonly #panels = new Map<string, chrome.runtime.Port>();
  #page: MessagePort | null = null;
  /** Aborted when the bridge ends. This removes its listeners for DOM events. */
  readonly #until = new AbortController();
  readonly #onMessage = (message: ToBridge): void => this.#told(message);

  constructor(private readonly ended: () => void) {
    const { signal } = this.#until;
    const offered = (event: Event): void => {
      const [port] = (event as MessageEvent).ports;
      // Only the first offer counts. If the bridge is started together with its document, the first offer comes before
      // the page's own scripts can run.
      if (port === undefined || this.#page !== null) return;
      event.stopImmediatePropagation();
      // Cancelling the event tells the script in the page's world that its offer was accepted.
      event.preventDefault();
      this.#page = port;
      port.onmessage = ({ data }: MessageEvent<unknown>) => this.#fromPage(data);
      if (this.#panels.size > 0) this.#ask({ type: 'resume' });
    };
    document.addEventListener(PORT_OFFERED, offered, { signal });
    document.dispatchEvent(new Event(PORT_WANTED));
    chrome.runtime.onMessage.addListener(this.#onMessage);
    addEventListener('pageshow', ({ persisted }) => void (persisted && this.#back()), { signal });
    this.announce();
  }

  /**
   * A document that was restored from the back/forward cache has lost its connections to panels, even if its ports
   * have not reported that. Documents in the cache are not told that a site was turned off.
   */
  async #back(): Promise<void> {
    this.#leavePanels();
    const ask: AskBackground = { kind: 'is-on' };
    let isOn = false;
    try {
      isOn = await chrome.runtime.sendMessage<AskBackground, boolean>(ask);
    } catch {
      // The extension was removed or reloaded meanwhile.
    }
    if (isOn) this.announce();
    else this.#end();
  }

  /** Tells open panels that this document exists. If no panel is open, sending fails, which is not an error. */
  announce(): void {
    chrome.runtime.sendMessage({ kind: 'here' } satisfies Here).catch(() => undefined);
  }

  #told(message: ToBridge): void {
    if (message.kind === 'connect') this.#connect(message.panel);
    else if (this.#isOff(message.site)) this.#end();
  }

  /**
   * Whether turning off `site` ends this bridge. In a frame with an opaque origin, the bridge cannot determine its
   * own site, so it ends when any site is turned off.
   */
  #isOff(site: string | null): boolean {
    const own = siteOf(self.origin);
    return own === null || site === null || own === site;
  }

  #connect(panel: string): void {
    if (this.#panels.has(panel)) return;
    const port = chrome.runtime.connect({ name: portName(panel) });
    this.#panels.set(panel, port);
    port.onMessage.addListener((text: unknown) => this.#toPage(text));
    port.onDisconnect.addListener(() => {
      // The panel may already have a new port.
      if (this.#panels.get(panel) !== port) return;
      this.#panels.delete(panel);
      if (this.#panels.size === 0) this.#ask({ type: 'pause' });
    });
    // A new panel has received nothing yet, so the observer reports all open connections again.
    this.#ask({ type: 'resume' });
  }

  #fromPage(text: unknown): void {
    if (text === ARE_YOU_HERE) {
      if (isInForce()) this.#toPage(STILL_HERE);
      return;
    }
    if (typeof text !== 'string' || text.length > MOST_CHARACTERS) return;
    for (const port of this.#panels.values()) port.postMessage(text);
  }

  #toPage(text: unknown): void {
    if (typeof text === 'string') this.#page?.postMessage(text);
  }

  #ask(request: PageRequest): void {
    this.#toPage(JSON.stringify({ id: 'bridge', request } satisfies AskedPage));
  }

  #leavePanels(): void {
    this.#ask({ type: 'pause' });
    for (const port of this.#panels.values()) port.disconnect();
    this.#panels.clear();
  }

  #end(): void {
    this.#leavePanels();
    this.#toPage(GOODBYE);
    this.#until.abort();
    chrome.runtime.onMessage.removeListener(this.#onMessage);
    this.ended();
  }
}

/**
 * Whether the extension that injected this bridge still runs. When an extension is reloaded, its old scripts stay in
 * pages.
 */
const isInForce = (): boolean =>
  (chrome as { runtime?: { id?: string | undefined } }).runtime?.id !== undefined;

/**
 * The bridge of this document, stored in the extension's own world. If the scripts are injected again, they find the
 * bridge here.
 */
const scope = globalThis as { ccscopeBridge?: Bridge | undefined };
if (scope.ccscopeBridge === undefined)
  scope.ccscopeBridge = new Bridge(() => (scope.ccscopeBridge = undefined));
else scope.ccscopeBridge.announce();
