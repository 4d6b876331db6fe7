/** The two peers of a shaper: whose packets it accepts at its sockets, and where it sends them. */
import { BlockList } from 'node:net';

import type { RelayAddress } from '../../link/server_protocol.js';
import { Agents, peerOf, type Roles } from './agents.js';
import type { Send } from './endpoint.js';
import { hasSomewhere, IceDoor, passOn } from './ice_door.js';
import type { Direction } from '../../core/direction.js';
import type { Check } from './stun.js';

/** The username fragments that the ICE agents of the two peers may have. */
export interface PeerUfrags {
  a: readonly string[];
  b: readonly string[];
}

/**
 * - `ice`: the peers are ICE agents whose checks are answered, see ice_door.ts. A connection has one agent at each
 *   socket.
 * - `first-datagram`: at each socket, the sender of the first packet becomes the peer. This option is for traffic
 *   other than calls, and works only on loopback addresses.
 * - Two addresses: packets are accepted only from these addresses.
 */
export type PeersOption = 'ice' | 'first-datagram' | { a: RelayAddress; b: RelayAddress };

/** Sends a packet that has gone through the link; false if it has no destination. */
export type Forward = () => boolean;

/**
 * Decides for each packet whether it is accepted, and where it goes afterwards. `direction` is always the
 * direction in which the packet travels.
 */
export interface Peers {
  /** Returns a function that sends the packet after its way through the link; null for a refused packet. */
  receive(packet: Buffer, from: RelayAddress, direction: Direction): Forward | null;
  /** Forgets connections that have ended. */
  sweep(): void;
}

export interface PeersContext {
  nowUs(): number;
  /** For each direction, a function that sends a packet from the socket at which this direction leaves the shaper. */
  sends: Readonly<Record<Direction, Send>>;
}

const opposite = { forward: 'backward', backward: 'forward' } as const;

/** Peers that are ICE agents: the agents of peer A at one socket, those of peer B at the other. */
export class IcePeers implements Peers {
  readonly #agents: Agents;
  readonly #doors: Readonly<Record<Direction, IceDoor>>;
  #expected: PeerUfrags | null = null;

  constructor(private readonly context: PeersContext) {
    const { nowUs, sends } = context;
    this.#agents = new Agents({ nowUs, onFlow: () => undefined });
    const door = (direction: Direction): IceDoor =>
      new IceDoor({
        agents: this.#agents,
        nowUs,
        // Packets to an agent leave through the socket at which the agent's own packets arrive.
        send: sends[opposite[direction]],
        rolesOf: (check) => this.#rolesOf(check, direction),
      });
    this.#doors = { forward: door('forward'), backward: door('backward') };
  }

  /** From now on, checks of agents with other fragments are ignored. */
  expect(ufrags: PeerUfrags): void {
    this.#expected = ufrags;
  }

  receive(packet: Buffer, from: RelayAddress, direction: Direction): Forward | null {
    const arrival = this.#doors[direction].receive(packet, from);
    if (arrival === null || !hasSomewhere(arrival)) return null;
    const { seat } = peerOf(arrival.from.seat.agent);
    return () => passOn(arrival, seat, this.#agents, this.context.nowUs());
  }

  sweep(): void {
    this.#agents.sweep(this.context.nowUs());
  }

  /** `from` and `to` are swapped between the checks of the two peers, but the key is the same. */
  #rolesOf({ from, to }: Check, direction: Direction): Roles | null {
    const isOfferer = direction === 'forward';
    const [a, b] = isOfferer ? [from, to] : [to, from];
    const isExpected =
      this.#expected === null || (this.#expected.a.includes(a) && this.#expected.b.includes(b));
    return isExpected ? { key: `${a} ${b}`, isOfferer } : null;
  }
}

/** After a peer has been silent for this long, another address or port may become the peer. */
const FORGET_PEER_US = 5e6;

interface Seen {
  address: string;
  port: number;
  heardUs: number;
}

/** Peers with any protocol, identified by their addresses. */
export class AddressPeers implements Peers {
  /** For each direction, the address to which its packets are sent. */
  readonly #targets: Record<Direction, Seen | null> = { forward: null, backward: null };
  readonly #areNamed: boolean;

  constructor(
    private readonly context: PeersContext,
    named: { a: RelayAddress; b: RelayAddress } | null,
  ) {
    this.#areNamed = named !== null;
    if (named !== null)
      this.#targets = { forward: { ...named.b, heardUs: 0 }, backward: { ...named.a, heardUs: 0 } };
  }

  receive(packet: Buffer, { address, port }: RelayAddress, direction: Direction): Forward | null {
    const nowUs = this.context.nowUs();
    const seat = opposite[direction];
    const peer = this.#targets[seat];
    const isPeer = peer?.address === address && peer.port === port;
    const isFree = !this.#areNamed && (peer === null || nowUs - peer.heardUs > FORGET_PEER_US);
    if (!isPeer && !isFree) return null;
    this.#targets[seat] = { address, port, heardUs: nowUs };
    return () => this.#send(packet, direction);
  }

  sweep(): void {
    // Nothing to forget: only the addresses of the two peers are kept.
  }

  #send(packet: Buffer, direction: Direction): boolean {
    const target = this.#targets[direction];
    if (target === null) return false;
    this.context.sends[direction](packet, target.port, target.address);
    return true;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);

/** Whether only programs on this machine can reach a socket that is bound to this IPv4 address. */
export const isLoopback = (address: string): boolean => loopback.check(address);
