/**
 * One socket of a relay, which passes on only the packets of ICE agents. The relay does not know the agents'
 * passwords. It identifies the agents by the answers that they give each other:
 * - An address is unknown until it has sent a connectivity check with both username fragments, a message integrity
 *   and a correct fingerprint (RFC 8445, 7.2.2; RFC 8489, 14.7). The address is then provisional: the relay sends it
 *   only the other agent's checks and answers, and no more bytes than it has sent (factor 1; RFC 9000, 8.1 allows 3).
 *   So nobody can use the relay to flood a third party.
 * - An answer counts only once, only within 39.5 s, and only from exactly the address and port to which the check was
 *   sent (RFC 8445, 7.2.5.2.1; RFC 8489, 6.2.1 and 6.3.1). The answer is passed on to the address that sent the
 *   check.
 * - A success answer shows that the check was authentic, since the answering agent has verified the check's
 *   integrity. The address that sent the check is then confirmed. It becomes the agent's current address if the agent
 *   had none, if the check nominated its pair (RFC 8445, 8.1.1), or if the current address has been silent for 3 s.
 *   Data are accepted only from confirmed addresses, and from addresses that signalling announced and that have
 *   answered a check. An address from which data are accepted becomes the agent's current address, too.
 * - Data go to the current address of the receiving agent. An agent may send data as soon as its own check
 *   has been answered, even if no check from the receiving agent has been answered yet. Until an address of
 *   the receiving agent is confirmed, such data go to the address that answered.
 * - A proof lasts 30 s after the last answer (RFC 7675, 5.1). An address that has proved nothing is forgotten after a
 *   silence of 10 s.
 *
 * An attacker may see a check on the wire and replay it. The relay refuses the replay as long as it remembers the
 * transaction; it remembers the last 256 transactions of each address. Two attackers, one on each side, may have seen
 * both fragments. If they send their checks before the agents do, the relay mistakes the attackers for the agents.
 * Protection against attackers who can read all packets is out of scope.
 */
import { peerOf, type Agent, type Agents, type Roles, type AgentEndpoint, type AgentSeat } from './agents.js';
import type { Answered, Send } from './endpoint.js';
import { checkOf, isProtected, parseStun, type Check, type StunMessage } from './stun.js';

/** The maximum number of connections on one address. An ICE restart adds a connection on the same address. */
const MAX_PER_ADDRESS = 16;

/** A packet that is to be passed on. */
export interface Arrival {
  packet: Buffer;
  from: AgentEndpoint;
  /**
   * The kind of packet, which determines where it goes:
   * - A check goes to the other agent's current address. If that address is missing, not proved or silent, the check
   *   goes to all addresses that the agent may have.
   * - An answer goes to the address that sent the check.
   * - Data go to the other agent's current address or, if that is missing or not proved, to the address that answered
   *   last.
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

/**
 * Returns the check in a packet. Returns null if the packet is not a check, if it has no message integrity or
 * no correct fingerprint, or if both of its username fragments are the same.
 */
export function protectedCheck(packet: Buffer, stun: StunMessage | null): Check | null {
  const check = stun && checkOf(stun);
  return check && check.from !== check.to && isProtected(packet) ? check : null;
}

export const checkArrival = (packet: Buffer, from: AgentEndpoint, stun: StunMessage): Arrival => ({
  packet,
  from,
  what: { kind: 'check', transactionId: stun.transactionId, nominates: stun.useCandidate },
});

/** Processes a packet in which protectedCheck found no check; null if the packet must not be passed on. */
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
  /** Keyed by address and port; each connection that uses the address has its own endpoint. */
  readonly #endpoints = new Map<string, AgentEndpoint[]>();

  constructor(private readonly options: IceDoorOptions) {}

  /** How many addresses are known. */
  get size(): number {
    return this.#endpoints.size;
  }

  /**
   * Processes a received packet. Returns null if the packet must not be passed on, such as a packet from a stranger.
   */
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
 * Sends a packet that came out of a path to the other agent; `seat` holds that agent's addresses. Returns false if
 * the packet was not sent.
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

/**
 * Whether a packet has a destination. A check has none while no address of the other agent is known. Such a check
 * must not use capacity of the link.
 */
export const hasSomewhere = ({ from, what }: Arrival): boolean =>
  what.kind !== 'check' || peerOf(from.seat.agent).seat.size > 0;
