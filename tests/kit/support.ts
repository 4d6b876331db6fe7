/** The kit's `test`, extended with a server for the pages under test. The server's address is the base URL. */
import { expect as kitExpect, test as kit, type Call } from '../../src/playwright/index.js';
import { startTestServer, type TestServer } from './server.js';

export const expect = kitExpect;

export const test = kit.extend<object, { pages: TestServer }>({
  pages: [
    async ({}, use) => {
      const server = await startTestServer();
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ pages }, use) => use(pages.url),
});

/** Waits until both ends of each connection are known and packets pass through the link. */
export async function expectRouted(call: Call, connections = 1): Promise<void> {
  await call.connected();
  await expect
    .poll(async () => {
      await call.settle();
      const { endpoints, link } = call.record;
      return {
        routed: endpoints.map(({ routed }) => routed),
        flows: link?.flows.length,
        packets: (link?.forward?.packets.rows ?? 0) > 0,
      };
    })
    .toEqual({ routed: Array(2 * connections).fill(true), flows: connections, packets: true });
}
