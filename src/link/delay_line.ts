/**
 * A delay line, which applies a propagation delay: packets come out at their due times. Packets with the same due
 * time keep their order.
 */

/** When this many packets have left, their space in the arrays is freed. */
const COMPACT_AT = 1024;

export class DelayLine<T> {
  #packets: T[] = [];
  #dueUs: number[] = [];
  #head = 0;

  /**
   * Inserts a packet in the order of due times. The packet rarely overtakes others, so the search for its position
   * starts at the end.
   */
  push(packet: T, dueUs: number): void {
    let place = this.#dueUs.length;
    while (place > this.#head && (this.#dueUs[place - 1] ?? -Infinity) > dueUs) place--;
    if (place === this.#dueUs.length) {
      this.#packets.push(packet);
      this.#dueUs.push(dueUs);
    } else {
      this.#packets.splice(place, 0, packet);
      this.#dueUs.splice(place, 0, dueUs);
    }
  }

  /** Removes the first packet and returns it; null if it is not due yet. */
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
