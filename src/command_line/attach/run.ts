/**
 * Watches the pages of a running browser: shows them in a view, can record them, and stops observing them at the
 * end.
 */
import type { Browser, Page } from 'playwright-core';

import type { PageRecord } from '../../calls/record/record.js';
import { loadCore } from '../../core/index.js';
import { PageFeed, within } from '../../observe/feed.js';
import { FailedRun } from '../../text/errors.js';
import { plain } from '../../text/plain.js';
import { Watch, type FeedMessage } from '../../watch/index.js';
import { sleepFor } from '../interrupt.js';
import { Backlog } from './backlog.js';
import type { AttachedBrowser } from './browser.js';
import { ConnectionCount } from './connection_count.js';
import { openInBrowser } from './open.js';
import { choosePages, pagesOf } from './pages.js';
import { Recording, type Recorded } from './recording.js';
import { serveView, type ViewServer } from './view_server.js';
import { WindowClocks } from './window_clocks.js';
import { counted } from '../../text/counted.js';

export interface AttachPlan {
  /** The browser's address, for messages to the user. */
  url: string;
  /** A pattern for the pages to watch (see choosePages). Null: all pages, including those that open later. */
  page: string | null;
  /** The file for the recording. Null: no recording. */
  record: string | null;
  /** The command ends after this time. Null: only the user or the end of the browser ends it. */
  durationMs: number | null;
  /** Whether to open the view in the user's browser. */
  open: boolean;
  say(text: string): void;
}

/** The report of `ccscope attach --json`. */
export interface AttachReport {
  browser: string;
  pages: { url: string; ended: 'closed' | 'crashed' | null }[];
  connections: number;
  recording: { file: string; rows: number; frames: number } | null;
}

/** How long the rows of a recording are kept in memory before they are written to the file. */
const UNWRITTEN_US = 30e6;
const CLOCK_MS = 2000;

/** The current time in ms since the Unix epoch, by the browser's clock. The browser may run on a phone. */
async function epochMsOf(browser: Browser): Promise<number> {
  const pages = pagesOf(browser);
  const clocks = pages.map((page) =>
    within(CLOCK_MS, page.evaluate('performance.timeOrigin + performance.now()')),
  );
  const told = (await Promise.all(clocks)).find((time) => typeof time === 'number');
  return Math.round(typeof told === 'number' ? told : Date.now());
}

class Attachment {
  readonly #pages: PageRecord[] = [];
  readonly #backlog = new Backlog();
  readonly #feed: PageFeed;
  readonly #watch: Watch | null;
  readonly #recording: Recording | null;
  #view: ViewServer | null = null;
  readonly #connections = new ConnectionCount();
  readonly #clocks = new WindowClocks();
  /** When the time of the recording was 0, on this process's clock. */
  readonly #beganMs = performance.now();
  /** Whether `end` has been called. */
  #leaves = false;
  #nowUs = 0;

  constructor(
    private readonly originEpochMs: number,
    private readonly attached: AttachedBrowser,
    private readonly plan: AttachPlan,
  ) {
    this.#watch =
      plan.record === null ? null : new Watch({ originEpochMs, load: loadCore, keepUs: UNWRITTEN_US });
    this.#recording =
      plan.record === null || this.#watch === null ? null : new Recording(plan.record, this.#watch, plan.say);
    const late = { adoptsLate: true, timesShownFrames: true } as const;
    const config = { originEpochMs, relay: null, frameTiming: 'transform', ...late } as const;
    this.#feed = new PageFeed({ pages: this.#pages }, config, {
      nowUs: () => this.#nowUs,
      heard: (told, place) => {
        const batch = this.#clocks.take(told, (performance.now() - this.#beganMs) * 1000);
        this.#nowUs = Math.max(this.#nowUs, batch.timeUs);
        this.#connections.hear(batch);
        this.#backlog.add({ batch, place });
        this.#view?.tell({ type: 'batch', batch, place });
        this.#watch?.hear(batch, place);
      },
      // The observer sends only batches. All other data come from the page's own code, which can also call
      // the function through which the observer sends. Such data are ignored.
      unreadable: () => undefined,
      windowEnded: (window) => {
        this.#clocks.windowEnded(window);
        this.#backlog.windowEnded(window);
        this.#connections.windowEnded(window);
        this.#view?.tell({ type: 'window-ended', window });
        this.#watch?.windowEnded(window);
      },
      opened: () => undefined,
      ended: ({ record }) => {
        // When the browser disconnects, all its pages end. Then no messages about single pages are written.
        if (!this.#leaves && this.attached.browser.isConnected() && record.ended !== null)
          plan.say(`page ${record.ended.why}: ${plain(record.url)}`);
      },
    });
  }

  *#past(): Generator<FeedMessage> {
    for (const { batch, place } of this.#backlog.all) yield { type: 'batch', batch, place };
  }

  /** Starts to watch these pages, or all pages if `chosen` is null. Throws FailedRun. */
  async begin(chosen: readonly Page[] | null): Promise<void> {
    const { browser, version } = this.attached;
    const { plan } = this;
    const title = `${version} at ${plan.url}`;
    this.#view = await serveView({
      title,
      originEpochMs: this.originEpochMs,
      backlog: () => this.#past(),
      ask: (window, request) => this.#feed.ask(window, request),
    });
    if (chosen === null) for (const context of browser.contexts()) await this.#feed.observe(context);
    else await Promise.all(chosen.map((page) => this.#feed.observePage(page)));
    const count = this.#pages.length;
    plan.say(`attached to ${title}: ${counted(count, 'page')}`);
    if (count === 0) plan.say('no page is open yet; pages that open from now on are watched');
    plan.say(`view ${this.#view.url}`);
    if (plan.record !== null) plan.say(`recording ${plan.record}; Ctrl-C ends it`);
    if (plan.open && !(await openInBrowser(this.#view.url)))
      plan.say('no browser could be opened here: please open the address of the view yourself');
  }

  /** Stops observing the pages, and finishes the recording. */
  async end(): Promise<AttachReport> {
    this.#leaves = true;
    await this.#feed.flush();
    await this.#watch?.settled();
    await this.#feed.release();
    this.#watch?.close();
    const held = await this.#endRecording();
    const { plan } = this;
    return {
      browser: this.attached.version,
      pages: this.#pages.map(({ url, ended }) => ({ url, ended: ended?.why ?? null })),
      connections: this.#connections.count,
      recording:
        plan.record === null || held === undefined
          ? null
          : { file: plan.record, rows: held.rows, frames: held.arrivals },
    };
  }

  /**
   * Finishes the recording, then closes the views. The views are closed even if the recording fails, for example on a
   * full disk: open views would keep the command running.
   */
  async #endRecording(): Promise<Recorded | undefined> {
    try {
      return await this.#recording?.end();
    } finally {
      await this.#view?.close(
        'ccscope attach has ended. What it has shown stays here until this page is closed.',
      );
    }
  }
}

/** Watches for the plan's duration, or until the signal is aborted. Throws FailedRun. */
export async function watchBrowser(
  attached: AttachedBrowser,
  plan: AttachPlan,
  asked: AbortSignal,
): Promise<AttachReport> {
  const { browser, signal } = attached;
  const chosen = plan.page === null ? null : await choosePages(browser, plan.page);
  const attachment = new Attachment(await epochMsOf(browser), attached, plan);
  try {
    await attachment.begin(chosen);
    await sleepFor(plan.durationMs ?? Infinity, signal).catch(() => undefined);
  } catch (error) {
    await attachment.end();
    throw error;
  }
  const report = await attachment.end();
  sayRecording(report, plan);
  if (signal.aborted && !asked.aborted) {
    const kept = report.recording === null ? '' : `; the recording up to then is in ${report.recording.file}`;
    throw new FailedRun(`${(signal.reason as Error).message}${kept}`);
  }
  return report;
}

function sayRecording({ recording, connections }: AttachReport, { say }: AttachPlan): void {
  if (recording === null) return;
  const { file, rows, frames } = recording;
  say(
    `recorded ${rows} rows of ${counted(connections, 'connection')}, ${frames} frames among them, in ${file}`,
  );
  if (connections > 0 && frames === 0)
    say(
      'no frame was seen: browsers show only the frames of connections that were made while the page was observed. Rates, losses and round trips are recorded all the same; for delays, and for ccscope replay, reload the page while it is recorded',
    );
}
