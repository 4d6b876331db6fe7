/**
 * One socket of a relay, which only passes on the packets of ICE agents. The relay knows no passwords; it
 * identifies the agents by the answers that they give each other:
 * - An address is unknown until a connectivity check came from it with both user name fragments, a message
 *   integrity and a correct fingerprint (RFC 8445, 7.2.2; RFC 8489, 14.7). It is then provisional: only
 *   checks of the other agent are tried there, and no more bytes than came from it (factor 1; RFC 9000, 8.1
 *   allows 3), so that nobody can be flooded with the help of a relay.
 * - An answer counts if it comes from exactly the address and port that a check with its transaction was sent
 *   to, within 39.5 s, once (RFC 8445, 7.2.5.2.1; RFC 8489, 6.2.1 and 6.3.1). It goes to the address that
 *   asked.
 * - A check that the other agent answered with success was authentic, since that agent has verified its
 *   integrity. With the answer, the address that asked is confirmed: it takes the seat if the seat is free,
 *   if it nominated (RFC 8445, 8.1.1), or if the seat's address was silent for 3 s. Data are accepted only
 *   from confirmed addresses, and from addresses that signalling announced and that have answered a check.
 * - Data go to the seat. An agent may send data as soon as its own check was answered, even if no check of
 *   the other agent was answered yet: until an address of the other agent is confirmed, such data go to the
 *   address that answered.
 * - All of this ends 30 s after the last answer (RFC 7675, 5.1); for an address that proved nothing, after 10
 *   s.
 *
 * A check that an attacker saw on the wire and replays is refused as long as its transaction is remembered;
 * these are the last 256 of each address. Two attackers, one on each side, who have seen both fragments and
 * come before the agents are taken for the agents; protection against attackers who read all packets on the
 * way is out of scope.
 */
import { peerOf, type Agent, type Agents, type Roles, type AgentEndpoint, type AgentSeat } from './agents.js';
import type { Answered, Send } from './endpoint.js';
import { checkOf, isProtected, parseStun, type Check, type StunMessage } from './stun.js';

/** How many connections may use one address: after an ICE restart the address stays the same. */
const MAX_PER_ADDRESS = 16;

/** A packet that is to be passed on. */
export interface Arrival {
  packet: Buffer;
  from: AgentEndpoint;
  /**
   * A check goes to the other agent's present address or, if there is none, to all addresses where it may be;
   * an answer goes to the address that sent the check; data go to the other agent's present address.
   */
  what:
    | { kind: 'check'; transactionId: string; nominates: boolean }
    | { kind: 'answer'; answered: Answered<AgentSeat>; isSuccess: boolean }
    | { kind: 'data' };
}

export interface IceDoorOptions {
  agents: Agents;
  nowUs(): number;
  send: Send;
  /** What a check reveals about its connection; null if the check is not expected. */
  rolesOf(check: Check, stun: StunMessage): Roles | null;
  /** Whether an agent is reached through another socket, so that nothing is accepted from it here. */
  isRefused?(agent: Agent): boolean;
  /** Called when an address is forgotten. */
  onEnded?(endpoint: AgentEndpoint): void;
}

/** Whether a STUN message is an answer (success or error). */
const isAnswer = ({ class: kind }: StunMessage): boolean => kind === 'success' || kind === 'error';

/** The check that an ICE agent sent; null if it is not one, or lacks what every agent's check has. */
export function protectedCheck(packet: Buffer, stun: StunMessage | null): Check | null {
  const check = stun && checkOf(stun);
  return check && check.from !== check.to && isProtected(packet) ? check : null;
}

export const checkArrival = (packet: Buffer, from: AgentEndpoint, stun: StunMessage): Arrival => ({
  packet,
  from,
  what: { kind: 'check', transactionId: stun.transactionId, nominates: stun.useCandidate },
});

/** A packet other than a check; null if it must not be passed on. */
export function otherArrival(
  packet: Buffer,
  stun: StunMessage | null,
  endpoints: readonly AgentEndpoint[],
  nowUs: number,
): Arrival | null {
  if (stun !== null && isAnswer(stun)) {
    for (const from of endpoints) {
      const answered = from.answer(stun.transactionId, nowUs);
      if (answered === null) continue;
      from.heard(packet.length, nowUs);
      const isSuccess = stun.class === 'success';
      if (isSuccess) from.seat.answered(from, nowUs);
      return { packet, from, what: { kind: 'answer', answered, isSuccess } };
    }
    return null;
  }
  if (stun?.class === 'request') return null;
  let from: AgentEndpoint | null = null;
  for (const endpoint of endpoints) {
    const isLater = from === null || endpoint.confirmedSinceUs >= from.confirmedSinceUs;
    if (endpoint.mayTalk(nowUs) && isLater) from = endpoint;
  }
  if (from === null) return null;
  from.heard(packet.length, nowUs);
  from.seat.chosen(from);
  return { packet, from, what: { kind: 'data' } };
}

export class IceDoor {
  /** By address and port: one endpoint for each connection that uses the address. */
  readonly #endpoints = new Map<string, AgentEndpoint[]>();

  constructor(private readonly options: IceDoorOptions) {}

  /** How many addresses are known. */
  get size(): number {
    return this.#endpoints.size;
  }

  /** Takes a packet that came in; returns null if it must not be passed on, such as a stranger's. */
  receive(packet: Buffer, { address, port }: { address: string; port: number }): Arrival | null {
    const nowUs = this.options.nowUs();
    const key = `${address}:${port}`;
    const stun = parseStun(packet);
    const check = protectedCheck(packet, stun);
    if (stun === null || check === null)
      return otherArrival(packet, stun, this.#endpoints.get(key) ?? [], nowUs);
    const roles = this.options.rolesOf(check, stun);
    if (roles === null) return null;
    const agent = this.options.agents.of(check, roles);
    if (this.options.isRefused?.(agent)) return null;
    const { seat } = agent;
    const from = seat.at(address, port) ?? this.#admit(seat, key, { address, port }, nowUs);
    if (from === null) return null;
    from.heard(packet.length, nowUs);
    return from.mayCheck(nowUs) ? checkArrival(packet, from, stun) : null;
  }

  #admit(
    seat: AgentSeat,
    key: string,
    at: { address: string; port: number },
    nowUs: number,
  ): AgentEndpoint | null {
    const ended = (endpoint: AgentEndpoint): void => {
      this.#forget(endpoint);
      this.options.onEnded?.(endpoint);
    };
    const { send } = this.options;
    const endpoint = seat.admit({ ...at, send, isSignalled: false, ended }, nowUs);
    if (endpoint === null) return null;
    const [oldest, ...others] = this.#endpoints.get(key) ?? [];
    if (oldest !== undefined && others.length + 1 >= MAX_PER_ADDRESS) oldest.seat.forget(oldest);
    const here = this.#endpoints.get(key) ?? [];
    this.#endpoints.set(key, [...here, endpoint]);
    return endpoint;
  }

  #forget(endpoint: AgentEndpoint): void {
    const key = `${endpoint.address}:${endpoint.port}`;
    const left = this.#endpoints.get(key)?.filter((each) => each !== endpoint) ?? [];
    if (left.length > 0) this.#endpoints.set(key, left);
    else this.#endpoints.delete(key);
  }
}

/**
 * Sends a packet that came out of a path to the other agent, whose seat is `seat`; false if no address of
 * that agent is known.
 */
export function passOn(
  { packet, from, what }: Arrival,
  seat: AgentSeat,
  agents: Agents,
  nowUs: number,
): boolean {
  switch (what.kind) {
    case 'check': {
      const check = { bytes: packet.length, nominates: what.nominates };
      let sent = false;
      for (const target of seat.forCheck(nowUs))
        if (target.ask(what.transactionId, from, check, nowUs)) sent = target.send(packet, nowUs) || sent;
      return sent;
    }
    case 'answer': {
      const { asker, nominates } = what.answered;
      if (asker.isEnded || !asker.send(packet, nowUs)) return false;
      if (!what.isSuccess) return true;
      asker.seat.confirm(asker, { nominates }, nowUs);
      agents.confirm(asker.seat.agent.flow);
      return true;
    }
    case 'data':
      return seat.forData(nowUs)?.send(packet, nowUs) ?? false;
  }
}

/** Whether any address for the other agent is known: a check without a destination takes no room on the link. */
export const hasSomewhere = ({ from, what }: Arrival): boolean =>
  what.kind !== 'check' || peerOf(from.seat.agent).seat.size > 0;
