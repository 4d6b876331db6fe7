// The soak's call with the test kit: two pages whose packets pass through the kit's relay. Runs in a separate
// process.
import { connect, framesOf, negotiate, openPage, serveBlankPage } from '../lib/page_call.mjs';
import { watchMemories } from './memories.mjs';
import { serveParent } from './node_sample.mjs';
import { watchThreads } from './threads.mjs';

watchMemories();
watchThreads();
const { CallObserver } = await import('../../dist/lib/observe/observer.js');
const { openShaperLink } = await import('../../dist/lib/shaper/index.js');
const { launchChromium } = await import('../../dist/lib/command_line/call/chromium.js');

const originEpochMs = Date.now();
const link = await openShaperLink({
  settings: { capacity: '1mbps', rtt: '50ms', queue: 'droptail:300ms' },
  originEpochMs,
});
// A complete record of a call grows by design. This record keeps only the latest two minutes, so it reaches its
// full size before the warm-up ends.
const observer = new CallObserver({ link, originEpochMs, keepUs: 120e6 });
const browser = await launchChromium();
const { url, close } = await serveBlankPage();

let sender;
let receiver;
let errors = [];

async function open() {
  receiver = await openPage(browser, url, observer);
  sender = await openPage(browser, url, observer);
  for (const page of [sender, receiver]) page.on('pageerror', (error) => errors.push(String(error)));
  await connect(sender, receiver);
}

await open();

serveParent({
  relayPort: () => link.relay.port,
  restartIce: () => negotiate(sender, receiver, { iceRestart: true }),
  /** Closes both pages and opens two others that call each other. */
  reload: async () => {
    await Promise.all([sender, receiver].map((page) => page.context().close()));
    await open();
  },
  state: async () => ({
    frames: await framesOf(receiver),
    state: await receiver.evaluate(() => peer.connectionState),
    lateness: link.record.latenessMs,
    flows: link.record.flows.length,
    notices: [...link.record.notices, ...observer.record.notices].map(({ message }) => message),
    errors: errors.splice(0),
  }),
  close: async () => {
    await browser.close();
    await observer.close();
    await link.close();
    close();
  },
});
