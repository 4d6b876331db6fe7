/**
 * An alarm with a resolution below a millisecond: a timer for most of the wait, and turns of the
 * event loop for the rest of it, in which sockets are served as ever.
 */

/** Timers fire up to this much late. */
const SPIN_US = 1200;

export class Alarm {
  #timer: NodeJS.Timeout | null = null;
  #turn: NodeJS.Immediate | null = null;
  #dueUs = Infinity;

  constructor(
    private readonly nowUs: () => number,
    private readonly ring: () => void,
  ) {}

  /** Rings once at this time, and at no time that was set before. Infinity: not at all. */
  set(dueUs: number): void {
    if (dueUs === this.#dueUs && (this.#timer ?? this.#turn) !== null) return;
    this.clear();
    this.#dueUs = dueUs;
    if (dueUs !== Infinity) this.#wait();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#turn) clearImmediate(this.#turn);
    this.#timer = null;
    this.#turn = null;
  }

  #wait(): void {
    const waitUs = this.#dueUs - this.nowUs();
    if (waitUs <= SPIN_US) this.#turn = setImmediate(() => this.#wake());
    else this.#timer = setTimeout(() => this.#wake(), (waitUs - SPIN_US) / 1000);
  }

  #wake(): void {
    this.#timer = null;
    this.#turn = null;
    if (this.nowUs() >= this.#dueUs) this.ring();
    else this.#wait();
  }
}
