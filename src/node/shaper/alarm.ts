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
  /** When the timer wakes. */
  #wakeUs = Infinity;

  constructor(
    private readonly nowUs: () => number,
    private readonly ring: () => void,
  ) {}

  /** Rings once at this time, and at no time that was set before. Infinity: not at all. */
  set(dueUs: number): void {
    this.#dueUs = dueUs;
    if (dueUs === Infinity) this.clear();
    // A wake-up that comes soon enough looks at the new time.
    else if (this.#turn === null && (this.#timer === null || this.#wakeUs > dueUs - SPIN_US)) this.#wait();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#turn) clearImmediate(this.#turn);
    this.#timer = null;
    this.#turn = null;
  }

  #wait(): void {
    this.clear();
    const nowUs = this.nowUs();
    const waitUs = this.#dueUs - SPIN_US - nowUs;
    if (waitUs <= 0) {
      this.#turn = setImmediate(() => this.#wake());
    } else {
      this.#wakeUs = this.#dueUs - SPIN_US;
      this.#timer = setTimeout(() => this.#wake(), waitUs / 1000);
    }
  }

  #wake(): void {
    this.#timer = null;
    this.#turn = null;
    if (this.nowUs() >= this.#dueUs) this.ring();
    else this.#wait();
  }
}
