/** The pages of the observed contexts: their numbers, and which of them are popups. */
import type { Frame, JSHandle, Page } from 'playwright-core';

import type { CallRecord, PageRecord } from '../calls/record/record.js';

interface SeenWindow {
  name: string;
  /** Rejects if the document was gone before the handle could be made. */
  document: Promise<JSHandle>;
}

export interface SeenPage {
  page: Page;
  record: PageRecord;
  popup: boolean;
  /** For each frame that has reported: its window. */
  windows: Map<Frame, SeenWindow>;
}

interface PagesHooks {
  nowUs(): number;
  /** Called when a window no longer exists. Its connections have ended. */
  windowEnded(window: string): void;
  opened(page: SeenPage): void;
  ended(page: SeenPage): void;
}

export class Pages {
  /** All pages seen so far. A WeakMap, so that closed pages can be garbage-collected. */
  readonly #all = new WeakMap<Page, SeenPage>();
  readonly #open = new Set<SeenPage>();
  readonly #popups = new WeakSet<Page>();
  readonly #endedWindows = new Set<string>();

  constructor(
    private readonly record: Pick<CallRecord, 'pages'>,
    private readonly hooks: PagesHooks,
  ) {}

  /** The pages that are not closed. */
  get open(): SeenPage[] {
    return [...this.#open];
  }

  /** The page's id in the record; undefined for an unknown page. */
  idOf(page: Page): number | undefined {
    return this.#all.get(page)?.record.id;
  }

  /** Returns the entry for a page. Adds an unknown page to the record. */
  see(page: Page, context: number): SeenPage {
    const known = this.#all.get(page);
    if (known !== undefined) return known;
    const record: PageRecord = { id: this.record.pages.length, context, url: page.url(), ended: null };
    const popup = this.#popups.has(page);
    const seen: SeenPage = { page, record, popup, windows: new Map() };
    this.#all.set(page, seen);
    this.#open.add(seen);
    this.record.pages.push(record);
    this.#follow(seen);
    this.hooks.opened(seen);
    return seen;
  }

  /** Returns a list with the frame of the window with this name. The list is empty if the window no longer exists. */
  framesOf(window: string): Frame[] {
    const windows = [...this.#open].flatMap((seen) => [...seen.windows]);
    return windows.filter(([, { name }]) => name === window).map(([frame]) => frame);
  }

  #follow(seen: SeenPage): void {
    const { page, record } = seen;
    page.on('popup', (popup) => {
      this.#popups.add(popup);
      const known = this.#all.get(popup);
      if (known !== undefined) known.popup = true;
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) record.url = frame.url();
      void this.#navigated(seen, frame);
    });
    page.on('framedetached', (frame) => this.#endWindow(seen, frame));
    page.on('crash', () => this.#end(seen, 'crashed'));
    page.on('close', () => this.#end(seen, 'closed'));
  }

  /**
   * Ends the frame's window if its document is gone. The next document may never report, and the last report of the
   * old one may be lost. Navigations within a document are also announced; the window then stays.
   */
  async #navigated(seen: SeenPage, frame: Frame): Promise<void> {
    const window = seen.windows.get(frame);
    try {
      await (await window?.document)?.evaluate(() => null);
    } catch {
      if (seen.windows.get(frame) === window) this.#endWindow(seen, frame);
    }
  }

  /**
   * Must be called for each report from a window of the page. If the window is new in its frame, this call
   * ends the frame's previous window.
   */
  window(seen: SeenPage, frame: Frame, window: string): void {
    // Ignores a window that has ended: its last report may arrive after the first report of the next window.
    if (seen.windows.get(frame)?.name === window || this.#endedWindows.has(window)) return;
    this.#endWindow(seen, frame);
    const document = frame.evaluateHandle<JSHandle>('document');
    document.catch(() => undefined);
    seen.windows.set(frame, { name: window, document });
  }

  #endWindow(seen: SeenPage, frame: Frame): void {
    const window = seen.windows.get(frame);
    seen.windows.delete(frame);
    if (window === undefined) return;
    window.document.then((handle) => handle.dispose()).catch(() => undefined);
    this.#endedWindows.add(window.name);
    this.hooks.windowEnded(window.name);
  }

  #end(seen: SeenPage, why: 'closed' | 'crashed'): void {
    if (seen.record.ended !== null) return;
    seen.record.ended = { timeUs: this.hooks.nowUs(), why };
    this.#open.delete(seen);
    for (const frame of [...seen.windows.keys()]) this.#endWindow(seen, frame);
    this.hooks.ended(seen);
  }
}
