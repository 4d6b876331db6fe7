/**
 * A scripted ICE agent. It sends connectivity checks, and verifies and answers the checks of other agents, as
 * in RFC 8445.
 */
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
  /** All received packets that are not STUN, as text. */
  readonly media: string[] = [];
  /** For each received check, the username fragment of the agent that sent it. */
  readonly checkedBy: string[] = [];
  /** How many answers to this agent's checks were authentic (`answers`), and how many were not (`forged`). */
  answers = 0;
  forged = 0;
  /** The total size of all received packets, including STUN, in bytes. */
  bytes = 0;
  /**
   * The username fragment of the peer to which the latest check was sent. The answer must come from this peer.
   */
  #peer = '';

  private constructor(
    public ufrag: string,
    readonly socket: Socket,
    private readonly target: { port: number },
  ) {
    socket.on('message', (packet, from) => this.#receive(packet, from.port));
  }

  /**
   * Makes an agent that sends to this port. If the port is 0, the agent sends to the port from which it receives its
   * first check.
   */
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
      // An agent at the far side learns the relay's port from the first check that it receives.
      if (this.target.port === 0) this.target.port = fromPort;
      const isKnown = isAuthentic(packet, this.ufrag);
      const answer = isKnown ? bindingSuccess(packet, this.ufrag) : bindingError(packet);
      this.socket.send(answer, fromPort, '127.0.0.1');
    }
  }
}
