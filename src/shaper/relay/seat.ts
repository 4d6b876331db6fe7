/**
 * Where an ICE agent is, as seen from one socket of a relay: the address at which it is reached, and all
 * addresses at which it may be.
 */
import { Endpoint, type Place } from './endpoint.js';

/** An address that has been silent for this long can be replaced by another one. */
const SILENT_US = 3e6;
/** The maximum number of remembered addresses. Few machines have more interfaces. */
const MAX_ENDPOINTS = 32;

const keyOf = ({ address, port }: { address: string; port: number }): string => `${address}:${port}`;

export class Seat<A> {
  readonly #endpoints = new Map<string, Endpoint<Seat<A>>>();
  /** The address at which the agent is reached: its current address. */
  #active: Endpoint<Seat<A>> | null = null;

  constructor(readonly agent: A) {}

  get size(): number {
    return this.#endpoints.size;
  }

  at(address: string, port: number): Endpoint<Seat<A>> | undefined {
    return this.#endpoints.get(keyOf({ address, port }));
  }

  /** Whether the agent has proved that it is at one of the addresses. */
  isProved(nowUs: number): boolean {
    for (const endpoint of this.#endpoints.values()) if (endpoint.isProved(nowUs)) return true;
    return false;
  }

  /**
   * Returns the endpoint of an address, which is created if necessary. Returns null if the seat is full and every
   * endpoint is proved or was announced by signalling.
   */
  admit(place: Place<Seat<A>>, nowUs: number): Endpoint<Seat<A>> | null {
    const known = this.at(place.address, place.port);
    if (known !== undefined) return known;
    if (this.#endpoints.size >= MAX_ENDPOINTS && !this.#makeRoom(nowUs)) return null;
    const endpoint = new Endpoint<Seat<A>>(this, place, nowUs);
    this.#endpoints.set(keyOf(place), endpoint);
    return endpoint;
  }

  /**
   * To be called when the other agent has answered a check from this endpoint. The endpoint may then become the
   * current address.
   */
  confirm(endpoint: Endpoint<Seat<A>>, { nominates }: { nominates: boolean }, nowUs: number): void {
    endpoint.confirm(nowUs);
    const active = this.#active;
    if (nominates || active === null || !this.#isThere(active, nowUs)) this.#active = endpoint;
  }

  /**
   * To be called when the endpoint has successfully answered a check. An endpoint that signalling announced
   * then becomes the current address, unless the agent already has a current address that is proved and not
   * silent.
   */
  answered(endpoint: Endpoint<Seat<A>>, nowUs: number): void {
    endpoint.answered(nowUs);
    const active = this.#active;
    if (endpoint.isSignalled && (active === null || !this.#isThere(active, nowUs))) this.#active = endpoint;
  }

  /** To be called when the agent sends data from this endpoint. The endpoint then becomes the current address. */
  chosen(endpoint: Endpoint<Seat<A>>): void {
    this.#active = endpoint;
  }

  /**
   * Returns the addresses to which a check is sent. If the current address is proved and not silent, this is the only
   * one. Otherwise, these are all addresses that the agent may have.
   */
  forCheck(nowUs: number): Endpoint<Seat<A>>[] {
    const active = this.#active;
    return active !== null && this.#isThere(active, nowUs) ? [active] : [...this.#endpoints.values()];
  }

  /**
   * Returns the address to which data are sent: the current address if it is proved, otherwise the address that gave
   * the latest answer. The other agent sends data only after it has verified that answer.
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

  /** Forgets addresses that have been silent for a long time. */
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

  /**
   * Forgets the address that has been silent for longest, among those that are neither proved nor announced. Returns
   * false if there is none.
   */
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
