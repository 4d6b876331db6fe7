/** A propagation delay: packets come out in the order in which they went in, each when it is due. */

/** How many places of what has gone are given back at a time. */
const COMPACT_AT = 1024;

export class DelayLine<T> {
  #packets: T[] = [];
  #dueUs: number[] = [];
  #head = 0;

  /** A packet that is due before the one ahead of it (the delay became shorter) follows that one. */
  push(packet: T, dueUs: number): void {
    this.#packets.push(packet);
    this.#dueUs.push(Math.max(dueUs, this.#dueUs.at(-1) ?? -Infinity));
  }

  /** The first packet, if it is due. */
  next(nowUs: number): { packet: T; dueUs: number } | null {
    const dueUs = this.nextUs();
    if (dueUs > nowUs) return null;
    const packet = this.#packets[this.#head++] as T;
    if (this.#head === this.#packets.length || this.#head === COMPACT_AT) this.#compact();
    return { packet, dueUs };
  }

  /** When the first packet is due; Infinity if there is none. */
  nextUs(): number {
    return this.#dueUs[this.#head] ?? Infinity;
  }

  #compact(): void {
    this.#packets.splice(0, this.#head);
    this.#dueUs.splice(0, this.#head);
    this.#head = 0;
  }
}
