/**
 * Receives the reports of pages: injects the observer script into their windows, checks each batch of reports,
 * and passes it on.
 */
import { randomUUID } from 'node:crypto';

import type { BrowserContext, Frame, Page } from 'playwright-core';

import { readBatch } from '../calls/record/batch.js';
import type { WindowPlace } from '../calls/record/endpoints.js';
import type { CallRecord } from '../calls/record/record.js';
import { OBSERVER_KEY, type ObserverConfig, type PageBatch, type PageRequest } from '../inject/protocol.js';
import { touchConnections } from './heap.js';
import { Pages, type SeenPage } from './pages.js';
import { observerScript } from './script.js';

export interface FeedHooks {
  nowUs(): number;
  /** Called with each batch of reports from a window. */
  heard(batch: PageBatch, place: WindowPlace): void;
  /**
   * Called when a page sends data that are not a batch. `binding` is the name of the function that the page
   * called.
   */
  unreadable(error: unknown, binding: string): void;
  /** Called when a window no longer exists. Its connections have ended. */
  windowEnded(window: string): void;
  opened(page: SeenPage): void;
  ended(page: SeenPage): void;
}

/** How long to wait for a page's answer. */
const ANSWER_MS = 2000;
/** How long to wait for an action. Before acting, the page may measure a rate for one second. */
const ACTED_MS = 5000;
/** How long to wait for the search for connections, which also collects the page's garbage. */
const SEARCH_MS = 10_000;

type Disposable = Awaited<ReturnType<Page['exposeBinding']>>;

/**
 * A JavaScript expression for the window's observer. It is undefined if the window has no observer, and so no
 * observed connections.
 */
const OBSERVER = `globalThis[Symbol.for(${JSON.stringify(OBSERVER_KEY)})]`;

export class PageFeed {
  /**
   * The name of the function that pages call to report. The name is unique, since several processes may observe
   * the same browser.
   */
  readonly #binding = `ccscopeReport${randomUUID().replaceAll('-', '')}`;
  readonly #config: ObserverConfig & { binding: string };
  /** The number of each context. A WeakMap, so that closed contexts can be garbage-collected. */
  readonly #contexts = new WeakMap<BrowserContext, number>();
  #contextCount = 0;
  readonly #pages: Pages;
  /** The bindings and scripts that `release` removes. */
  #installed: (Disposable | undefined)[] = [];
  #closed = false;

  constructor(
    record: Pick<CallRecord, 'pages'>,
    config: ObserverConfig,
    private readonly hooks: FeedHooks,
  ) {
    this.#config = { ...config, binding: this.#binding };
    this.#pages = new Pages(record, hooks);
  }

  /**
   * Observes all current and future pages, popups and iframes of a context. Idempotent. Throws FailedRun if the
   * package is incomplete, and Playwright's errors for a closed context.
   */
  async observe(context: BrowserContext): Promise<void> {
    if (this.#contexts.has(context)) return;
    const number = this.#number(context);
    context.on('page', (page) => this.#pages.see(page, number));
    await this.#install(context);
    await Promise.all(context.pages().map((page) => this.#begin(page, number)));
  }

  /** Observes one page, and the popups that it opens. Throws the same errors as `observe`. */
  async observePage(page: Page): Promise<void> {
    const context = page.context();
    const number = this.#contexts.get(context) ?? this.#number(context);
    page.on('popup', (popup) => void this.observePage(popup).catch(() => undefined));
    await this.#install(page);
    await this.#begin(page, number);
  }

  #number(context: BrowserContext): number {
    const number = this.#contextCount++;
    this.#contexts.set(context, number);
    return number;
  }

  async #install(where: BrowserContext | Page): Promise<void> {
    const script = observerScript(this.#config);
    const binding = await where.exposeBinding(this.#binding, ({ page, frame }, batch: unknown) =>
      this.#hear(page, frame, batch),
    );
    this.#installed.push(binding, await where.addInitScript({ content: script }));
  }

  /** Observes the frames that the page has already loaded. Ignores a frame that disappears in the meantime. */
  async #begin(page: Page, context: number): Promise<void> {
    this.#pages.see(page, context);
    const script = observerScript(this.#config);
    await Promise.all(page.frames().map((frame) => within(ANSWER_MS, frame.evaluate(script))));
    if (this.#config.adoptsLate) await within(SEARCH_MS, touchConnections(page));
  }

  #hear(page: Page, frame: Frame, text: unknown): void {
    const context = this.#contexts.get(page.context());
    if (this.#closed || context === undefined) return;
    try {
      const batch = readBatch(text);
      const seen = this.#pages.see(page, context);
      this.#pages.window(seen, frame, batch.window);
      const place = frame !== page.mainFrame() ? 'iframe' : seen.popup ? 'popup' : 'page';
      this.hooks.heard(batch, { page: seen.record.id, place });
    } catch (error) {
      this.hooks.unreadable(error, this.#binding);
    }
  }

  /** The id of a page in the record; undefined if the page is not observed. */
  pageId(page: Page): number | undefined {
    return this.#pages.idOf(page);
  }

  /**
   * Sends a request to the window with this name, or to all windows if `window` is null. Every batch contains the
   * name of its window. Resolves to the answers.
   */
  async ask(window: string | null, request: PageRequest): Promise<unknown[]> {
    const frames = window === null ? this.#frames() : this.#pages.framesOf(window);
    const question = `${OBSERVER}?.ask(${JSON.stringify(request)})`;
    const waitMs = request.type === 'act' ? ACTED_MS : ANSWER_MS;
    const answers = frames.map((frame) => within(waitMs, frame.evaluate<unknown>(question)));
    return (await Promise.all(answers)).filter((answer) => answer !== undefined);
  }

  /** Asks every page for the data that it has not sent yet. Never rejects. Waits at most two seconds for a page. */
  async flush(): Promise<void> {
    await this.ask(null, { type: 'flush' });
  }

  /** Ends the observation: pauses the observers in the pages, and removes the bindings and scripts. Never rejects. */
  async release(): Promise<void> {
    this.#closed = true;
    const script = `${OBSERVER}?.release(${JSON.stringify(this.#binding)})`;
    await Promise.all(this.#frames().map((frame) => within(ANSWER_MS, frame.evaluate(script))));
    const installed = this.#installed;
    this.#installed = [];
    await Promise.all(installed.map((each) => within(ANSWER_MS, Promise.resolve(each?.dispose()))));
  }

  /** Ignores all further reports. The bindings and scripts remain in the pages. */
  close(): void {
    this.#closed = true;
  }

  #frames(): Frame[] {
    return this.#pages.open.flatMap(({ page }) => page.frames());
  }
}

/** The result of `work`. Resolves to undefined if `work` fails or takes too long. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
