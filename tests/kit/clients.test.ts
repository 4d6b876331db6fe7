/** Calls of third-party clients: they use the link, and are recorded. */
import { expect, expectFrames, expectShaped, selectedRemotePorts, test } from './bed.js';
import { startPeerServer, type SignallingServer } from './peer_server.js';

/** Long enough for the browser to ramp up to the link's rate. */
const CALL_S = 7;

const added = [
  ['early', 'before the page has loaded'],
  ['late', 'to a page that is long loaded'],
] as const;

for (const [add, when] of added) {
  test(`simple-peer, with tracks added ${when} @measures`, async ({ bed }) => {
    const { a, b } = await bed.openBoth(`simple_peer.html?add=${add}`);
    const receiver = await bed.receiveVideo(CALL_S);
    expectShaped(bed, receiver);
    expectFrames(bed, receiver);
    for (const page of [a, b])
      expect(new Set(await selectedRemotePorts(page))).toEqual(new Set([bed.link.relay.port]));
  });
}

test.describe('PeerJS with its own server', () => {
  let server: SignallingServer;

  test.beforeAll(async () => {
    server = await startPeerServer();
  });

  test.afterAll(() => server.close());

  for (const [add, when] of added) {
    test(`with tracks added ${when} @measures`, async ({ bed }) => {
      const { a, b } = await bed.openBoth(`peerjs.html?add=${add}&room=${add}&port=${server.port}`);
      const receiver = await bed.receiveVideo(CALL_S);
      expectShaped(bed, receiver);
      expectFrames(bed, receiver);
      for (const page of [a, b])
        expect(new Set(await selectedRemotePorts(page))).toEqual(new Set([bed.link.relay.port]));
    });
  }
});
