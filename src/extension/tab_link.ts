/** A panel's connections to the documents of one tab. */
import { epochMs } from '../inject/natives.js';
import type { PageRequest } from '../inject/protocol.js';
import type { AskedPage, Here, ToBackground } from './channel.js';
import { Feed } from './feed.js';
import { readFromPage } from './page_text.js';
import { isRelayed, newPanelId, sourceOf, tabOf } from './relay.js';
import type { PageBatch } from '../inject/protocol.js';

/** An observed document of the tab. */
export interface Document {
  /** The document's name in the panel's watch (the worker that records what is observed). */
  window: string;
  url: string;
  isTop: boolean;
}

/** The callbacks for events in the tab. */
export interface TabListener {
  batch(batch: PageBatch, document: Document): void;
  /** A document appeared or disappeared. */
  documents(documents: readonly Document[]): void;
  ended(document: Document): void;
}

interface Connected extends Document {
  port: chrome.runtime.Port;
  feed: Feed;
}

/** The longest wait for an answer. A page that has not answered by then is assumed never to answer. */
const ANSWER_MS = 5000;

export class TabLink {
  readonly #panel = newPanelId();
  readonly #connected = new Map<string, Connected>();
  readonly #waiting = new Map<string, { resolve(answer: unknown): void; reject(error: Error): void }>();
  #count = 0;

  constructor(
    private readonly tab: number,
    private readonly originEpochMs: number,
    private readonly listener: TabListener,
  ) {
    chrome.runtime.onConnect.addListener((port) => this.#connect(port));
    chrome.runtime.onMessage.addListener((message: Here | ToBackground, sender) => {
      if (message.kind === 'here' && tabOf(message, sender) === this.tab) this.#call();
    });
    this.#call();
  }

  /** Asks the documents of the tab to connect to this panel. */
  #call(): void {
    const message: ToBackground = { kind: 'watch', tab: this.tab, panel: this.#panel };
    chrome.runtime.sendMessage(message).catch(() => undefined);
  }

  #connect(port: chrome.runtime.Port): void {
    const source = sourceOf(port, this.#panel);
    // Every page of the extension receives every port, including ports for other panels. Such ports stay open, since
    // disconnecting a port here would also end it for its panel.
    if (source?.tab !== this.tab) return;
    const window = `document ${this.#count++}`;
    const feed = new Feed(window, this.originEpochMs, epochMs);
    const document: Connected = { window, url: source.url, isTop: source.isTop, port, feed };
    this.#connected.set(window, document);
    port.onMessage.addListener((text: unknown) => this.#hear(document, text));
    port.onDisconnect.addListener(() => {
      this.#connected.delete(window);
      this.listener.ended(document);
      this.#documents();
      // A relayed port also ends when the browser suspends the background script.
      if (isRelayed(this.#panel)) this.#call();
    });
    this.#documents();
  }

  #documents(): void {
    this.listener.documents([...this.#connected.values()]);
  }

  #hear(document: Connected, text: unknown): void {
    if (typeof text !== 'string') return;
    let message;
    try {
      message = readFromPage(text);
    } catch {
      // A message that no observer would send comes from the page's own scripts and is dropped. With such messages, a
      // page can only affect its own panel.
      return;
    }
    if ('batch' in message) this.listener.batch(document.feed.take(message.batch), document);
    else if ('error' in message) this.#waiting.get(message.id)?.reject(new Error(message.error));
    else this.#waiting.get(message.id)?.resolve(message.answer);
  }

  /**
   * Sends a request to the observer of a document. Resolves with the answer; rejects if the observer fails or does
   * not answer.
   */
  ask(window: string, request: PageRequest): Promise<unknown> {
    const document = this.#connected.get(window);
    if (document === undefined) return Promise.reject(new Error('the page was closed or reloaded'));
    const id = `${this.#panel} ${this.#count++}`;
    const answered = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      setTimeout(() => reject(new Error(`the page did not answer within ${ANSWER_MS} ms`)), ANSWER_MS);
    });
    document.port.postMessage(JSON.stringify({ id, request } satisfies AskedPage));
    return answered.finally(() => this.#waiting.delete(id));
  }
}
