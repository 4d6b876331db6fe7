/**
 * Far sides of connections that are no page under test, as a selective forwarding unit is: they cannot
 * send to the relay by themselves, so it reaches them at the candidates that a page was told. Each
 * address that a page sends from has a socket of its own there, as behind a NAT.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';

import type { RelayAddress } from '../../scenario/server_protocol.js';
import type { Agent, Endpoint } from './agents.js';
import { closeSocket } from './udp.js';

/** A page under test says so of itself within this time after its peer was told its candidates. */
const CLAIM_US = 300e3;
/** What has not answered for this long is looked for at all its candidates again. */
const SILENT_US = 3e6;
const MAX_CANDIDATES = 16;

interface Candidates {
  addedUs: number;
  addresses: Map<string, RelayAddress>;
}

type Receive = (packet: Buffer, endpoint: Endpoint) => void;

/** The way from one address of a page to a far side. */
class Upstream {
  readonly #socket: Socket;
  readonly #endpoints = new Map<string, Endpoint>();
  #last: Endpoint | null = null;

  constructor(
    private readonly agent: Agent,
    private readonly candidates: Candidates,
    private readonly nowUs: () => number,
    receive: Receive,
  ) {
    this.#socket = createSocket({ type: 'udp4', lookup: (host, _options, done) => done(null, host, 4) });
    this.#socket.on('message', (packet, { address, port }) => {
      this.#last = this.#endpointOf(address, port);
      this.#last.lastUs = nowUs();
      receive(packet, this.#last);
    });
    // A far side that cannot be reached does not answer: that is all there is to know.
    this.#socket.on('error', () => undefined);
  }

  send(packet: Buffer, { isCheck }: { isCheck: boolean }): boolean {
    const isThere = this.#last !== null && this.nowUs() - this.#last.lastUs < SILENT_US;
    const targets =
      this.#last !== null && (isThere || !isCheck) ? [this.#last] : this.candidates.addresses.values();
    let sent = false;
    for (const { address, port } of targets) {
      this.#socket.send(packet, port, address, () => undefined);
      sent = true;
    }
    return sent;
  }

  close(): Promise<void> {
    return closeSocket(this.#socket);
  }

  #endpointOf(address: string, port: number): Endpoint {
    const key = `${address}:${port}`;
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const endpoint = { socket: this.#socket, address, port, agent: this.agent, lastUs: -Infinity };
    this.#endpoints.set(key, endpoint);
    return endpoint;
  }
}

export class FarSides {
  readonly #candidates = new Map<string, Candidates>();
  /** User name fragments of pages under test. */
  readonly #local = new Set<string>();
  readonly #upstreams = new Map<Endpoint, Map<Agent, Upstream>>();
  #closed = false;

  constructor(
    private readonly nowUs: () => number,
    private readonly receive: Receive,
  ) {}

  claim(ufrag: string): void {
    this.#local.add(ufrag);
  }

  /** Addresses that are no IPv4 addresses are left out. */
  add(ufrag: string, candidates: readonly RelayAddress[]): void {
    const known = this.#candidates.get(ufrag) ?? { addedUs: this.nowUs(), addresses: new Map() };
    this.#candidates.set(ufrag, known);
    for (const { address, port } of candidates) {
      if (isIPv4(address) && known.addresses.size < MAX_CANDIDATES)
        known.addresses.set(`${address}:${port}`, { address, port });
    }
  }

  /** The way to this agent for what comes from this address; null if it is a page under test, or nothing is known of it. */
  of(agent: Agent, from: Endpoint): Upstream | null {
    if (this.#closed || this.#local.has(agent.ufrag)) return null;
    const candidates = this.#candidates.get(agent.ufrag);
    if (candidates === undefined || this.nowUs() - candidates.addedUs < CLAIM_US) return null;
    const ofPage = this.#upstreams.get(from) ?? new Map<Agent, Upstream>();
    this.#upstreams.set(from, ofPage);
    const upstream = ofPage.get(agent) ?? new Upstream(agent, candidates, this.nowUs, this.receive);
    ofPage.set(agent, upstream);
    return upstream;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#upstreams.values()].flatMap((ofPage) => [...ofPage.values()]);
    await Promise.all(all.map((upstream) => upstream.close()));
  }
}
