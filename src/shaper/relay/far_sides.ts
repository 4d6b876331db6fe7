/**
 * Far sides: remote ICE agents that are not pages under test, such as a selective forwarding unit (SFU). The relay
 * sends to the candidates that a page received through signalling. Servers distinguish their clients by address and
 * port. So each address that a page sends from gets its own socket towards the far side, as behind a NAT. A far side
 * may change its address by the rules of ice_door.ts: the new address answers a check, or the page answers a check
 * from the new address. A socket is closed when the page's address is forgotten, or after 30 s without a packet.
 *
 * Pages announce the relay's address as their own. Packets that a far side sends directly to the relay's address are
 * refused, so that all packets of the far side use the sockets above. A far side without an IPv4 candidate is an
 * exception, for example a browser that hides its addresses behind `.local` names. Its packets are accepted from any
 * address.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';

import type { RemoteSide } from '../../inject/protocol.js';
import type { RelayAddress } from '../../link/server_protocol.js';
import { peerOf, type Agent, type AgentEndpoint, type AgentSeat } from './agents.js';
import { CONSENT_US, type Send } from './endpoint.js';
import { checkArrival, otherArrival, protectedCheck, type Arrival } from './ice_door.js';
import { Seat } from './seat.js';
import { parseStun } from './stun.js';
import { closeSocket, isPort, onPacket } from '../udp.js';

const MAX_CANDIDATES = 16;
/** The maximum number of remembered username fragments; the oldest is dropped first. */
const MAX_UFRAGS = 1024;
/** The maximum number of open sockets; the one that has been idle for longest is closed first. */
const MAX_UPSTREAMS = 64;

/** Addresses, keyed by their text `address:port`. */
type Candidates = Map<string, RelayAddress>;

type Receive = (arrival: Arrival) => void;

/** Removes the oldest entries of a map that exceeds its limit. */
function bound(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}

/** The connection from one address of a page to a far side. */
class Upstream {
  readonly #seat: AgentSeat;
  readonly #socket: Socket;
  #usedUs: number;

  constructor(
    private readonly agent: Agent,
    private readonly candidates: Candidates,
    private readonly nowUs: () => number,
    private readonly receive: Receive,
  ) {
    this.#seat = new Seat(agent);
    this.#usedUs = nowUs();
    this.#socket = createSocket({ type: 'udp4', lookup: (host, _options, done) => done(null, host, 4) });
    onPacket(this.#socket, (packet, { address, port }) => this.#receive(packet, address, port));
    // A far side that cannot be reached sends no answers, so the error itself can be ignored.
    this.#socket.on('error', () => undefined);
  }

  get usedUs(): number {
    return this.#usedUs;
  }

  /** The addresses at which the far side is or may be. */
  seat(): AgentSeat {
    this.#usedUs = this.nowUs();
    for (const { address, port } of this.candidates.values())
      this.#seat.admit({ address, port, send: this.#send, isSignalled: true }, this.#usedUs);
    return this.#seat;
  }

  sweep(nowUs: number): void {
    this.#seat.sweep(nowUs);
  }

  close(): Promise<void> {
    this.#seat.clear();
    return closeSocket(this.#socket);
  }

  readonly #send: Send = (packet, port, address) => this.#socket.send(packet, port, address, () => undefined);

  #receive(packet: Buffer, address: string, port: number): void {
    const nowUs = this.nowUs();
    const arrival = this.#arrival(packet, { address, port }, nowUs);
    if (arrival === null) return;
    this.#usedUs = nowUs;
    this.receive(arrival);
  }

  #arrival(packet: Buffer, at: RelayAddress, nowUs: number): Arrival | null {
    const stun = parseStun(packet);
    const check = protectedCheck(packet, stun);
    const known = this.#seat.at(at.address, at.port);
    if (stun === null || check === null) return otherArrival(packet, stun, known ? [known] : [], nowUs);
    if (check.from !== this.agent.ufrag || check.to !== peerOf(this.agent).ufrag) return null;
    const from = known ?? this.#seat.admit({ ...at, send: this.#send, isSignalled: false }, nowUs);
    from?.heard(packet.length, nowUs);
    return from?.mayCheck(nowUs) ? checkArrival(packet, from, stun) : null;
  }
}

export class FarSides {
  readonly #told = new Map<string, Candidates>();
  /** Username fragments (ICE ufrags) of pages under test, with the page of each. */
  readonly #local = new Map<string, number>();
  readonly #upstreams = new Map<AgentEndpoint, Upstream>();
  #closed = false;

  constructor(
    private readonly nowUs: () => number,
    private readonly receive: Receive,
  ) {}

  /** How many sockets are open, and how many username fragments are known. */
  get size(): { sockets: number; ufrags: number } {
    return { sockets: this.#upstreams.size, ufrags: this.#local.size + this.#told.size };
  }

  claim(ufrag: string, page: number): void {
    this.#local.set(ufrag, page);
    bound(this.#local, MAX_UFRAGS);
  }

  /** The page under test that the fragment belongs to; null if unknown. */
  ownerOf(ufrag: string): number | null {
    return this.#local.get(ufrag) ?? null;
  }

  /** Adds candidates of a far side. Addresses other than IPv4, and ports to which nothing can be sent, are ignored. */
  add({ ufrag, candidates }: RemoteSide): void {
    const known = this.#told.get(ufrag) ?? new Map<string, RelayAddress>();
    this.#told.set(ufrag, known);
    bound(this.#told, MAX_UFRAGS);
    for (const { address, port } of candidates) {
      if (isIPv4(address) && isPort(port) && known.size < MAX_CANDIDATES)
        known.set(`${address}:${port}`, { address, port });
    }
  }

  /**
   * Takes the fragments of two agents, and returns:
   * - The fragment of the page, if one agent is a page under test and the other agent is a far side.
   * - Null, if both agents are pages.
   * - Undefined, if neither agent is a known page, or if the agent that is not a page was not announced as a far
   *   side. A check may arrive before that announcement; agents repeat their checks.
   */
  pageOf(one: string, other: string): string | null | undefined {
    if (this.#local.has(one) === this.#local.has(other)) return this.#local.has(one) ? null : undefined;
    const [page, far] = this.#local.has(one) ? [one, other] : [other, one];
    return this.#told.has(far) ? page : undefined;
  }

  /**
   * Whether an agent is a far side that is reached at its candidates. If so, its packets are refused at the relay's
   * own socket. The result is false for an agent that proved itself at that socket before its candidates were known.
   */
  has(agent: Agent): boolean {
    const { ufrag } = peerOf(agent);
    const isFar = this.pageOf(agent.ufrag, ufrag) === ufrag;
    return isFar && (this.#told.get(agent.ufrag)?.size ?? 0) > 0 && !agent.seat.isProved(this.nowUs());
  }

  /**
   * Returns the far side's addresses for packets that the page sends from `from`. Returns null if the agent is
   * unknown, or if it sends to the relay's own socket.
   */
  of(agent: Agent, from: AgentEndpoint): AgentSeat | null {
    const candidates = this.#told.get(agent.ufrag);
    if (this.#closed || candidates === undefined || !this.has(agent) || from.isEnded) return null;
    const upstream = this.#upstreams.get(from) ?? new Upstream(agent, candidates, this.nowUs, this.receive);
    this.#upstreams.set(from, upstream);
    this.#boundUpstreams();
    return upstream.seat();
  }

  /** To be called when an address of a page is forgotten: closes the socket of that address. */
  leave(page: AgentEndpoint): void {
    const upstream = this.#upstreams.get(page);
    this.#upstreams.delete(page);
    void upstream?.close();
  }

  /** Forgets an agent whose connections have ended. */
  forget(ufrag: string): void {
    this.#local.delete(ufrag);
    this.#told.delete(ufrag);
  }

  sweep(nowUs: number): void {
    for (const [page, upstream] of [...this.#upstreams]) {
      upstream.sweep(nowUs);
      if (nowUs - upstream.usedUs > CONSENT_US) this.leave(page);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#upstreams.values()];
    this.#upstreams.clear();
    await Promise.all(all.map((upstream) => upstream.close()));
  }

  #boundUpstreams(): void {
    if (this.#upstreams.size <= MAX_UPSTREAMS) return;
    const [idlest] = [...this.#upstreams].sort(([, a], [, b]) => a.usedUs - b.usedUs);
    if (idlest !== undefined) this.leave(idlest[0]);
  }
}
