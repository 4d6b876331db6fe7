/** Where an ICE agent is, as one socket of a relay knows: the address that it is reached at, and those that it may be at. */
import { Endpoint, type Place } from './endpoint.js';

/** An address that was silent for this long makes room for another one. */
const SILENT_US = 3e6;
/** How many addresses are known at most: more than most machines have interfaces. */
const MAX_ENDPOINTS = 32;

const keyOf = ({ address, port }: { address: string; port: number }): string => `${address}:${port}`;

export class Seat<A> {
  readonly #endpoints = new Map<string, Endpoint<Seat<A>>>();
  /** Where the agent is reached. */
  #active: Endpoint<Seat<A>> | null = null;

  constructor(readonly agent: A) {}

  get size(): number {
    return this.#endpoints.size;
  }

  at(address: string, port: number): Endpoint<Seat<A>> | undefined {
    return this.#endpoints.get(keyOf({ address, port }));
  }

  /** Whether the agent has proved to be at one of the addresses. */
  isProved(nowUs: number): boolean {
    for (const endpoint of this.#endpoints.values()) if (endpoint.isProved(nowUs)) return true;
    return false;
  }

  /** The endpoint at a place, which is new if need be; null if there are too many that proved themselves. */
  admit(place: Place<Seat<A>>, nowUs: number): Endpoint<Seat<A>> | null {
    const known = this.at(place.address, place.port);
    if (known !== undefined) return known;
    if (this.#endpoints.size >= MAX_ENDPOINTS && !this.#makeRoom(nowUs)) return null;
    const endpoint = new Endpoint<Seat<A>>(this, place, nowUs);
    this.#endpoints.set(keyOf(place), endpoint);
    return endpoint;
  }

  /** The other agent has answered a check of this endpoint: it may take the seat. */
  confirm(endpoint: Endpoint<Seat<A>>, { nominates }: { nominates: boolean }, nowUs: number): void {
    endpoint.confirm(nowUs);
    const active = this.#active;
    if (nominates || active === null || !this.#isThere(active, nowUs)) this.#active = endpoint;
  }

  /** It has answered a check. Where signalling said that the agent is, that is where it is. */
  answered(endpoint: Endpoint<Seat<A>>, nowUs: number): void {
    endpoint.answered(nowUs);
    const active = this.#active;
    if (endpoint.isSignalled && (active === null || !this.#isThere(active, nowUs))) this.#active = endpoint;
  }

  /** The agent sends data from this endpoint: that is where it is. */
  chosen(endpoint: Endpoint<Seat<A>>): void {
    this.#active = endpoint;
  }

  /** Where a check goes: to where the agent is, or to all addresses at which it may be. */
  forCheck(nowUs: number): Endpoint<Seat<A>>[] {
    const active = this.#active;
    return active !== null && this.#isThere(active, nowUs) ? [active] : [...this.#endpoints.values()];
  }

  /**
   * Where data go: to where the agent is. Before a check of the agent was answered, to the address that has
   * answered the last one: what comes from the other agent says that it found the answer authentic.
   */
  forData(nowUs: number): Endpoint<Seat<A>> | null {
    if (this.#active?.isProved(nowUs)) return this.#active;
    let latest: Endpoint<Seat<A>> | null = null;
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

  forget(endpoint: Endpoint<Seat<A>>): void {
    this.#endpoints.delete(keyOf(endpoint));
    if (this.#active === endpoint) this.#active = null;
    endpoint.end();
  }

  #isThere(endpoint: Endpoint<Seat<A>>, nowUs: number): boolean {
    return endpoint.isProved(nowUs) && nowUs - endpoint.heardUs <= SILENT_US;
  }

  /** Forgets the address that has been silent for longest of those that proved nothing. */
  #makeRoom(nowUs: number): boolean {
    let oldest: Endpoint<Seat<A>> | null = null;
    for (const endpoint of this.#endpoints.values()) {
      if (endpoint.isSignalled || endpoint.isProved(nowUs)) continue;
      if (oldest === null || endpoint.heardUs < oldest.heardUs) oldest = endpoint;
    }
    if (oldest === null) return false;
    this.forget(oldest);
    return true;
  }
}
