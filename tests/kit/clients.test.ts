/** Calls of clients that nobody here wrote, through the link and in the record. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { PeerServer } from 'peer';

import { expect, expectFrames, expectShaped, selectedRemotePorts, test } from './bed.js';

/** Long enough for the browser to find the rate. */
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
  let server: Server;
  let port: number;
  let isUp = false;

  test.beforeAll(async () => {
    PeerServer({ port: 0, host: '127.0.0.1' }, (started) => {
      server = started;
      isUp = true;
    });
    await expect.poll(() => isUp && server.listening).toBe(true);
    ({ port } = server.address() as AddressInfo);
  });

  test.afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  for (const [add, when] of added) {
    test(`with tracks added ${when} @measures`, async ({ bed }) => {
      const { a, b } = await bed.openBoth(`peerjs.html?add=${add}&room=${add}&port=${port}`);
      const receiver = await bed.receiveVideo(CALL_S);
      expectShaped(bed, receiver);
      expectFrames(bed, receiver);
      for (const page of [a, b])
        expect(new Set(await selectedRemotePorts(page))).toEqual(new Set([bed.link.relay.port]));
    });
  }
});
