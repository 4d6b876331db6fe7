/** Watches every peer connection of every page of the contexts that it is given. */
import type { BrowserContext, Frame, Page } from 'playwright-core';

import {
  OBSERVER_KEY,
  type FrameTiming,
  type ObserverConfig,
  type RelayAddress,
  type RemoteSide,
} from '../inject/protocol.js';
import { readBatch } from '../calls/record/batch.js';
import { assignFlows } from '../calls/record/connections.js';
import { Endpoints } from '../calls/record/endpoints.js';
import { Keeper, KEPT_US } from '../calls/record/keep.js';
import { pageName } from '../calls/record/names.js';
import { Pages, type SeenPage } from './pages.js';
import type { CallRecord, LinkRecord } from '../calls/record/record.js';
import { observerScript } from './script.js';
import { Shadows } from '../calls/record/shadows.js';

/** What the observer needs of a link; one with a relay is told whose packets it sees. */
export interface ObservedLink {
  readonly record: LinkRecord;
  readonly relay?: RelayAddress;
  /** This user name fragment belongs to a page under test (its id). */
  local?(ufrag: string, page: number): void;
  /** Where a far side that is no page under test can be reached. */
  remote?(side: RemoteSide): void;
  /** Shapes the connections of a page, where the browser itself does so. */
  attach?(page: Page): Promise<void>;
}

export interface CallObserverOptions {
  /** Without one, calls are observed where they are. */
  link?: ObservedLink;
  /** Zero of the record's times, in milliseconds of the Unix epoch. */
  originEpochMs: number;
  /** How received video is timed. Default: `transform`. */
  frameTiming?: FrameTiming;
  /** How much of the past the record has. Default: two hours. */
  keepUs?: number;
}

/** How long a page may take to tell what it still knows. */
const COLLECT_MS = 2000;
const FLUSH = `globalThis[Symbol.for(${JSON.stringify(OBSERVER_KEY)})]?.flush()`;

let observers = 0;

export class CallObserver {
  /** Grows with each batch of a page. */
  readonly record: CallRecord;
  readonly #link: ObservedLink | undefined;
  readonly #config: ObserverConfig;
  /** The numbers of contexts; one that is closed is not held. */
  readonly #contexts = new WeakMap<BrowserContext, number>();
  #contextCount = 0;
  readonly #pages: Pages;
  readonly #shadows: Shadows;
  readonly #endpoints: Endpoints;
  readonly #keeper: Keeper;
  readonly #listeners = new Set<() => void>();
  #closed = false;

  constructor({ link, originEpochMs, frameTiming = 'transform', keepUs = KEPT_US }: CallObserverOptions) {
    this.#link = link;
    const record: CallRecord = {
      originEpochMs,
      pages: [],
      endpoints: [],
      connections: [],
      link: link?.record ?? null,
      shadows: [],
      late: [],
      notices: [],
    };
    this.record = record;
    const relay = link?.relay ?? null;
    this.#config = { binding: `ccscopeReport${observers++}`, originEpochMs, relay, frameTiming };
    this.#shadows = new Shadows(record);
    this.#endpoints = new Endpoints(record, link, this.#shadows);
    this.#keeper = new Keeper(record, keepUs, this.#shadows);
    this.#pages = new Pages(record, {
      nowUs: () => this.#nowUs(),
      windowEnded: (window) => this.#endpoints.windowEnded(window, this.#nowUs()),
      opened: (seen) => void this.#attach(seen),
      ended: () => this.#changed(),
    });
  }

  #nowUs(): number {
    return Math.round((performance.timeOrigin + performance.now() - this.record.originEpochMs) * 1000);
  }

  /**
   * Observes every page, popup and iframe of a context from then on; best before its pages navigate,
   * since connections that exist already keep the candidates that they have. Idempotent. Throws
   * FailedRun when the package is not complete, and what Playwright throws for a closed context.
   */
  async observe(context: BrowserContext): Promise<void> {
    if (this.#contexts.has(context)) return;
    const number = this.#contextCount++;
    this.#contexts.set(context, number);
    const script = observerScript(this.#config);
    context.on('page', (page) => this.#pages.see(page, number));
    const { binding } = this.#config;
    await context.exposeBinding(binding, ({ page, frame }, batch: unknown) => this.#hear(page, frame, batch));
    await context.addInitScript({ content: script });
    for (const page of context.pages()) {
      this.#pages.see(page, number);
      // What has been loaded before; a frame that is just going away cannot be observed.
      for (const frame of page.frames()) await within(COLLECT_MS, frame.evaluate(script));
    }
  }

  /** Id of a page in the record; undefined if it is not observed. */
  pageId(page: Page): number | undefined {
    return this.#pages.idOf(page);
  }

  async #attach({ page, record }: SeenPage): Promise<void> {
    try {
      await this.#link?.attach?.(page);
    } catch (error) {
      if (record.ended !== null) return;
      const why = error instanceof Error ? error.message : String(error);
      this.record.notices.push({
        level: 'error',
        code: 'not-shaped',
        message: `The browser did not take the link's settings for ${pageName(record.id)}: ${why}.`,
        fix: "use the backend 'shaper', or Chromium",
      });
    }
  }

  #hear(page: Page, frame: Frame, text: unknown): void {
    const context = this.#contexts.get(page.context());
    if (this.#closed || context === undefined) return;
    try {
      const batch = readBatch(text);
      const seen = this.#pages.see(page, context);
      this.#pages.window(seen, frame, batch.window);
      const place = frame !== page.mainFrame() ? 'iframe' : seen.popup ? 'popup' : 'page';
      this.#endpoints.hear(batch, { page: seen.record.id, place });
    } catch (error) {
      this.#unreadable(error);
    }
    this.#changed();
  }

  #unreadable(error: unknown): void {
    const code = 'unreadable-batch';
    if (this.record.notices.some((notice) => notice.code === code)) return;
    const why = error instanceof Error ? error.message : String(error);
    this.record.notices.push({
      level: 'warning',
      code,
      message: `What a page reported could not be read (${why}); it is left out of the record.`,
      fix: `see that the page does not call ${this.#config.binding} itself`,
    });
  }

  #changed(): void {
    this.#keeper.advance(this.#nowUs());
    assignFlows(this.record);
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change of the record; returns what ends that. */
  onUpdate(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks every page for what it has not told yet. Never rejects, and waits for none longer than two seconds. */
  async collect(): Promise<void> {
    if (this.#closed) return;
    const asked = this.#pages.open.flatMap(({ page }) =>
      page.frames().map((frame) => within(COLLECT_MS, frame.evaluate(FLUSH))),
    );
    await Promise.all(asked);
    await this.#shadows.settled();
    this.#changed();
  }

  /** Ends the observation; the record stays. Pages that are still open go on undisturbed. */
  close(): Promise<void> {
    if (!this.#closed) this.#shadows.close();
    this.#closed = true;
    return Promise.resolve();
  }
}

/** Waits for `work`, but not for ever, whatever becomes of it. */
async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
