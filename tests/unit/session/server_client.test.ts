import { afterEach, expect, it, vi } from 'vitest';

const sent: unknown[] = [];
/** A connection that opens at once, and keeps what the page sends. */
class FakeSocket {
  onopen: () => void = () => undefined;

  constructor() {
    queueMicrotask(() => this.onopen());
  }

  send(text: string): void {
    sent.push(JSON.parse(text));
  }
}
vi.stubGlobal('WebSocket', FakeSocket);
vi.stubGlobal('location', new URL('http://127.0.0.1:1/'));
const { ServerClient } = await import('../../../src/app/session/server_client.js');

afterEach(() => void vi.useRealTimers());

it('a link is opened with the clock of the page, which may differ from that of the server', async () => {
  const client = await ServerClient.connect();
  vi.useFakeTimers({ now: 5000 });
  void client?.openLink({ origin_epoch_ms: 4000 });
  expect(sent).toEqual([{ id: 1, type: 'link/open', config: { origin_epoch_ms: 4000 }, now_ms: 5000 }]);
});
