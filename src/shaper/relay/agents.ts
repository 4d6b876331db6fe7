/**
 * The two ICE agents of each connection through a relay. Agents are identified by their connectivity checks:
 * `USERNAME` contains both username fragments, so the two agents of a connection can be matched wherever their
 * packets come from. A connection gets a number only once one of its checks has been answered.
 */
import { CONSENT_US, type Endpoint } from './endpoint.js';
import type { Direction } from '../../core/direction.js';
import { Seat } from './seat.js';
import type { Check } from './stun.js';

/** The maximum number of connections without an answered check, and also of connections with an answered check. */
const MAX_FLOWS = 1024;

/** One side of a connection. */
export interface Agent {
  readonly ufrag: string;
  readonly flow: Flow;
  /** The direction of its packets. */
  readonly direction: Direction;
  /** The addresses of the agent (seat.ts), if it sends to the relay's own socket. */
  readonly seat: AgentSeat;
}

export type AgentSeat = Seat<Agent>;
export type AgentEndpoint = Endpoint<AgentSeat>;

/** A connection. */
export interface Flow {
  /** A key that is the same for both agents of a connection. */
  readonly key: string;
  /** The number of the connection, starting at 1; 0 until one of the connection's checks has been answered. */
  number: number;
  readonly offerer: Agent;
  readonly answerer: Agent;
  /** When the latest check of the connection arrived. */
  heardUs: number;
}

/** What a check reveals about its connection. */
export interface Roles {
  key: string;
  /** Whether the agent that sent the check is treated as the offerer. */
  isOfferer: boolean;
}

export const peerOf = (agent: Agent): Agent =>
  agent === agent.flow.offerer ? agent.flow.answerer : agent.flow.offerer;

export interface AgentsOptions {
  nowUs(): number;
  /** Called when a check of a connection has been answered for the first time. */
  onFlow(flow: Flow): void;
  /** Called when a connection is forgotten: after a long silence, or if there are too many connections. */
  onFlowEnded?(flow: Flow): void;
}

export class Agents {
  /**
   * `#beginning`: the connections without an answered check. `#confirmed`: the connections with an answered check.
   * Both are in the order of the last checks, the oldest first.
   */
  readonly #beginning = new Map<string, Flow>();
  readonly #confirmed = new Map<string, Flow>();
  #numbers = 0;

  constructor(private readonly options: AgentsOptions) {}

  /** All connections that are known. */
  *flows(): Generator<Flow> {
    yield* this.#beginning.values();
    yield* this.#confirmed.values();
  }

  /** Returns the agent that sent a connectivity check. Adds the connection if it is new. */
  of(check: Check, { key, isOfferer }: Roles): Agent {
    const flow = this.#confirmed.get(key) ?? this.#beginning.get(key) ?? newFlow(key, check, isOfferer);
    flow.heardUs = this.options.nowUs();
    this.#keep(flow);
    return flow.offerer.ufrag === check.from ? flow.offerer : flow.answerer;
  }

  /** To be called when a check of this connection has been answered. */
  confirm(flow: Flow): void {
    if (flow.number > 0 || !this.#beginning.delete(flow.key)) return;
    flow.number = ++this.#numbers;
    this.#keep(flow);
    this.options.onFlow(flow);
  }

  /** Forgets addresses that have long been silent, and connections without any address. */
  sweep(nowUs: number): void {
    for (const flow of [...this.flows()]) {
      const { offerer, answerer, heardUs } = flow;
      offerer.seat.sweep(nowUs);
      answerer.seat.sweep(nowUs);
      const isEmpty = offerer.seat.size + answerer.seat.size === 0;
      if (isEmpty && nowUs - heardUs > CONSENT_US) this.#end(flow);
    }
  }

  #keep(flow: Flow): void {
    const flows = flow.number > 0 ? this.#confirmed : this.#beginning;
    flows.delete(flow.key);
    flows.set(flow.key, flow);
    for (const oldest of flows.values()) {
      if (flows.size <= MAX_FLOWS) break;
      this.#end(oldest);
    }
  }

  #end(flow: Flow): void {
    this.#beginning.delete(flow.key);
    this.#confirmed.delete(flow.key);
    flow.offerer.seat.clear();
    flow.answerer.seat.clear();
    this.options.onFlowEnded?.(flow);
  }
}

function newFlow(key: string, { from, to }: Check, isOfferer: boolean): Flow {
  const flow = { key, number: 0, heardUs: 0 } as {
    key: string;
    number: number;
    heardUs: number;
    offerer: Agent;
    answerer: Agent;
  };
  flow.offerer = newAgent(isOfferer ? from : to, flow, 'forward');
  flow.answerer = newAgent(isOfferer ? to : from, flow, 'backward');
  return flow;
}

function newAgent(ufrag: string, flow: Flow, direction: Direction): Agent {
  const agent = { ufrag, flow, direction } as {
    ufrag: string;
    flow: Flow;
    direction: Direction;
    seat: AgentSeat;
  };
  agent.seat = new Seat<Agent>(agent);
  return agent;
}
