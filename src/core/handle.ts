/** Objects in the core's memory, each represented by a pointer until it is destroyed. */
import type { Abi } from './abi.generated.js';
import { CoreError, type CoreModule } from './load.js';

/**
 * Owns the pointer to an object. All calls go through the handle, which stops giving the pointer out once the
 * object is destroyed, since its memory may by then belong to another object.
 */
export class Handle {
  #pointer: number;

  constructor(
    readonly core: CoreModule,
    /** The kind of object, for messages. */
    private readonly what: string,
    /** The core's function that frees it. */
    private readonly free: (pointer: number) => unknown,
    pointer: number,
  ) {
    this.#pointer = pointer;
  }

  /** Throws CoreError if the object has been destroyed, CoreFailure if its core has failed. */
  assertLive(): void {
    if (this.core.failure !== null) throw this.core.failure;
    if (this.#pointer === 0) throw new CoreError(`this ${this.what} was destroyed; create another one`);
  }

  /** Throws as `assertLive` does. */
  get pointer(): number {
    this.assertLive();
    return this.#pointer;
  }

  /** The core's functions; they take the pointer as their first argument. */
  get abi(): Abi {
    return this.core.abi;
  }

  /** Frees the memory; further calls do nothing. */
  destroy(): void {
    if (this.#pointer === 0) return;
    // The memory of a failed core is left alone.
    if (this.core.failure === null) this.free(this.#pointer);
    this.#pointer = 0;
  }
}
