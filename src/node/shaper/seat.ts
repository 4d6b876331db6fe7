/** Where an ICE agent is, as one socket of a relay knows: the address that it is reached at, and those that it may be at. */
import type { Agent } from './agents.js';
import { Endpoint, type Place } from './endpoint.js';

/** An address that was silent for this long makes room for another one. */
const SILENT_US = 3e6;
/** How many addresses are known at most: more than most machines have interfaces. */
const MAX_ENDPOINTS = 32;

const keyOf = ({ address, port }: Pick<Place, 'address' | 'port'>): string => `${address}:${port}`;

export class Seat {
  readonly #endpoints = new Map<string, Endpoint>();
  /** Where the agent is reached. */
  #active: Endpoint | null = null;

  constructor(readonly agent: Agent) {}

  get size(): number {
    return this.#endpoints.size;
  }

  at(address: string, port: number): Endpoint | undefined {
    return this.#endpoints.get(keyOf({ address, port }));
  }

  /** Whether the agent has proved to be at one of the addresses. */
  isProved(nowUs: number): boolean {
    for (const endpoint of this.#endpoints.values()) if (endpoint.isProved(nowUs)) return true;
    return false;
  }

  /** The endpoint at a place, which is new if need be; null if there are too many that proved themselves. */
  admit(place: Place, nowUs: number): Endpoint | null {
    const known = this.at(place.address, place.port);
    if (known !== undefined) return known;
    if (this.#endpoints.size >= MAX_ENDPOINTS && !this.#makeRoom(nowUs)) return null;
    const endpoint = new Endpoint(this, place, nowUs);
    this.#endpoints.set(keyOf(place), endpoint);
    return endpoint;
  }

  /** The other agent has answered a check of this endpoint: it may take the seat. */
  confirm(endpoint: Endpoint, { nominates }: { nominates: boolean }, nowUs: number): void {
    endpoint.confirm(nowUs);
    const active = this.#active;
    if (nominates || active === null || !this.#isThere(active, nowUs)) this.#active = endpoint;
  }

  /** It has answered a check. Where signalling said that the agent is, that is where it is. */
  answered(endpoint: Endpoint, nowUs: number): void {
    endpoint.answered(nowUs);
    const active = this.#active;
    if (endpoint.isSignalled && (active === null || !this.#isThere(active, nowUs))) this.#active = endpoint;
  }

  /** The agent sends data from this endpoint: that is where it is. */
  chosen(endpoint: Endpoint): void {
    this.#active = endpoint;
  }

  /** Where a check goes: to where the agent is, or to all addresses at which it may be. */
  forCheck(nowUs: number): Endpoint[] {
    const active = this.#active;
    return active !== null && this.#isThere(active, nowUs) ? [active] : [...this.#endpoints.values()];
  }

  /**
   * Where data go: to where the agent is. Before a check of the agent was answered, to the address that has
   * answered the last one: what comes from the other agent says that it found the answer authentic.
   */
  forData(nowUs: number): Endpoint | null {
    if (this.#active?.isProved(nowUs)) return this.#active;
    let latest: Endpoint | null = null;
    for (const endpoint of this.#endpoints.values()) {
      const isLater = latest === null || endpoint.answeredUs > latest.answeredUs;
      if (endpoint.hasAnswered(nowUs) && isLater) latest = endpoint;
    }
    return latest;
  }

  /** Forgets addresses that were silent for long. */
  sweep(nowUs: number): void {
    for (const endpoint of [...this.#endpoints.values()]) if (endpoint.isOver(nowUs)) this.forget(endpoint);
  }

  clear(): void {
    for (const endpoint of [...this.#endpoints.values()]) this.forget(endpoint);
  }

  forget(endpoint: Endpoint): void {
    this.#endpoints.delete(keyOf(endpoint));
    if (this.#active === endpoint) this.#active = null;
    endpoint.end();
  }

  #isThere(endpoint: Endpoint, nowUs: number): boolean {
    return endpoint.isProved(nowUs) && nowUs - endpoint.heardUs <= SILENT_US;
  }

  /** Forgets the address that has been silent for longest of those that proved nothing. */
  #makeRoom(nowUs: number): boolean {
    let oldest: Endpoint | null = null;
    for (const endpoint of this.#endpoints.values()) {
      if (endpoint.isSignalled || endpoint.isProved(nowUs)) continue;
      if (oldest === null || endpoint.heardUs < oldest.heardUs) oldest = endpoint;
    }
    if (oldest === null) return false;
    this.forget(oldest);
    return true;
  }
}
