/**
 * Objects of the page. While somebody is told of them they are held; while nobody is, only weakly, so that what the
 * page has let go of is freed as it would be without the observer.
 */
import { WeakRef } from './natives.js';

export class Held<T extends object> {
  readonly #strong = new Set<T>();
  /** Null while they are held strongly. */
  #weak: WeakRef<T>[] | null = null;

  /** Those that are still there. */
  get all(): T[] {
    return this.#weak === null ? [...this.#strong] : this.#weak.flatMap((each) => each.deref() ?? []);
  }

  add(value: T): void {
    if (this.#weak === null) this.#strong.add(value);
    // References to what is freed are left behind, so that they do not pile up.
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

  /** Holds them only weakly from now on. */
  letGo(): void {
    this.#weak = weakly(this.all);
    this.#strong.clear();
  }

  /** Holds those that are still there, and all that come. */
  hold(): void {
    for (const each of this.all) this.#strong.add(each);
    this.#weak = null;
  }
}

const weakly = <T extends object>(values: readonly T[]): WeakRef<T>[] =>
  [...new Set(values)].map((each) => new WeakRef(each));
