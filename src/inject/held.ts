/**
 * Holds references to the page's receivers and transceivers, and to the endpoints of its connections. The
 * references are strong while someone listens. Otherwise they are weak, so that the observer does not keep unused
 * objects alive.
 */
import { WeakRef } from './natives.js';

export class Held<T extends object> {
  readonly #strong = new Set<T>();
  /** Null while references are strong. */
  #weak: WeakRef<T>[] | null = null;

  /** The objects that still exist. */
  get all(): T[] {
    return this.#weak === null ? [...this.#strong] : this.#weak.flatMap((each) => each.deref() ?? []);
  }

  add(value: T): void {
    if (this.#weak === null) this.#strong.add(value);
    // References to freed objects are dropped, so that they do not accumulate.
    else this.#weak = weakly([...this.all, value]);
  }

  delete(value: T): void {
    this.#strong.delete(value);
    if (this.#weak !== null) this.#weak = weakly(this.all.filter((each) => each !== value));
  }

  clear(): void {
    this.#strong.clear();
    if (this.#weak !== null) this.#weak = [];
  }

  /** Makes all references weak from now on. */
  letGo(): void {
    this.#weak = weakly(this.all);
    this.#strong.clear();
  }

  /** Makes references to existing and new objects strong. */
  hold(): void {
    for (const each of this.all) this.#strong.add(each);
    this.#weak = null;
  }
}

const weakly = <T extends object>(values: readonly T[]): WeakRef<T>[] =>
  [...new Set(values)].map((each) => new WeakRef(each));
