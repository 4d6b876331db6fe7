/** A scripted ICE agent: sends connectivity checks, and verifies and answers them as RFC 8445 says. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

import {
  bindingError,
  bindingRequest,
  bindingSuccess,
  isAuthentic,
  type CheckOptions,
} from '../../scripts/lib/ice_check.mjs';
import { checkOf, parseStun } from '../../src/shaper/relay/stun.js';

export class IceAgent {
  /** Everything but STUN that came, as text. */
  readonly media: string[] = [];
  /** Who sent the received checks. */
  readonly checkedBy: string[] = [];
  /** Answers to its checks that are authentic, and those that are not. */
  answers = 0;
  forged = 0;
  /** Everything that came, STUN too. */
  bytes = 0;
  /** The targets of its checks, one after the other, whose answers it expects. */
  #peer = '';

  private constructor(
    public ufrag: string,
    readonly socket: Socket,
    private readonly target: { port: number },
  ) {
    socket.on('message', (packet, from) => this.#receive(packet, from.port));
  }

  /** An agent that sends to this port; 0: to where checks come from. */
  static async at(ufrag: string, port: number): Promise<IceAgent> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new IceAgent(ufrag, socket, { port });
  }

  get address(): { address: string; port: number } {
    return { address: '127.0.0.1', port: this.socket.address().port };
  }

  check(options: CheckOptions): void {
    this.#peer = options.to;
    this.send(bindingRequest(this.ufrag, options));
  }

  send(packet: Buffer | string): void {
    this.socket.send(packet, this.target.port, '127.0.0.1');
  }

  close(): void {
    this.socket.close();
  }

  #receive(packet: Buffer, fromPort: number): void {
    this.bytes += packet.length;
    const stun = parseStun(packet);
    if (stun === null) this.media.push(packet.toString());
    else if (stun.class === 'success' && isAuthentic(packet, this.#peer)) this.answers++;
    else if (stun.class === 'success') this.forged++;
    else if (stun.class === 'request') {
      this.checkedBy.push(checkOf(stun)?.from ?? '');
      // A far side learns the relay's address from received packets.
      if (this.target.port === 0) this.target.port = fromPort;
      const isKnown = isAuthentic(packet, this.ufrag);
      const answer = isKnown ? bindingSuccess(packet, this.ufrag) : bindingError(packet);
      this.socket.send(answer, fromPort, '127.0.0.1');
    }
  }
}
