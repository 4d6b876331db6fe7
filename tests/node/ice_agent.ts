/** A fake ICE agent: sends connectivity checks and answers them as RFC 8445 says, without their integrity. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

import { bindingRequest, bindingSuccess, type CheckOptions } from '../../scripts/lib/ice_check.mjs';
import { checkOf, parseStun } from '../../src/node/shaper/stun.js';

export class IceAgent {
  /** Everything but STUN that came, as text. */
  readonly media: string[] = [];
  /** Who sent the checks that came. */
  readonly checkedBy: string[] = [];
  /** Answers that came to its checks. */
  answers = 0;

  private constructor(
    readonly ufrag: string,
    readonly socket: Socket,
    private readonly target: { port: number },
  ) {
    socket.on('message', (packet, from) => {
      const stun = parseStun(packet);
      if (stun === null) this.media.push(packet.toString());
      else if (stun.class === 'success') this.answers++;
      else if (stun.class === 'request') {
        this.checkedBy.push(checkOf(stun)?.from ?? '');
        // A far side learns the relay's address from what comes.
        if (this.target.port === 0) this.target.port = from.port;
        socket.send(bindingSuccess(packet), from.port, from.address);
      }
    });
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
    this.send(bindingRequest(this.ufrag, options));
  }

  send(packet: Buffer | string): void {
    this.socket.send(packet, this.target.port, '127.0.0.1');
  }

  close(): void {
    this.socket.close();
  }
}
