import { once } from 'node:events';

import { afterEach } from 'vitest';
import { WebSocket } from 'ws';

import type { LinkOpened, ServerMessage } from '../../src/link/server_protocol.js';

const clients: Client[] = [];

/** After each test, ends the clients that the test left open. A test file calls this once. */
export function endClientsAfterEach(): void {
  afterEach(() => clients.splice(0).forEach((client) => client.socket.terminate()));
}

/** A program that uses the local server as a page does. */
export class Client {
  readonly #inbox: ServerMessage[] = [];
  #wake: () => void = () => undefined;

  constructor(readonly socket: WebSocket) {
    clients.push(this);
    socket.on('message', (data: Buffer) => {
      this.#inbox.push(JSON.parse(data.toString()) as ServerMessage);
      this.#wake();
    });
  }

  static async connect(server: { url: string }, options: object = {}): Promise<Client> {
    const client = new Client(new WebSocket(new URL('ws', server.url), options));
    await once(client.socket, 'open');
    return client;
  }

  /**
   * Takes from the inbox the first message for which `fits` returns true. Waits if there is no such message
   * yet.
   */
  async next(fits: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    for (;;) {
      const index = this.#inbox.findIndex(fits);
      if (index >= 0) return this.#inbox.splice(index, 1)[0] as ServerMessage;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async ask(message: object): Promise<ServerMessage> {
    this.socket.send(JSON.stringify({ id: 7, ...message }));
    return this.next((m) => 'id' in m && m.id === 7);
  }

  async open(config: object = {}): Promise<LinkOpened> {
    const reply = await this.ask({ type: 'link/open', config });
    if (!('ok' in reply) || !reply.ok) throw new Error(JSON.stringify(reply));
    return reply.result as LinkOpened;
  }
}
