/** A call under test, as the `call` fixture provides it. */
import type { BrowserContext, Page } from '@playwright/test';

import {
  callMetrics,
  clockStartUs,
  pathsOf,
  type CallMetrics,
  type JudgedExpectation,
  type View,
} from '../judge/index.js';
import type { Window } from '../calls/metrics.js';
import { pageName } from '../calls/record/names.js';
import type { CallRecord } from '../calls/record/record.js';
import { timeZeroMs } from '../machine/index.js';
import { timeUs, type Time } from './quantities.js';
import { noteTestBegin } from './test_time.js';

/** The observer of a call's browser contexts, which fills the call's record. */
export interface CallSource {
  readonly record: CallRecord;
  observe(context: BrowserContext): Promise<void>;
  /** Id of a page in the record; undefined if the page is not observed. */
  pageId(page: Page): number | undefined;
  onUpdate(listener: () => void): () => void;
  /** Requests the data that live pages have not sent yet. */
  collect(): Promise<void>;
}

/** The part of a link that judgements use: `sync` completes the link's record up to now. */
export interface SyncedLink {
  sync(): Promise<void>;
}

/** Thrown if a page is not observed, or if no connection was established in time. */
export class CallError extends Error {
  override readonly name = 'CallError';
}

export const notObserved = (page: Page): CallError =>
  new CallError(
    `The page at ${page.url()} is not observed; run \`call.observe(context)\` before \`context.newPage()\``,
  );

const CONNECT_TIMEOUT_MS = 30_000;

/** A call, or a part of a call that `of` or `sentBy` selected. All parts of a call share one record. */
export class ObservedCall<Link extends SyncedLink = SyncedLink> {
  readonly #source: CallSource;
  readonly #root: {
    judged: JudgedExpectation[];
    listeners: Set<(judged: JudgedExpectation) => void>;
    zeroMs: number;
  };

  /** @internal */
  constructor(
    source: CallSource,
    /** The test's link; null if the call is observed without a link. */
    readonly link: Link | null,
    /** The part of the call that was selected. */
    readonly view: View = {},
    parent?: ObservedCall<Link>,
  ) {
    this.#source = source;
    this.#root = parent ? parent.#root : { judged: [], listeners: new Set(), zeroMs: timeZeroMs() };
    noteTestBegin();
  }

  /** Everything known about the call; it grows while the call lasts. */
  get record(): CallRecord {
    return this.#source.record;
  }

  /**
   * Microseconds since the record's origin. The times of the link's changes are on the same clock. If `nowUs`
   * is read after a change, it is later than the time of the change.
   */
  get nowUs(): number {
    return (this.#root.zeroMs + performance.now() - this.record.originEpochMs) * 1e3;
  }

  /** All verdicts so far that matchers gave on the call or its parts. */
  get judgements(): readonly JudgedExpectation[] {
    return this.#root.judged;
  }

  /** The part of the call that consists of a page's connections. @throws CallError if the page is not observed */
  of(page: Page): ObservedCall<Link> {
    return this.#part({ ...this.view, page: this.#idOf(page) });
  }

  /**
   * The part of the call that consists of the media that a page sends. @throws CallError if the page is not
   * observed
   */
  sentBy(page: Page): ObservedCall<Link> {
    return this.#part({ ...this.view, sentBy: this.#idOf(page) });
  }

  /** Also observes the pages of another context. Call this method before those pages navigate. */
  observe(context: BrowserContext): Promise<void> {
    return this.#source.observe(context);
  }

  /**
   * Metrics of the call; ../judge/call_metrics.ts defines them.
   * @param window `over`: the length of a window at the end of the call, which does not begin before the call was
   * connected; `fromUs` and `toUs`: a window on the record's clock. Default: the whole call
   */
  metrics(window?: { over: Time } | Window): CallMetrics {
    if (window === undefined) return callMetrics(this.record, this.view);
    if ('fromUs' in window) return callMetrics(this.record, this.view, window);
    const { fromUs, toUs } = callMetrics(this.record, this.view).window;
    const beginUs = Math.max(fromUs, toUs - timeUs('over', window.over));
    return callMetrics(this.record, this.view, { fromUs: beginUs, toUs });
  }

  /** Resolves when a connection is established. @throws CallError if no connection is established in time */
  async connected({ timeout = CONNECT_TIMEOUT_MS }: { timeout?: Time } = {}): Promise<void> {
    const untilUs = this.nowUs + timeUs('timeout', timeout);
    while (clockStartUs(this.record, pathsOf(this.record, this.view), this.nowUs) === null) {
      const leftMs = (untilUs - this.nowUs) / 1e3;
      if (leftMs <= 0) {
        const states = this.record.endpoints.map(
          ({ page, states: all }) => `${pageName(page)} ${all.at(-1)?.state ?? ''}`,
        );
        throw new CallError(
          `No connection after ${String(timeout)}${typeof timeout === 'number' ? ' ms' : ''}: ${states.join(', ') || 'no page has made a peer connection'}; start the call first, or raise \`timeout\``,
        );
      }
      await this.nextUpdate(leftMs);
    }
  }

  /** Resolves when the record has grown, or after `atMostMs`. */
  async nextUpdate(atMostMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, atMostMs);
      const stop = this.#source.onUpdate(done);
      function done(): void {
        clearTimeout(timer);
        stop();
        resolve();
      }
    });
  }

  /** Completes the record: collects the data of the pages and the link up to now. */
  async settle(): Promise<void> {
    await Promise.all([this.#source.collect(), this.link?.sync()]);
  }

  /** Calls `listener` for every judgement from now on, until the returned function is called. */
  onJudged(listener: (judged: JudgedExpectation) => void): () => void {
    this.#root.listeners.add(listener);
    return () => this.#root.listeners.delete(listener);
  }

  /** Records the verdict of a matcher. */
  judged(expectation: JudgedExpectation): void {
    this.#root.judged.push(expectation);
    for (const listener of this.#root.listeners) listener(expectation);
  }

  #part(view: View): ObservedCall<Link> {
    return new ObservedCall(this.#source, this.link, view, this);
  }

  #idOf(page: Page): number {
    const id = this.#source.pageId(page);
    if (id === undefined) throw notObserved(page);
    return id;
  }
}
