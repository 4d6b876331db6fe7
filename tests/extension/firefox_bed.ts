/** A Firefox with the extension. WebDriver BiDi drives its pages and the browser's own window. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { launch, type Browser, type Page } from 'puppeteer-core';

const EXTENSION = fileURLToPath(new URL('../../dist/extension/firefox', import.meta.url));
/** `ID`: the extension's id in its manifest. `HOST`: the host of the extension's pages in this Firefox. */
const ID = 'extension@ccscope';
const HOST = '7a1c1d1e-cc5c-4b0e-9e55-c0de00000001';

interface BidiContext {
  context: string;
  url: string;
}

/** Sends BiDi commands to the browser's own window. Puppeteer has no functions for them. */
interface Connection {
  send(method: string, params: object): Promise<{ result: Record<string, unknown> }>;
}

export class FirefoxBed {
  readonly #connection: Connection;

  constructor(
    private readonly browser: Browser,
    private readonly userDataDir: string,
  ) {
    this.#connection = (browser as unknown as { connection: Connection }).connection;
  }

  async open(url: string): Promise<Page> {
    const page = await this.browser.newPage();
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return page;
  }

  async #contexts(scope: object): Promise<readonly BidiContext[]> {
    const { result } = await this.#connection.send('browsingContext.getTree', scope);
    return result['contexts'] as BidiContext[];
  }

  async #evaluate(context: string, expression: string): Promise<unknown> {
    const { result } = await this.#connection.send('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
    });
    if (result['type'] !== 'success') throw new Error(JSON.stringify(result['exceptionDetails']));
    return (result['result'] as { value?: unknown }).value;
  }

  /**
   * Evaluates code in the browser's own window. In this code, `extension` is Firefox's internal object for
   * the extension.
   */
  async inBrowser(body: string): Promise<unknown> {
    const [window] = await this.#contexts({ 'moz:scope': 'chrome' });
    return this.#evaluate(
      window?.context ?? '',
      `(async () => {
        const { ExtensionParent } = ChromeUtils.importESModule('resource://gre/modules/ExtensionParent.sys.mjs');
        const extension = ExtensionParent.GlobalManager.getExtension('${ID}');
        ${body}
      })()`,
    );
  }

  /** Clicks the extension's toolbar button for the active tab. Resolves with the tab's id. */
  async click(): Promise<number> {
    const tab = await this.inBrowser(`
      const button = await extension.apiManager.asyncGetAPI('browserAction', extension);
      await button.triggerAction(window);
      return extension.tabManager.getWrapper(gBrowser.selectedTab).id;`);
    return Number(tab);
  }

  /** Opens one of the extension's pages in a new foreground tab, where the test can evaluate scripts. */
  async openOwn(path: string): Promise<string> {
    await this.inBrowser(`
      const url = 'moz-extension://${HOST}/${path}';
      gBrowser.selectedTab = gBrowser.addTrustedTab(url);`);
    for (;;) {
      const found = (await this.#contexts({})).find(({ url }) => url.endsWith(path));
      if (found !== undefined) return found.context;
    }
  }

  /** Evaluates an expression in a page of the extension. */
  inOwn(context: string, expression: string): Promise<unknown> {
    return this.#evaluate(context, expression);
  }

  /**
   * Whether the sidebar is open; and its current drawing: the number of pixels with this colour (RRGGBB), and
   * a PNG in Base64.
   */
  async sidebar(colour: string): Promise<{ isOpen: boolean; pixels: number; png: string }> {
    const text = await this.inBrowser(`
      const panel = SidebarController.browser?.contentDocument?.getElementById('webext-panels-browser');
      if (!SidebarController.isOpen || !panel) return JSON.stringify({ isOpen: false, pixels: 0, png: '' });
      const { width, height } = panel.getBoundingClientRect();
      const { currentWindowGlobal } = panel.browsingContext;
      const bitmap = await currentWindowGlobal.drawSnapshot(new DOMRect(0, 0, width, height), 1, 'white');
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const all = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      const png = btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(''));
      const [, red, green, blue] = /(..)(..)(..)/.exec('${colour}');
      // A pixel's bytes are red, green, blue and alpha. As a little-endian number, red is the lowest byte.
      const wanted = Number('0xff' + blue + green + red);
      return JSON.stringify({ isOpen: true, pixels: all.filter((each) => each === wanted).length, png });`);
    return JSON.parse(String(text)) as { isOpen: boolean; pixels: number; png: string };
  }

  /** Opens the extension's panel in DevTools for the active tab. */
  async openDevtools(): Promise<void> {
    await this.inBrowser(`
      const { require } = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
      const { gDevTools } = require('devtools/client/framework/devtools');
      const toolbox = await gDevTools.showToolboxForTab(gBrowser.selectedTab, { toolId: 'webconsole' });
      // The extension adds its panel some time after the toolbox has opened.
      const tool = await new Promise((found) => {
        const look = () => {
          const [panel] = toolbox.getAdditionalTools();
          if (panel === undefined) window.requestAnimationFrame(look);
          else found(panel.id);
        };
        look();
      });
      await toolbox.selectTool(tool);`);
  }

  /** The text of the extension's panel in DevTools; empty while the panel loads. */
  async devtoolsText(): Promise<string> {
    const text = await this.inBrowser(`
      const { require } = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
      const { gDevTools } = require('devtools/client/framework/devtools');
      const frames = ({ document }) => [...document.querySelectorAll('iframe, browser')];
      const [toolbox] = gDevTools.getToolboxes();
      const panel = frames(toolbox.win)
        .flatMap((frame) => frames(frame.contentWindow))
        .find(({ browsingContext }) => browsingContext?.currentURI?.spec.endsWith('/panel.html'));
      if (panel === undefined) return '';
      const { messageManager } = panel;
      const name = 'ccscope test';
      const told = new Promise((tell) => messageManager.addMessageListener(name, ({ data }) => tell(data)));
      const script = 'sendAsyncMessage("' + name + '", content.document.body?.innerText ?? "")';
      messageManager.loadFrameScript('data:,' + encodeURIComponent(script), false);
      return told;`);
    return String(text);
  }

  /** Suspends the background script at once, as Firefox does when it is idle. */
  async suspendBackground(): Promise<void> {
    await this.inBrowser(`
      await extension.terminateBackground({ ignoreDevToolsAttached: true, disableResetIdleForTest: true });`);
  }

  /** Removes the extension from the browser. */
  async remove(): Promise<void> {
    await this.inBrowser(`
      const { AddonManager } = ChromeUtils.importESModule('resource://gre/modules/AddonManager.sys.mjs');
      await (await AddonManager.getAddonByID('${ID}')).uninstall();`);
  }

  async close(): Promise<void> {
    await this.browser.close();
    rmSync(this.userDataDir, { recursive: true, force: true });
  }
}

/** `backgroundIdleMs`: Firefox suspends the background script when it has done nothing for that long. */
export async function openFirefox(
  executablePath: string,
  { backgroundIdleMs = 30_000 } = {},
): Promise<FirefoxBed> {
  const userDataDir = mkdtempSync(join(tmpdir(), 'ccscope-firefox-'));
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    userDataDir,
    headless: true,
    // Allows BiDi to access the toolbar, the sidebar and pages of extensions.
    args: ['-remote-allow-system-access'],
    extraPrefsFirefox: {
      'extensions.background.idle.timeout': backgroundIdleMs,
      // Grants the permission without the prompt, which tests cannot reach.
      'extensions.webextOptionalPermissionPrompts': false,
      'extensions.webextensions.uuids': JSON.stringify({ [ID]: HOST }),
      'media.peerconnection.ice.loopback': true,
      'media.peerconnection.ice.obfuscate_host_addresses': false,
      'media.autoplay.default': 0,
    },
  });
  await browser.installExtension(EXTENSION);
  return new FirefoxBed(browser, userDataDir);
}
