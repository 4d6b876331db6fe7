/**
 * An address that an ICE agent may have. The address is "proved" if a check from it was answered recently, or if it
 * answered a check recently.
 */

/** How long an agent's consent to receive data lasts (RFC 7675, 5.1). */
export const CONSENT_US = 30e6;
/** An address that has proved nothing is forgotten after a silence of this length. */
const UNPROVED_US = 10e6;
/** A transaction is answered within this time or not at all (RFC 8489, 6.2.1). */
const TRANSACTION_US = 39.5e6;
/**
 * How many of the checks sent to an address are remembered; a remembered check is recognised if it is
 * replayed.
 */
const MAX_ASKED = 256;
/**
 * Limit for checks from an address that has proved nothing. Browsers send one check every 48 ms; the default in
 * RFC 8445, 14.2, is one every 50 ms.
 */
const CHECKS_PER_S = 25;

/** Sends a packet from a socket of the relay. */
export type Send = (packet: Buffer, port: number, address: string) => void;

export interface Place<S> {
  address: string;
  port: number;
  send: Send;
  /**
   * Whether signalling announced that the agent is at this address. If false, the address is known only because a
   * packet came from it.
   */
  isSignalled: boolean;
  /** Called when the address is forgotten. */
  ended?(endpoint: Endpoint<S>): void;
}

/** A check that was passed on to an address, and whether it was answered. */
interface Asked<S> {
  asker: Endpoint<S>;
  nominates: boolean;
  atUs: number;
  isAnswered: boolean;
}

export interface Answered<S> {
  asker: Endpoint<S>;
  nominates: boolean;
}

/** An address at which an agent may be; `S` is the type of the seat that the address belongs to. */
export class Endpoint<S> {
  readonly address: string;
  readonly port: number;
  readonly #place: Place<S>;
  /**
   * How many bytes may still be sent to the address while it has proved nothing: each packet from the address adds
   * its size. An address that signalling announced has no such limit.
   */
  #creditBytes = 0;
  #checks = CHECKS_PER_S;
  #heardUs: number;
  #answeredUs = -Infinity;
  #confirmedUs = -Infinity;
  #confirmedSinceUs = -Infinity;
  #isEnded = false;
  /** Checks that were sent to this address, by transaction; oldest first. */
  readonly #asked = new Map<string, Asked<S>>();

  constructor(
    readonly seat: S,
    place: Place<S>,
    nowUs: number,
  ) {
    this.address = place.address;
    this.port = place.port;
    this.#place = place;
    this.#heardUs = nowUs;
  }

  get heardUs(): number {
    return this.#heardUs;
  }

  get answeredUs(): number {
    return this.#answeredUs;
  }

  /** The start of the latest unbroken period in which the address was confirmed; -Infinity if it never was. */
  get confirmedSinceUs(): number {
    return this.#confirmedSinceUs;
  }

  get isSignalled(): boolean {
    return this.#place.isSignalled;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Whether a check from this address was answered recently. The other agent has then verified the check's message
   * integrity.
   */
  isConfirmed(nowUs: number): boolean {
    return nowUs - this.#confirmedUs < CONSENT_US;
  }

  /** Whether this address recently answered a check that was sent to it: packets to it do arrive. */
  hasAnswered(nowUs: number): boolean {
    return nowUs - this.#answeredUs < CONSENT_US;
  }

  isProved(nowUs: number): boolean {
    return this.isConfirmed(nowUs) || this.hasAnswered(nowUs);
  }

  /** Whether data from this address are accepted as the agent's. */
  mayTalk(nowUs: number): boolean {
    return this.isConfirmed(nowUs) || (this.isSignalled && this.hasAnswered(nowUs));
  }

  /** Whether the address has been silent long enough to be forgotten. */
  isOver(nowUs: number): boolean {
    if (this.isSignalled) return false;
    const everProved = this.#confirmedUs > -Infinity || this.#answeredUs > -Infinity;
    return nowUs - this.#heardUs > (everProved ? CONSENT_US : UNPROVED_US);
  }

  end(): void {
    this.#isEnded = true;
    this.#asked.clear();
    this.#place.ended?.(this);
  }

  heard(bytes: number, nowUs: number): void {
    const passedS = Math.max(0, nowUs - this.#heardUs) / 1e6;
    this.#checks = Math.min(CHECKS_PER_S, this.#checks + passedS * CHECKS_PER_S);
    this.#heardUs = nowUs;
    this.#creditBytes += bytes;
  }

  /** Whether one more check from this address may be passed on. */
  mayCheck(nowUs: number): boolean {
    if (this.isProved(nowUs)) return true;
    if (this.#checks < 1) return false;
    this.#checks--;
    return true;
  }

  /**
   * Records a check that is about to be sent to this address. Returns false if the check must not be sent, because
   * another address has sent the same check, or because `send` would refuse a packet of this size.
   */
  ask(
    transactionId: string,
    asker: Endpoint<S>,
    check: { bytes: number; nominates: boolean },
    nowUs: number,
  ): boolean {
    const before = this.#asked.get(transactionId);
    if (before !== undefined && before.asker !== asker) return false;
    if (!this.isSignalled && !this.isProved(nowUs) && check.bytes > this.#creditBytes) return false;
    this.#asked.set(transactionId, { asker, nominates: check.nominates, atUs: nowUs, isAnswered: false });
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_ASKED) break;
      this.#asked.delete(oldest);
    }
    return true;
  }

  /**
   * Processes an answer from this address. Returns the address that sent the check, and whether the check
   * nominated its pair. Returns null if no check with this transaction id is waiting for an answer, or if the
   * address that sent the check has been forgotten.
   */
  answer(transactionId: string, nowUs: number): Answered<S> | null {
    const asked = this.#asked.get(transactionId);
    if (asked === undefined || asked.isAnswered || nowUs - asked.atUs > TRANSACTION_US) return null;
    if (asked.asker.isEnded) return null;
    // The check stays in the map, so that its replay from another address is recognised.
    asked.isAnswered = true;
    return { asker: asked.asker, nominates: asked.nominates };
  }

  answered(nowUs: number): void {
    this.#answeredUs = nowUs;
  }

  confirm(nowUs: number): void {
    if (!this.isConfirmed(nowUs)) this.#confirmedSinceUs = nowUs;
    this.#confirmedUs = nowUs;
  }

  /**
   * Sends a packet to this address. Returns false if the address would receive more bytes than it has sent. This
   * limit does not apply to an address that has proved itself, or that signalling announced.
   */
  send(packet: Buffer, nowUs: number): boolean {
    if (!this.isSignalled && !this.isProved(nowUs)) {
      if (packet.length > this.#creditBytes) return false;
      this.#creditBytes -= packet.length;
    }
    this.#place.send(packet, this.port, this.address);
    return true;
  }
}
