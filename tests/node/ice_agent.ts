/** A fake ICE agent: sends connectivity checks and answers them as RFC 8445 says, without their integrity. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

import { parseStun } from '../../src/node/shaper/stun.js';

const COOKIE = 0x2112a442;
let transactions = 0;

function attribute(type: number, value: Buffer): Buffer {
  const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  padded.writeUInt16BE(type, 0);
  padded.writeUInt16BE(value.length, 2);
  value.copy(padded, 4);
  return padded;
}

function message(type: number, transaction: Buffer, attributes: readonly Buffer[]): Buffer {
  const body = Buffer.concat(attributes);
  const header = Buffer.alloc(8);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length, 2);
  header.writeUInt32BE(COOKIE, 4);
  return Buffer.concat([header, transaction, body]);
}

export interface CheckOptions {
  /** Of the other side. */
  to: string;
  role: 'controlling' | 'controlled';
  nominate?: boolean;
}

/** A binding request (RFC 8489, 5). */
export function bindingRequest(from: string, { to, role, nominate = false }: CheckOptions): Buffer {
  const transaction = Buffer.alloc(12);
  transaction.writeUInt32BE(++transactions, 8);
  return message(0x0001, transaction, [
    attribute(0x0006, Buffer.from(`${to}:${from}`)),
    attribute(role === 'controlling' ? 0x802a : 0x8029, Buffer.alloc(8, 1)),
    ...(nominate ? [attribute(0x0025, Buffer.alloc(0))] : []),
  ]);
}

export class IceAgent {
  /** Everything but STUN that came, as text. */
  readonly media: string[] = [];
  /** Checks that came. */
  checks = 0;
  /** Answers that came to its checks. */
  answers = 0;

  private constructor(
    readonly ufrag: string,
    readonly socket: Socket,
    readonly target: number,
  ) {
    socket.on('message', (packet, { port, address }) => {
      const stun = parseStun(packet);
      if (stun === null) this.media.push(packet.toString());
      else if (stun.class === 'success') this.answers++;
      else if (stun.class === 'request') {
        this.checks++;
        socket.send(message(0x0101, packet.subarray(8, 20), []), port, address);
      }
    });
  }

  /** An agent that sends to this port. */
  static async at(ufrag: string, target: number): Promise<IceAgent> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new IceAgent(ufrag, socket, target);
  }

  get port(): number {
    return this.socket.address().port;
  }

  check(options: CheckOptions): void {
    this.send(bindingRequest(this.ufrag, options));
  }

  send(packet: Buffer | string): void {
    this.socket.send(packet, this.target, '127.0.0.1');
  }

  close(): void {
    this.socket.close();
  }
}
