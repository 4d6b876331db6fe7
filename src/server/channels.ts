/** Channels: WebSockets for texts in both directions between pages and the program that started the server. */
import type { WebSocket } from 'ws';

import type { ServerLimits } from './limits.js';
import { closeSocket } from './close_socket.js';

/** The client at the other end. */
export interface ChannelSocket {
  /** Sends a text. Closes the connection of a client that does not read its messages. */
  send(text: string): void;
}

export interface Channel {
  /** The path that pages connect to. Anyone who knows the path may connect, so it must be impossible to guess. */
  path: string;
  /**
   * Called when a client has connected. Returns callbacks for the client's texts and for the end of its
   * connection.
   */
  opened(socket: ChannelSocket): { heard(text: string): void; closed(): void };
}

export class Channels {
  readonly #open = new Set<WebSocket>();

  constructor(
    private readonly channel: Channel,
    private readonly limits: ServerLimits,
  ) {}

  get path(): string {
    return this.channel.path;
  }

  get isFull(): boolean {
    return this.#open.size >= this.limits.channels;
  }

  open(socket: WebSocket): void {
    this.#open.add(socket);
    const listener = this.channel.opened({ send: (text) => this.#send(socket, text) });
    let answered = true;
    const ping = setInterval(() => {
      if (!answered) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
      answered = false;
    }, this.limits.ping_interval_ms);
    socket.on('message', (data: Buffer) => listener.heard(data.toString()));
    socket.on('pong', () => (answered = true));
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      clearInterval(ping);
      this.#open.delete(socket);
      listener.closed();
    });
  }

  #send(socket: WebSocket, text: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > this.limits.buffer_bytes) socket.terminate();
    else socket.send(text);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((socket) => closeSocket(socket, this.limits.close_timeout_ms)));
  }
}
