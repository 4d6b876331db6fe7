/**
 * A call under test: one link, one observer and one ObservedCall, each created when first requested. The fixtures
 * of a test share one session; each run of `repeat` has its own.
 */
import type { Browser, BrowserContext, Page } from '@playwright/test';

import { CallObserver } from '../observe/observer.js';
import type { AskedFrameTiming } from '../calls/record/record.js';
import { ConfigError } from '../text/quantities.js';
import {
  openDevtoolsLink,
  openShaperLink,
  type DevtoolsLink,
  type LinkSettings,
  type ShaperLink,
} from '../shaper/index.js';
import { notObserved, ObservedCall } from './call.js';
import { TestLink } from './link.js';
import type { KitOptions } from './options.js';

/** The type of the `call` fixture: with a link that a test can change. */
export type Call = ObservedCall<TestLink>;

/**
 * The longest time for each step at the end of a test. The limit prevents a crashed or hanging page from blocking
 * the test.
 */
const CLOSING_MS = 5000;

/** Waits at most `ms` for `work`. Failed or unfinished work does not change the test's outcome. */
async function settle(work: Promise<unknown> | undefined, ms = CLOSING_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work?.catch(() => undefined), late]);
  clearTimeout(timer);
}

export type SessionOptions = Pick<KitOptions, 'linkOptions' | 'linkBackend' | 'linkPort'> & {
  frameTiming?: AskedFrameTiming;
  /** Default URL of `peers`. */
  baseURL: string | undefined;
  /** The browser in which `peers` and `page` open their contexts. It may be set later with `useBrowser`. */
  browser?: Browser;
};

export class CallSession {
  readonly originEpochMs = Date.now();
  readonly #options: SessionOptions;
  #browser: Browser | null;
  #link: Promise<TestLink> | undefined;
  #call: Promise<Call> | undefined;
  #observer: CallObserver | undefined;
  #finished: Promise<void> | undefined;
  /** The test's contexts, which are observed as soon as the test requests a call. */
  readonly #remembered = new Set<BrowserContext>();
  readonly #own: BrowserContext[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#browser = options.browser ?? null;
  }

  /** The initial settings of the link. */
  get settings(): LinkSettings {
    return this.#options.linkOptions;
  }

  /** The browser of the pages; null until it is known. */
  get browser(): Browser | null {
    return this.#browser;
  }

  useBrowser(browser: Browser): void {
    this.#browser = browser;
  }

  /** The call; null if it was not requested or could not be opened. */
  async existing(): Promise<Call | null> {
    return (await this.#call?.catch(() => null)) ?? null;
  }

  /** Opens the link when it is first requested. Throws ShaperError or ConfigError. */
  link(): Promise<TestLink> {
    this.#link ??= this.#openLink().then((link) => new TestLink(link, (page) => this.#idOf(page)));
    return this.#link;
  }

  /**
   * Opens the call when it is first requested. From then on, the test's contexts are observed. Throws
   * ShaperError or ConfigError.
   */
  call(): Promise<Call> {
    this.#call ??= this.#openCall();
    return this.#call;
  }

  /** Remembers a context of the test, so that it is observed once the test requests a call. */
  remember(context: BrowserContext): void {
    this.#remembered.add(context);
    this.#browser ??= context.browser();
  }

  /** Observes a context. Must be called before its pages navigate. Throws ShaperError or ConfigError. */
  async observe(context: BrowserContext): Promise<void> {
    await this.call();
    await this.#observe(context);
  }

  /**
   * Opens two observed contexts with one page each, and loads `url` and `secondUrl` in the pages. Throws
   * ShaperError or ConfigError.
   */
  async peers(url = '/', secondUrl = url): Promise<[Page, Page]> {
    for (const address of [url, secondUrl]) this.#checkUrl(address);
    const first = await this.page();
    const second = await this.page();
    await first.goto(url);
    await second.goto(secondUrl);
    return [first, second];
  }

  /** Opens a page in its own observed context. */
  async page(): Promise<Page> {
    if (this.#browser === null)
      throw new Error('the fixtures `peers`, `twoPeers` and `repeat` need the `browser` fixture');
    const context = await this.#browser.newContext();
    this.#own.push(context);
    await this.observe(context);
    const page = await context.newPage();
    await this.shaped();
    return page;
  }

  /** Resolves when the link of the call, if it was requested, shapes all pages that exist now. */
  async shaped(): Promise<void> {
    await this.#observer?.shaped();
  }

  /**
   * Collects the data that pages have not sent yet, and closes the link with its sockets and threads.
   * Idempotent.
   */
  finish(): Promise<void> {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  /** Closes the contexts of `peers` and `page`. */
  async closeContexts(): Promise<void> {
    await Promise.all(this.#own.splice(0).map((context) => settle(context.close())));
  }

  #checkUrl(url: string): void {
    if (this.#options.baseURL !== undefined || URL.canParse(url)) return;
    throw new ConfigError(
      'url',
      'a full URL, since no base URL is set',
      url,
      'write the full URL, or set use.baseURL in the config',
    );
  }

  /** The id of an observed page. Throws CallError. */
  #idOf(page: Page): number {
    const id = this.#observer?.pageId(page);
    if (id !== undefined) return id;
    throw notObserved(page);
  }

  async #openLink(): Promise<ShaperLink | DevtoolsLink> {
    const { linkOptions: settings, linkBackend, linkPort: port } = this.#options;
    const { originEpochMs } = this;
    if (linkBackend === 'shaper') return openShaperLink({ settings, port, originEpochMs });
    this.#checkBrowser();
    return openDevtoolsLink({ settings, originEpochMs });
  }

  #checkBrowser(): void {
    const name = this.#browser?.browserType().name();
    if (name === undefined || name === 'chromium') return;
    const fix = 'remove linkBackend: the shaper works with every browser';
    throw new ConfigError(
      'linkBackend',
      'shaper, since devtools can throttle WebRTC only in Chromium',
      `devtools in ${name}`,
      fix,
    );
  }

  async #openCall(): Promise<Call> {
    const link = await this.link();
    const { originEpochMs } = this;
    const { frameTiming = 'transform' } = this.#options;
    this.#observer = new CallObserver({ link: link.carrier, originEpochMs, frameTiming });
    for (const context of this.#remembered) {
      this.#noteLate(this.#observer, context);
      await this.#observe(context);
    }
    return new ObservedCall(this.#observer, link);
  }

  #noteLate({ record }: CallObserver, context: BrowserContext): void {
    const late = context.pages().find((page) => page.url() !== 'about:blank');
    if (late === undefined) return;
    record.notices.push({
      level: 'warning',
      code: 'observed-late',
      message: `${late.url()} was already open when the test asked for the call; the peer connections it had made by then are not observed.`,
      fix: 'Use the `call` or `link` fixture in the test or hook that opens the page.',
    });
  }

  async #observe(context: BrowserContext): Promise<void> {
    this.#browser ??= context.browser();
    await this.#observer?.observe(context);
    await this.shaped();
  }

  async #finish(): Promise<void> {
    // If the link or the call is still opening, wait until it is open. Otherwise it would never be closed.
    const [link] = await Promise.allSettled([this.#link, this.#call]);
    await settle(this.#observer?.collect());
    if (link.status !== 'fulfilled') return;
    await settle(link.value?.sync());
    await settle(this.#observer?.close());
    await settle(link.value?.close());
  }
}
