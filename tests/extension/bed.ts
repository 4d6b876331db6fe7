/** A Chromium with the extension, and pages with calls. */
import { fileURLToPath } from 'node:url';

import {
  chromium,
  expect,
  test as base,
  type BrowserContext,
  type CDPSession,
  type Page,
  type Worker,
} from '@playwright/test';

import { startTestServer, type TestServer } from '../kit/server.js';

export const EXTENSION = fileURLToPath(new URL('../../dist/extension/chrome', import.meta.url));

/** The part of `chrome.developerPrivate` that tests use; only `chrome://extensions` has this API. */
interface DeveloperPrivate {
  addHostPermission(id: string, host: string): Promise<void>;
}

/** A target of the DevTools protocol. */
interface Target {
  type: string;
  targetId: string;
  url: string;
}

export class Bed {
  /** The browser's ids of the tabs that `open()` opened. */
  readonly #tabs = new Map<Page, number>();

  constructor(
    readonly context: BrowserContext,
    private readonly browser: CDPSession,
    readonly id: string,
    public background: Worker,
    readonly server: TestServer,
  ) {}

  /** Reloads the extension, as an update does: its own pages close, and its scripts stay in web pages. */
  async reload(): Promise<void> {
    const next = this.context.waitForEvent('serviceworker');
    const send = this.browser.send as (method: string, params: object) => Promise<unknown>;
    await send.call(this.browser, 'Extensions.loadUnpacked', { path: EXTENSION });
    this.background = await next;
    const listens = () => this.background.evaluate(() => chrome.action.onClicked.hasListeners());
    await expect.poll(listens).toBe(true);
  }

  url(page: string): string {
    return `chrome-extension://${this.id}/${page}`;
  }

  async open(path: string): Promise<Page> {
    const idsOf = () =>
      this.background.evaluate(async () => (await chrome.tabs.query({})).map(({ id }) => id));
    const before = await idsOf();
    const page = await this.context.newPage();
    await expect.poll(async () => (await idsOf()).length).toBe(before.length + 1);
    const id = (await idsOf()).find((each) => !before.includes(each));
    if (id !== undefined) this.#tabs.set(page, id);
    await page.goto(`${this.server.url}/${path}`);
    return page;
  }

  /** Opens both sides of a call, each in a tab. Side `a` is opened last, so its tab is the active one. */
  async call(path: string): Promise<{ a: Page; b: Page }> {
    const join = path.includes('?') ? '&' : '?';
    const b = await this.open(`${path}${join}side=b`);
    const a = await this.open(`${path}${join}side=a`);
    return { a, b };
  }

  async targets(): Promise<readonly Target[]> {
    const { targetInfos } = await this.browser.send('Target.getTargets', { filter: [{}] });
    return targetInfos;
  }

  /**
   * Does what the user does in the browser's prompt, which tests cannot reach: grants the permission for the
   * site.
   */
  async allow(site: string): Promise<void> {
    const page = await this.context.newPage();
    await page.goto('chrome://extensions/');
    await page.evaluate(
      ([id, host]) =>
        (chrome as unknown as { developerPrivate: DeveloperPrivate }).developerPrivate.addHostPermission(
          id,
          host,
        ),
      [this.id, site] as const,
    );
    await page.close();
  }

  /**
   * Clicks the extension's toolbar button while `page`, which `open()` opened, is the active tab. Resolves
   * with the tab's id when its panel is open.
   */
  async click(page: Page): Promise<number> {
    const tab = this.#tabs.get(page);
    if (tab === undefined) throw new Error('only pages of open() have a known tab');
    // The button acts on the active tab of the browser's window. After `bringToFront`, it takes some time
    // until the tab is active.
    const front = async (): Promise<number | undefined> => {
      await page.bringToFront();
      return this.#tabInFront();
    };
    await expect.poll(front).toBe(tab);
    const target = (await this.targets()).find(({ type, url }) => type === 'tab' && url === page.url());
    const send = this.browser.send as (method: string, params: object) => Promise<unknown>;
    await send.call(this.browser, 'Extensions.triggerAction', { id: this.id, targetId: target?.targetId });
    await expect
      .poll(async () => (await this.panels()).some(({ url }) => url.endsWith(`tab=${tab}`)))
      .toBe(true);
    return tab;
  }

  #tabInFront(): Promise<number | undefined> {
    return this.background.evaluate(
      async () => (await chrome.tabs.query({ active: true, windowType: 'normal' }))[0]?.id,
    );
  }

  /** The side panels that the browser shows. */
  async panels(): Promise<readonly Target[]> {
    const panel = this.url('panel.html');
    return (await this.targets()).filter(({ type, url }) => type === 'page' && url.startsWith(panel));
  }

  /** Closes all panels of the tab of a page that `open()` opened, wherever they are. */
  async closePanels(page: Page): Promise<void> {
    const url = this.url(`panel.html?tab=${this.#tabs.get(page) ?? ''}`);
    for (const target of await this.targets())
      if (target.type === 'page' && target.url === url)
        await this.browser.send('Target.closeTarget', { targetId: target.targetId });
  }

  /** The panel of a tab, opened in a separate tab, where Playwright can reach it. */
  async openPanel(tab: number): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(this.url(`panel.html?tab=${tab}`));
    return page;
  }

  /**
   * Evaluates an expression in a target for which Playwright has no `Page`: the side panel, DevTools, or an
   * extension's panel in DevTools.
   */
  async evaluateIn({ targetId }: Target, expression: string): Promise<unknown> {
    const { sessionId } = await this.browser.send('Target.attachToTarget', { targetId, flatten: false });
    const answered = new Promise<string>((resolve) => {
      this.browser.on('Target.receivedMessageFromTarget', ({ message, sessionId: from }) => {
        if (from === sessionId) resolve(message);
      });
    });
    const params = { expression, awaitPromise: true, returnByValue: true };
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params });
    await this.browser.send('Target.sendMessageToTarget', { message, sessionId });
    const { result } = JSON.parse(await answered) as { result: { result: { value: unknown } } };
    await this.browser.send('Target.detachFromTarget', { sessionId });
    return result.result.value;
  }

  /** The text in the browser's real side panel for a tab. */
  async sidePanelText(tab: number): Promise<string> {
    const target = (await this.panels()).find(({ url }) => url.endsWith(`tab=${tab}`));
    if (target === undefined) throw new Error(`tab ${tab} has no side panel`);
    return String(await this.evaluateIn(target, 'document.body.innerText'));
  }

  /** Switches to the extension's panel in all open DevTools. Resolves with the text of these panels. */
  async devToolsTexts(): Promise<string> {
    const show = `(async () => {
      const { ViewManager } = await import('devtools://devtools/bundled/ui/legacy/legacy.js');
      const manager = ViewManager.ViewManager.instance();
      const view = [...manager.views.keys()].find((id) => id.includes('${this.id}'));
      if (view !== undefined) await manager.showView(view);
    })()`;
    const targets = await this.targets();
    for (const target of targets)
      if (target.type === 'page' && target.url.startsWith('devtools://')) await this.evaluateIn(target, show);
    const panels = targets.filter(({ type, url }) => type === 'iframe' && url === this.url('panel.html'));
    const texts = panels.map((panel) => this.evaluateIn(panel, 'document.body.innerText'));
    return (await Promise.all(texts)).join('\n');
  }
}

export const test = base.extend<{ bed: Bed; moreArgs: string[]; lessArgs: string[] }>({
  /** Additional command-line arguments for the browser. */
  moreArgs: [[], { option: true }],
  /** Arguments that Playwright usually gives to the browser, and that are left out. */
  lessArgs: [[], { option: true }],
  bed: async ({ launchOptions, moreArgs, lessArgs }, use, info) => {
    const server = await startTestServer();
    const { args = [], ignoreDefaultArgs = [], ...others } = launchOptions;
    const context = await chromium.launchPersistentContext(info.outputPath('profile'), {
      ...others,
      viewport: { width: 1280, height: 900 },
      ignoreDefaultArgs: [
        ...(ignoreDefaultArgs === true ? [] : ignoreDefaultArgs || []),
        '--disable-extensions',
        ...lessArgs,
      ],
      args: [
        ...args,
        ...moreArgs,
        `--load-extension=${EXTENSION}`,
        `--disable-extensions-except=${EXTENSION}`,
        '--enable-unsafe-extension-debugging',
      ],
    });
    const browser = await context.browser()?.newBrowserCDPSession();
    if (browser === undefined) throw new Error('the context has no browser to ask');
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    const id = new URL(worker.url()).host;
    await use(new Bed(context, browser, id, worker, server));
    await context.close();
    await server.close();
  },
});

export { expect };

/** The panel's entries for streams. */
export const streamsIn = (panel: Page) => panel.locator('.stream');

/** Whether something other than the background is drawn in a chart. */
export async function isDrawn(panel: Page, title: string): Promise<boolean> {
  return panel
    .locator('figure.chart', { hasText: title })
    .first()
    .locator('canvas')
    .first()
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const pixels = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
      const colours = new Set<number>();
      for (let i = 0; pixels !== undefined && i < pixels.length; i += 4)
        if ((pixels[i + 3] ?? 0) > 200)
          colours.add(((pixels[i] ?? 0) << 16) | ((pixels[i + 1] ?? 0) << 8) | (pixels[i + 2] ?? 0));
      return colours.size > 3;
    });
}
