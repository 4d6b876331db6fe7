/** Calls in all places in a browser where a page may make them: in iframes, popups and so on. */
import { expect, expectFrames, expectShaped, selectedRemotePorts, test } from './bed.js';

const CALL_S = 6;

/**
 * The host of the page that contains the iframe; '' stands for the same host as the iframe's. If the hosts differ,
 * the iframe and the page belong to different sites, so the iframe runs in a separate process.
 */
const outer = { same: '', another: 'localhost' };

for (const [site, host] of Object.entries(outer)) {
  test(`in an iframe of ${site} site @measures`, async ({ bed, server }) => {
    const page = new URL(server.url);
    if (host !== '') page.hostname = host;
    const inner = (side: string) => encodeURIComponent(`${server.url}/simple_peer.html?side=${side}`);
    const b = await bed.open(`${page.href}frame.html?inner=${inner('b')}`);
    await bed.open(`simple_peer.html?side=a`);
    const receiver = await bed.receiveVideo(CALL_S);
    expect(receiver).toMatchObject({ place: 'iframe', page: bed.observer.pageId(b) });
    expectShaped(bed, receiver);
    expectFrames(bed, receiver);
    const frame = b.frames()[1];
    if (frame === undefined) throw new Error('the page has no iframe');
    expect(new Set(await selectedRemotePorts(frame))).toEqual(new Set([bed.link.relay.port]));
  });
}

test('in a popup @measures', async ({ bed }) => {
  const inner = encodeURIComponent('simple_peer.html?side=b');
  const b = await bed.open(`popup.html?inner=${inner}`);
  await bed.open('simple_peer.html?side=a');
  const receiver = await bed.receiveVideo(CALL_S);
  expect(receiver.place).toBe('popup');
  expect(receiver.page).not.toBe(bed.observer.pageId(b));
  expectShaped(bed, receiver);
  expectFrames(bed, receiver);
});

test('between an empty iframe and one that is written by its page @measures', async ({ bed }) => {
  await bed.open('inside.html');
  const receiver = await bed.receiveVideo(CALL_S);
  const connection = bed.connectionOf(receiver);
  const ends = [connection?.offerer, connection?.answerer].map((id) => bed.record.endpoints[id ?? -1]);
  expect(ends.map((end) => end?.place)).toEqual(['iframe', 'iframe']);
  expect(new Set(ends.map((end) => end?.page)).size).toBe(1);
  expectShaped(bed, receiver);
  expectFrames(bed, receiver);
});

test('in a page without an address, observed after it was opened', async ({ bed, browser, server }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await bed.observer.observe(context);
  await page.setContent(`<base href="${server.url}/"><script src="simplepeer.min.js"></script>`);
  const late = await page.evaluate(() => {
    const peer = new RTCPeerConnection();
    return [peer instanceof RTCPeerConnection, String(RTCPeerConnection).includes('[native code]')];
  });
  expect(late).toEqual([true, true]);
  await bed.until('the connection in the record', ({ endpoints }) => endpoints.length === 1);
  await context.close();
});
