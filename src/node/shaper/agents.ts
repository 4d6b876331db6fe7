/**
 * The two ICE agents of each connection that passes a relay. Who is who is read from their connectivity
 * checks: `USERNAME` has both user name fragments, so that two agents find each other by them, wherever
 * their packets come from.
 */
import type { Socket } from 'node:dgram';

import type { Direction } from './path.js';
import type { Check, StunMessage } from './stun.js';

/** An address of an agent that was silent for this long makes room for another one. */
const SILENT_US = 3e6;

/** Where packets of one agent come from, and how packets get there. */
export interface Endpoint {
  /** Of the relay, or the one that a far side is reached by. */
  readonly socket: Socket;
  readonly address: string;
  readonly port: number;
  /** What its packets belong to: that of its last connectivity check. */
  agent: Agent;
  /** When it was heard of last. */
  lastUs: number;
}

/** One side of a connection. */
export interface Agent {
  readonly ufrag: string;
  readonly flow: Flow;
  /** Which way its packets go. */
  readonly direction: Direction;
  /** Where it is reached. */
  active: Endpoint | null;
}

/** A connection. */
export interface Flow {
  /** From 1. */
  readonly number: number;
  readonly offerer: Agent;
  readonly answerer: Agent;
}

export const peerOf = (agent: Agent): Agent =>
  agent === agent.flow.offerer ? agent.flow.answerer : agent.flow.offerer;

/** Both fragments, whichever sent. */
const pairKey = ({ from, to }: Check): string => (from < to ? `${from} ${to}` : `${to} ${from}`);

export class Agents {
  readonly #flows = new Map<string, Flow>();

  constructor(private readonly onFlow: (flow: Flow) => void) {}

  /** Who sent a connectivity check. The controlling agent of the first one is the offerer (RFC 8445, 6.1.1). */
  of(check: Check, { role }: StunMessage): Agent {
    const key = pairKey(check);
    let flow = this.#flows.get(key);
    if (flow === undefined) {
      const offerer = role === 'controlled' ? check.to : check.from;
      flow = newFlow(this.#flows.size + 1, offerer, offerer === check.from ? check.to : check.from);
      this.#flows.set(key, flow);
      this.onFlow(flow);
    }
    return flow.offerer.ufrag === check.from ? flow.offerer : flow.answerer;
  }
}

function newFlow(number: number, offererUfrag: string, answererUfrag: string): Flow {
  const flow = { number } as { number: number; offerer: Agent; answerer: Agent };
  flow.offerer = { ufrag: offererUfrag, flow, direction: 'forward', active: null };
  flow.answerer = { ufrag: answererUfrag, flow, direction: 'back', active: null };
  return flow;
}

/**
 * An agent was heard of at this endpoint. It is reached there from now on if it sends media there or
 * nominated it, or if the endpoint before it is silent.
 */
export function heard(endpoint: Endpoint, nowUs: number, { chosen }: { chosen: boolean }): void {
  const { agent } = endpoint;
  endpoint.lastUs = nowUs;
  const { active } = agent;
  if (chosen || active === null || active.agent !== agent || nowUs - active.lastUs > SILENT_US)
    agent.active = endpoint;
}
