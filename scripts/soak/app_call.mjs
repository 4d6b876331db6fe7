// The Call page of the soak: a real call over the local server's shaper, driven as a user would drive it.
import { launchChromium } from '../../dist/lib/command_line/call/chromium.js';

const LIVE_MS = 60_000;
/**
 * A page is sampled when it has recorded this number of packet groups. The recording then has about the same size
 * in each sample, so its growth is not mistaken for a leak.
 */
const SETTLED_GROUPS = 90;
/** The controllers that the pages change to; each page begins with GCC. */
const CONTROLLERS = ['nada', 'lcc', 'native'];

/** Runs in each worker and keeps track of the memories of WebAssembly modules. */
function watchMemories() {
  if (globalThis.wasmPages !== undefined) return;
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate(...args);
    memories.push(new WeakRef((made.instance ?? made).exports.memory));
    return made;
  };
  globalThis.wasmPages = () =>
    memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0) / 65_536, 0);
}

export class AppCall {
  #page;
  #devtools;
  #controller = 0;
  errors = [];
  /** The ports of the page's current link. */
  linkPorts = [];

  constructor(browser, url) {
    this.browser = browser;
    this.url = `${url}?autostart=1&source=synthetic&capacity=1mbps&rtt_ms=50&shadow=nada`;
  }

  static async open(url) {
    const browser = await launchChromium();
    const call = new AppCall(browser, url);
    call.#page = await browser.newPage();
    call.#page.on('pageerror', (error) => call.errors.push(String(error)));
    call.#page.on('websocket', (socket) => socket.on('framereceived', (frame) => call.#heard(frame)));
    call.#page.on('crash', () => call.errors.push('the page crashed'));
    call.#page.on('worker', (worker) => worker.evaluate(watchMemories).catch(() => undefined));
    call.#devtools = await call.#page.context().newCDPSession(call.#page);
    await call.reload();
    return call;
  }

  /** Takes the ports from the server's answer to `link/open`. */
  #heard({ payload }) {
    const { a, b } = JSON.parse(String(payload)).link ?? {};
    if (a && b) this.linkPorts = [a.port, b.port];
  }

  /** Loads the page, whose call starts automatically, and waits until it has settled. */
  async reload() {
    await this.#page.goto(this.url);
    await this.#settled();
  }

  async #settled() {
    await this.#page.waitForFunction(
      (groups) => window.ccscope?.state().phase === 'connected' && window.ccscope.counters().groups >= groups,
      SETTLED_GROUPS,
      { timeout: LIVE_MS },
    );
  }

  /** Changes to another controller; the call then restarts automatically. */
  async changeController() {
    const name = CONTROLLERS[this.#controller++ % CONTROLLERS.length];
    await this.#page.getByLabel('Who decides the bitrate').selectOption(name);
    await this.#page.waitForFunction(() => window.ccscope.state().phase !== 'connected', null, {
      timeout: LIVE_MS,
    });
    await this.#page.waitForFunction(() => window.ccscope.state().phase === 'connected', null, {
      timeout: LIVE_MS,
    });
    return name;
  }

  async sample() {
    await this.#devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#devtools.send('Runtime.getHeapUsage');
    const pages = await Promise.all(
      this.#page.workers().map((worker) => worker.evaluate(() => globalThis.wasmPages?.() ?? 0)),
    );
    return {
      heapMb: usedSize / 1e6,
      wasmPages: pages.reduce((sum, each) => sum + each, 0),
      workers: pages.length,
    };
  }

  /**
   * The state of the call, the name of its link, the lateness of the shaper, and the problems that the page
   * reports.
   */
  async state() {
    const { phase, link, lateness, notices } = await this.#page.evaluate(() => window.ccscope.state());
    const problems = notices.filter(({ level }) => level !== 'info').map(({ message }) => message);
    return { phase, link, lateness, problems };
  }

  async close() {
    await this.browser.close();
  }
}
