/**
 * Two sockets, one for each of two peers. A packet that peer A sends to socket a goes through the shaped link and
 * leaves from socket b to peer B. Packets that peer B sends to socket b leave from socket a. The size of a packet
 * includes its IPv4 and UDP headers. peers.ts decides who the peers are.
 */
import type { Socket } from 'node:dgram';

import { IP_UDP_HEADER_BYTES } from '../../calls/metrics.js';
import { DIRECTIONS, type Direction } from '../../core/direction.js';
import type { RelayAddress } from '../../link/server_protocol.js';
import type { PacketPath } from '../packets/packet_path.js';
import {
  AddressPeers,
  IcePeers,
  type Forward,
  type Peers,
  type PeersContext,
  type PeersOption,
  type PeerUfrags,
} from './peers.js';
import type { PathOwner, Sockets } from '../thread/protocol.js';
import type { Front } from '../packets/scheduled_path.js';
import { bindUdp, closeSocket, onPacket } from '../udp.js';

/** How often the pair looks for connections that have ended. */
const SWEEP_US = 1e6;

export interface PairOptions extends Omit<Extract<Sockets, { kind: 'pair' }>, 'kind'> {
  nowUs(): number;
  /** Called when a socket fails. */
  onError(error: Error): void;
}

function peersOf(option: PeersOption, context: PeersContext): Peers {
  if (option === 'ice') return new IcePeers(context);
  return new AddressPeers(context, option === 'first-datagram' ? null : option);
}

/** Binds the sockets. Rejects with ShaperError; if it rejects, nothing is left open. */
export async function openSocketPair(options: PairOptions): Promise<SocketPair> {
  const { address, ports } = options;
  const socketA = await bindUdp(ports[0], address);
  try {
    return new SocketPair(options, socketA, await bindUdp(ports[1], address));
  } catch (error) {
    socketA.close();
    throw error;
  }
}

export class SocketPair implements Front<Forward> {
  /** Forward packets arrive at socket a, backward packets at socket b. */
  readonly #sockets: Readonly<Record<Direction, Socket>>;
  readonly #peers: Peers;
  readonly #nowUs: () => number;
  #path: Pick<PacketPath<Forward>, 'offer'> | null = null;
  #sweptUs: number;

  /** Use openSocketPair, which binds the sockets. */
  constructor({ peers, expected, nowUs, onError }: PairOptions, socketA: Socket, socketB: Socket) {
    this.#sockets = { forward: socketA, backward: socketB };
    this.#nowUs = nowUs;
    this.#sweptUs = nowUs();
    // Errors are ignored: a peer that has closed is not a failure of the shaper.
    const sendBy =
      (socket: Socket) =>
      (packet: Buffer, port: number, to: string): void =>
        socket.send(packet, port, to, () => undefined);
    this.#peers = peersOf(peers, { nowUs, sends: { forward: sendBy(socketB), backward: sendBy(socketA) } });
    if (expected !== undefined) this.expect(expected);
    for (const direction of DIRECTIONS) {
      const socket = this.#sockets[direction];
      onPacket(socket, (packet, from) => this.#receive(packet, from, direction));
      socket.on('error', onError);
    }
  }

  get ports(): readonly [a: number, b: number] {
    return [this.#sockets.forward.address().port, this.#sockets.backward.address().port];
  }

  attach(_owner: PathOwner, path: Pick<PacketPath<Forward>, 'offer'>): void {
    this.#path = path;
  }

  deliver(forward: Forward): boolean {
    return forward();
  }

  /** Sets the fragments of the agents that may connect from now on. Has an effect only with ICE. */
  expect(ufrags: PeerUfrags): void {
    if (this.#peers instanceof IcePeers) this.#peers.expect(ufrags);
  }

  /** Forgets connections that have ended, at most once a second. */
  sweep(): void {
    const nowUs = this.#nowUs();
    if (nowUs - this.#sweptUs < SWEEP_US) return;
    this.#sweptUs = nowUs;
    this.#peers.sweep();
  }

  async close(): Promise<void> {
    await Promise.all(DIRECTIONS.map((direction) => closeSocket(this.#sockets[direction])));
  }

  #receive(packet: Buffer, from: RelayAddress, direction: Direction): void {
    const forward = this.#peers.receive(packet, from, direction);
    if (forward !== null) this.#path?.offer(direction, forward, packet.length + IP_UDP_HEADER_BYTES);
  }
}
