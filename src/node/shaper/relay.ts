/**
 * The relay of calls under test: one UDP socket that the pages of a test take for the address of
 * every peer. Packets of all connections share one path; each connection is a flow of it.
 */
import type { RemoteInfo, Socket } from 'node:dgram';

import type { RelayAddress } from '../../scenario/server_protocol.js';
import { Agents, heard, peerOf, type Agent, type Endpoint, type Flow } from './agents.js';
import { FarSides } from './far_sides.js';
import type { Path } from './path.js';
import { checkOf, parseStun, type StunMessage } from './stun.js';
import { closeSocket, HEADER_BYTES } from './udp.js';

/** So many connectivity checks may wait for their answer. */
const MAX_CHECKS = 4096;

/** A packet on its way to an agent. */
export interface RelayedPacket {
  packet: Buffer;
  from: Endpoint;
  to: Agent;
  /** Where it goes, if not to where the agent is reached then: an answer goes to who asked. */
  endpoint: Endpoint | null;
  /** A check may be tried at each address of a far side. */
  isCheck: boolean;
}

/** Where packets go into. */
export type RelayTarget = Pick<Path<RelayedPacket>, 'offer'>;

export interface RelayOptions {
  socket: Socket;
  nowUs(): number;
  onFlow(flow: Flow): void;
  /** A socket failed. */
  onError(error: Error): void;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #agents: Agents;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Who asked, by transaction. */
  readonly #checks = new Map<string, Endpoint>();
  readonly #farSides: FarSides;
  #path: RelayTarget | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#agents = new Agents((flow) => options.onFlow(flow));
    this.#farSides = new FarSides(options.nowUs, (packet, endpoint) => this.#receive(packet, endpoint));
    options.socket.on('message', (packet, from) => this.#receiveFromPage(packet, from));
    options.socket.on('error', (error) => options.onError(error));
  }

  /** Packets before that are lost. */
  attach(path: RelayTarget): void {
    this.#path = path;
  }

  /** This user name fragment belongs to a page under test. */
  local(ufrag: string): void {
    this.#farSides.claim(ufrag);
  }

  /** Candidates of a far side that may be no page under test. */
  remote(ufrag: string, candidates: readonly RelayAddress[]): void {
    this.#farSides.add(ufrag, candidates);
  }

  /** Sends what came out of the path; false if nobody is there. */
  deliver({ packet, from, to, endpoint, isCheck }: RelayedPacket): boolean {
    const target = endpoint ?? to.active;
    const far = this.#farSides.of(to, from);
    if (far !== null && endpoint === null) return far.send(packet, { isCheck });
    if (target === null) return false;
    // A page that is gone is no failure of the relay.
    target.socket.send(packet, target.port, target.address, () => undefined);
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([closeSocket(this.#options.socket), this.#farSides.close()]);
  }

  #receiveFromPage(packet: Buffer, { address, port }: RemoteInfo): void {
    const stun = parseStun(packet);
    const check = stun && checkOf(stun);
    const key = `${address}:${port}`;
    let endpoint = this.#endpoints.get(key);
    if (stun && check) {
      const agent = this.#agents.of(check, stun);
      this.#farSides.claim(check.from);
      if (endpoint === undefined) {
        endpoint = { socket: this.#options.socket, address, port, agent, lastUs: -Infinity };
        this.#endpoints.set(key, endpoint);
      }
      endpoint.agent = agent;
    }
    // Otherwise it is a stranger: nobody that has begun with a check.
    if (endpoint !== undefined) this.#offer(packet, endpoint, stun);
  }

  #receive(packet: Buffer, endpoint: Endpoint): void {
    this.#offer(packet, endpoint, parseStun(packet));
  }

  #offer(packet: Buffer, from: Endpoint, stun: StunMessage | null): void {
    const isCheck = stun?.class === 'request';
    heard(from, this.#options.nowUs(), { chosen: stun === null || stun.useCandidate });
    if (isCheck) this.#remember(stun.transactionId, from);
    const { agent } = from;
    this.#path?.offer(
      agent.direction,
      { packet, from, to: peerOf(agent), endpoint: this.#asker(stun), isCheck },
      packet.length + HEADER_BYTES,
      agent.flow.number,
    );
  }

  #remember(transactionId: string, endpoint: Endpoint): void {
    this.#checks.set(transactionId, endpoint);
    for (const oldest of this.#checks.keys()) {
      if (this.#checks.size <= MAX_CHECKS) break;
      this.#checks.delete(oldest);
    }
  }

  /** Who an answer is for. */
  #asker(stun: StunMessage | null): Endpoint | null {
    const isAnswer = stun?.class === 'success' || stun?.class === 'error';
    return (isAnswer && this.#checks.get(stun.transactionId)) || null;
  }
}
