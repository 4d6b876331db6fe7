/** Observes all peer connections of all pages in the given browser contexts. */
import type { BrowserContext, Page } from 'playwright-core';

import type { AskedFrameTiming, RelayAddress, RemoteSide } from '../inject/protocol.js';
import { assignFlows } from '../calls/record/connections.js';
import { Endpoints } from '../calls/record/endpoints.js';
import { Keeper, KEPT_US } from '../calls/record/keep.js';
import { pageName } from '../calls/record/names.js';
import { timeZeroMs } from '../machine/index.js';
import { PageFeed } from './feed.js';
import type { SeenPage } from './pages.js';
import type { CallRecord, LinkRecord } from '../calls/record/record.js';
import { Shadows } from '../calls/record/shadows.js';

/**
 * What the observer needs from a link. `local` and `remote` are for a link with a relay: they identify the two
 * sides of a connection, so that the relay can attribute its packets.
 */
export interface ObservedLink {
  readonly record: LinkRecord;
  readonly relay?: RelayAddress;
  /**
   * Tells the link that this ICE username fragment belongs to a page under test. `page` is the page's id in the
   * record.
   */
  local?(ufrag: string, page: number): void;
  /** Tells the link the username fragment and the addresses of a remote side that is not a page under test. */
  remote?(side: RemoteSide): void;
  /** Shapes the connections of a page, for links that the browser itself implements. */
  attach?(page: Page): Promise<void>;
}

export interface CallObserverOptions {
  /** Without a link, calls are observed without being shaped. */
  link?: ObservedLink;
  /** The time origin of the record, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /** How to record the arrival times of received frames. Default: `transform`. */
  frameTiming?: AskedFrameTiming;
  /** How much of the past the record keeps. Default: two hours. */
  keepUs?: number;
  /** Whether to search for connections that pages made before the observation began. Default: false. */
  adoptsLate?: boolean;
}

export class CallObserver {
  /** The record of the calls. Each batch from a page extends it. */
  readonly record: CallRecord;
  readonly #zeroMs = timeZeroMs();
  readonly #link: ObservedLink | undefined;
  readonly #feed: PageFeed;
  readonly #shadows: Shadows;
  readonly #endpoints: Endpoints;
  readonly #keeper: Keeper;
  readonly #listeners = new Set<() => void>();
  /** Each settles when the link shapes a page, or when that has failed. */
  readonly #attaching: Promise<void>[] = [];
  /** By page: the time from which the browser shapes new connections of the page. */
  readonly #shapedUs = new Map<number, number>();
  #closed = false;

  constructor(options: CallObserverOptions) {
    const { link, originEpochMs, frameTiming = 'transform', keepUs = KEPT_US, adoptsLate = false } = options;
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
    this.#shadows = new Shadows(record);
    this.#endpoints = new Endpoints(record, link, this.#shadows);
    this.#keeper = new Keeper(record, keepUs, this.#shadows);
    const config = { originEpochMs, relay, frameTiming, adoptsLate, timesShownFrames: false };
    this.#feed = new PageFeed(record, config, {
      nowUs: () => this.nowUs(),
      heard: (batch, place) => {
        this.#endpoints.hear(batch, place);
        this.#checkShaped(place.page);
        this.#changed();
      },
      unreadable: (error, binding) => this.#unreadable(error, binding),
      windowEnded: (window) => this.#endpoints.windowEnded(window, this.nowUs()),
      opened: (seen) => void this.#attaching.push(this.#attach(seen)),
      ended: () => this.#changed(),
    });
  }

  /** The present time on the record's clock, in microseconds. */
  nowUs(): number {
    return Math.round((this.#zeroMs + performance.now() - this.record.originEpochMs) * 1000);
  }

  /**
   * Observes all current and future pages, popups and iframes of a context. Call this before the pages navigate:
   * existing connections keep their ICE candidates, so their packets bypass a link's relay. Idempotent. Throws
   * FailedRun if the package is incomplete, and Playwright's errors for a closed context.
   */
  observe(context: BrowserContext): Promise<void> {
    return this.#feed.observe(context);
  }

  /** The id of a page in the record; undefined if the page is not observed. */
  pageId(page: Page): number | undefined {
    return this.#feed.pageId(page);
  }

  /** Resolves when the link shapes all pages that exist now. A page's earlier connections are not shaped. */
  async shaped(): Promise<void> {
    await Promise.all(this.#attaching);
  }

  async #attach({ page, record }: SeenPage): Promise<void> {
    if (this.#link?.attach === undefined) return;
    try {
      await this.#link.attach(page);
      this.#shapedUs.set(record.id, this.nowUs());
    } catch (error) {
      // The failure is told below, and not again for each connection.
      this.#shapedUs.set(record.id, -Infinity);
      if (record.ended !== null) return;
      const why = error instanceof Error ? error.message : String(error);
      this.record.notices.push({
        level: 'error',
        code: 'not-shaped',
        message: `The browser did not accept the link's settings for ${pageName(record.id)}: ${why}.`,
        fix: 'remove linkBackend, or use Chromium',
      });
    }
  }

  /** Chromium does not throttle a connection that began before it was given the link's settings. */
  #checkShaped(page: number): void {
    if (this.#link?.attach === undefined) return;
    const shapedUs = this.#shapedUs.get(page) ?? Infinity;
    const own = this.record.endpoints.filter((endpoint) => endpoint.page === page);
    if (own.every(({ states }) => (states[0]?.timeUs ?? Infinity) >= shapedUs)) return;
    this.#shapedUs.set(page, -Infinity);
    this.record.notices.push({
      level: 'error',
      code: 'not-shaped',
      message: `A connection of ${pageName(page)} began before the browser had the link's settings, so Chrome does not throttle it.`,
      fix: 'open the page with the fixture `page` or `twoPeers`, or remove linkBackend',
    });
  }

  #unreadable(error: unknown, binding: string): void {
    const code = 'unreadable-batch';
    if (this.record.notices.some((notice) => notice.code === code)) return;
    const why = error instanceof Error ? error.message : String(error);
    this.record.notices.push({
      level: 'warning',
      code,
      message: `A report from a page could not be read (${why}); it is missing from the record.`,
      fix: `make sure that the page does not call ${binding} itself`,
    });
    this.#changed();
  }

  #changed(): void {
    this.#keeper.advance(this.nowUs());
    assignFlows(this.record);
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls `listener` after reports of pages have changed the record. Returns a function that removes the
   * listener.
   */
  onUpdate(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks every page for the data that it has not sent yet. Never rejects. Waits at most two seconds for a page. */
  async collect(): Promise<void> {
    if (this.#closed) return;
    await this.#feed.flush();
    await this.#shadows.settled();
    this.#changed();
  }

  /** Ends the observation. The record remains, and open pages are not disturbed. */
  close(): Promise<void> {
    if (!this.#closed) this.#shadows.close();
    this.#closed = true;
    this.#feed.close();
    return Promise.resolve();
  }
}
