/**
 * The relay of calls under test: one UDP socket, whose address the pages of a test use as the address of every
 * peer. The packets of all connections share one path, except those of pages that have their own path; each
 * connection is a flow. ice_door.ts decides who may use the relay, and where packets go.
 */
import type { Socket } from 'node:dgram';

import type { RemoteSide } from '../../inject/protocol.js';
import { IP_UDP_HEADER_BYTES } from '../../calls/metrics.js';
import { Agents, peerOf, type Flow, type Roles, type AgentEndpoint } from './agents.js';
import { FarSides } from './far_sides.js';
import { hasSomewhere, IceDoor, passOn, type Arrival } from './ice_door.js';
import type { PacketPath } from '../packets/packet_path.js';
import type { PathOwner } from '../thread/protocol.js';
import type { Check, StunMessage } from './stun.js';
import { closeSocket, onPacket } from '../udp.js';

/** How often the relay looks for connections that have ended. */
const SWEEP_US = 1e6;

/** The path that packets enter. */
export type RelayTarget = Pick<PacketPath<Arrival>, 'offer'>;

export interface RelayOptions {
  socket: Socket;
  nowUs(): number;
  onFlow(flow: Flow): void;
  /** Called when the socket fails. */
  onError(error: Error): void;
}

/**
 * How much a relay remembers. Each of these numbers is bounded, and falls to 0 when all calls have ended.
 * Only announced fragments that no connection has used remain.
 */
export interface RelayCensus {
  flows: number;
  addresses: number;
  /** Sockets to far sides. */
  sockets: number;
  /** Announced username fragments. */
  ufrags: number;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #agents: Agents;
  readonly #door: IceDoor;
  readonly #farSides: FarSides;
  readonly #paths = new Map<PathOwner, RelayTarget>();
  #sweptUs: number;

  constructor(options: RelayOptions) {
    const { socket, nowUs } = options;
    this.#options = options;
    this.#sweptUs = nowUs();
    this.#agents = new Agents({
      nowUs,
      onFlow: (flow) => options.onFlow(flow),
      onFlowEnded: (flow) => this.#flowEnded(flow),
    });
    this.#farSides = new FarSides(nowUs, (arrival) => this.#offer(arrival));
    this.#door = new IceDoor({
      agents: this.#agents,
      nowUs,
      // Errors are ignored: a page that has closed is not a failure of the relay.
      send: (packet, port, address) => socket.send(packet, port, address, () => undefined),
      isRefused: (agent) => this.#farSides.has(agent),
      rolesOf: (check, stun) => this.#rolesOf(check, stun),
      onEnded: (endpoint) => this.#farSides.leave(endpoint),
    });
    onPacket(socket, (packet, from) => {
      const arrival = this.#door.receive(packet, from);
      if (arrival !== null && this.#hasSomewhere(arrival)) this.#offer(arrival);
      this.sweep();
    });
    socket.on('error', (error) => options.onError(error));
  }

  /**
   * Sets the path for packets that arrive from now on: the path of a page or, if `owner` is null, the shared path.
   * Pages without their own path use the shared path.
   */
  attach(owner: PathOwner, path: RelayTarget): void {
    this.#paths.set(owner, path);
  }

  /** Announces that this username fragment belongs to a page under test. */
  local(ufrag: string, page: number): void {
    this.#farSides.claim(ufrag, page);
  }

  /** Announces the remote candidates that a page received. They may belong to an agent that is not under test. */
  remote(side: RemoteSide): void {
    this.#farSides.add(side);
  }

  /** Sends a packet that came out of a path; false if there is no recipient. */
  deliver(arrival: Arrival): boolean {
    const { from, what } = arrival;
    const to = peerOf(from.seat.agent);
    const seat = (what.kind !== 'answer' && this.#isPage(from) && this.#farSides.of(to, from)) || to.seat;
    return passOn(arrival, seat, this.#agents, this.#options.nowUs());
  }

  /**
   * Forgets connections and addresses that are no longer used, at most once a second. The relay also does
   * this while packets come in.
   */
  sweep(): void {
    const nowUs = this.#options.nowUs();
    if (nowUs - this.#sweptUs < SWEEP_US) return;
    this.#sweptUs = nowUs;
    this.#agents.sweep(this.#sweptUs);
    this.#farSides.sweep(this.#sweptUs);
  }

  census(): RelayCensus {
    return { flows: [...this.#agents.flows()].length, addresses: this.#door.size, ...this.#farSides.size };
  }

  async close(): Promise<void> {
    await Promise.all([closeSocket(this.#options.socket), this.#farSides.close()]);
  }

  /** Whether an address sends to the relay's own socket. */
  #isPage({ seat }: AgentEndpoint): boolean {
    return seat === seat.agent.seat;
  }

  #hasSomewhere(arrival: Arrival): boolean {
    return hasSomewhere(arrival) || this.#farSides.has(peerOf(arrival.from.seat.agent));
  }

  #offer(arrival: Arrival): void {
    const { agent } = arrival.from.seat;
    const bytes = arrival.packet.length + IP_UDP_HEADER_BYTES;
    const page = this.#farSides.ownerOf(agent.flow.offerer.ufrag);
    const path = this.#paths.get(page) ?? this.#paths.get(null);
    path?.offer(agent.direction, arrival, bytes, agent.flow.number);
  }

  #flowEnded({ number, offerer, answerer }: Flow): void {
    // A connection has no number if none of its checks was answered, so it may belong to a stranger. The end of such
    // a connection must not remove the announced fragments.
    if (number === 0) return;
    for (const { ufrag } of [offerer, answerer]) {
      const isUsed = [...this.#agents.flows()].some(
        (flow) => flow.number > 0 && (flow.offerer.ufrag === ufrag || flow.answerer.ufrag === ufrag),
      );
      if (!isUsed) this.#farSides.forget(ufrag);
    }
  }

  /**
   * Returns the key of a check's connection, and whether the sender of the check is the offerer. Returns null for
   * unknown agents. The key contains both fragments in a fixed order, whichever agent sent the check. The offerer is:
   * - the page, if the other agent is not under test;
   * - the page with its own path, if only one of the two pages has its own path;
   * - otherwise the controlling agent (RFC 8445, 6.1.1), according to the connection's first check.
   * In the first two cases, forward is the page's upload.
   */
  #rolesOf({ from, to }: Check, { role }: StunMessage): Roles | null {
    const page = this.#farSides.pageOf(from, to);
    if (page === undefined) return null;
    const hasOwn = [from, to].map((ufrag) => this.#paths.has(this.#farSides.ownerOf(ufrag) ?? NaN));
    const first = hasOwn[0] === hasOwn[1] ? page : hasOwn[0] ? from : to;
    const isOfferer = first === null ? role !== 'controlled' : first === from;
    return { key: from < to ? `${from} ${to}` : `${to} ${from}`, isOfferer };
  }
}
