/**
 * An alarm with sub-millisecond resolution. A timer covers most of the wait. For the rest, the event loop is polled,
 * with short naps between the polls. Sockets are served during the polling, but nothing else should run in the
 * thread.
 */

/** A timer may fire late by up to this time. */
const SPIN_US = 1200;
/**
 * Between two polls of the event loop, the thread sleeps for at most NAP_US. It stays awake when AWAKE_US or less of
 * the wait is left.
 */
const NAP_US = 100;
const AWAKE_US = 150;
/**
 * On a busy machine a sleeping thread wakes up late. After a nap that took longer than LONG_NAP_US, the thread
 * takes no naps for the next NO_NAP_US.
 */
const LONG_NAP_US = 400;
const NO_NAP_US = 200e3;

const never = new Int32Array(new SharedArrayBuffer(4));

export class Alarm {
  #timer: NodeJS.Timeout | null = null;
  #turn: NodeJS.Immediate | null = null;
  #dueUs = Infinity;
  /** When the timer fires. */
  #wakeUs = Infinity;
  #noNapUntilUs = 0;

  constructor(
    private readonly nowUs: () => number,
    private readonly ring: () => void,
  ) {}

  /** When the alarm is due; Infinity if it is off. */
  get dueUs(): number {
    return this.#dueUs;
  }

  /** Sets the alarm to this time, replacing any earlier one. Infinity turns it off. */
  set(dueUs: number): void {
    this.#dueUs = dueUs;
    if (dueUs === Infinity) this.clear();
    // If a wake-up is already planned early enough, no new wait is needed: `#wake` reads the new `#dueUs`.
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
    const waitUs = this.#dueUs - this.nowUs();
    if (waitUs <= 0) {
      this.ring();
      return;
    }
    if (waitUs > AWAKE_US && waitUs <= SPIN_US) this.#nap();
    this.#wait();
  }

  /**
   * Sleeps for a moment to relieve the processor: a thread that polls its event loop without a pause occupies a whole
   * core.
   */
  #nap(): void {
    const fromUs = this.nowUs();
    if (fromUs < this.#noNapUntilUs) return;
    Atomics.wait(never, 0, 0, NAP_US / 1000);
    const toUs = this.nowUs();
    if (toUs - fromUs > LONG_NAP_US) this.#noNapUntilUs = toUs + NO_NAP_US;
  }
}
