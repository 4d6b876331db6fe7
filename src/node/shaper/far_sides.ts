/**
 * Far sides of connections that are no page under test, as a selective forwarding unit is: they cannot
 * send to the relay by themselves, so it reaches them at the candidates that a page was told. Each
 * address that a page sends from has a socket of its own there, as behind a NAT. It follows the far side
 * by the rules of ice_door.ts: to an address that answers a check, or whose own check the page answers.
 * A socket ends with the address of the page, or when nothing has passed it for 30 s.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';

import type { RelayAddress } from '../../scenario/server_protocol.js';
import { peerOf, type Agent } from './agents.js';
import { CONSENT_US, type Endpoint, type Send } from './endpoint.js';
import { checkArrival, otherArrival, protectedCheck, type Arrival } from './ice_door.js';
import { Seat } from './seat.js';
import { parseStun } from './stun.js';
import { closeSocket } from './udp.js';

/** A page under test says so of itself within this time after its peer was told its candidates. */
const CLAIM_US = 300e3;
const MAX_CANDIDATES = 16;
/** How many user name fragments are remembered; the one that was told first goes first. */
const MAX_UFRAGS = 1024;
/** How many sockets are open at most; the one that has been idle for longest goes first. */
const MAX_UPSTREAMS = 64;

interface Candidates {
  addedUs: number;
  addresses: Map<string, RelayAddress>;
}

type Receive = (arrival: Arrival) => void;

/** Removes the oldest entries of a map that has more than it may have. */
function bound(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}

/** The way from one address of a page to a far side. */
class Upstream {
  readonly #seat: Seat;
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
    this.#socket.on('message', (packet, { address, port }) => this.#receive(packet, address, port));
    // A far side that cannot be reached does not answer: that is all there is to know.
    this.#socket.on('error', () => undefined);
  }

  get usedUs(): number {
    return this.#usedUs;
  }

  /** Where the far side is, or may be. */
  seat(): Seat {
    this.#usedUs = this.nowUs();
    for (const { address, port } of this.candidates.addresses.values())
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
  readonly #candidates = new Map<string, Candidates>();
  /** User name fragments of pages under test. */
  readonly #local = new Map<string, true>();
  readonly #upstreams = new Map<Endpoint, Upstream>();
  #closed = false;

  constructor(
    private readonly nowUs: () => number,
    private readonly receive: Receive,
  ) {}

  /** How many sockets are open, and how many user name fragments are known. */
  get size(): { sockets: number; ufrags: number } {
    return { sockets: this.#upstreams.size, ufrags: this.#local.size + this.#candidates.size };
  }

  claim(ufrag: string): void {
    this.#local.set(ufrag, true);
    bound(this.#local, MAX_UFRAGS);
  }

  /** Addresses that are no IPv4 addresses are left out. */
  add(ufrag: string, candidates: readonly RelayAddress[]): void {
    const known = this.#candidates.get(ufrag) ?? { addedUs: this.nowUs(), addresses: new Map() };
    this.#candidates.set(ufrag, known);
    bound(this.#candidates, MAX_UFRAGS);
    for (const { address, port } of candidates) {
      if (isIPv4(address) && known.addresses.size < MAX_CANDIDATES)
        known.addresses.set(`${address}:${port}`, { address, port });
    }
  }

  /** Whether an agent is reached this way, by a page under test. */
  has(agent: Agent): boolean {
    return (
      this.#candidates.has(agent.ufrag) &&
      !this.#local.has(agent.ufrag) &&
      this.#local.has(peerOf(agent).ufrag)
    );
  }

  /** Where this agent is, for what comes from this address; null if it sends to the relay by itself, or nothing is known of it. */
  of(agent: Agent, from: Endpoint): Seat | null {
    const candidates = this.#candidates.get(agent.ufrag);
    if (this.#closed || candidates === undefined || !this.has(agent) || from.isEnded) return null;
    if (this.nowUs() - candidates.addedUs < CLAIM_US) return null;
    const upstream = this.#upstreams.get(from) ?? new Upstream(agent, candidates, this.nowUs, this.receive);
    this.#upstreams.set(from, upstream);
    this.#boundUpstreams();
    return upstream.seat();
  }

  /** An address of a page is known no more. */
  leave(page: Endpoint): void {
    const upstream = this.#upstreams.get(page);
    this.#upstreams.delete(page);
    void upstream?.close();
  }

  /** A connection is over, and with it what was known of its agents. */
  forget(ufrag: string): void {
    this.#local.delete(ufrag);
    this.#candidates.delete(ufrag);
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
