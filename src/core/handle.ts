/** Objects in the core's memory, which are represented by pointers. */
import type { Abi } from './abi.generated.js';
import { CoreError, type CoreModule } from './load.js';

/**
 * Owns the pointer to an object in the core's memory. After the object is destroyed, its memory may belong to another
 * object. So all code reads the pointer through the handle, which throws if the object is destroyed.
 */
export class Handle {
  #pointer: number;

  constructor(
    readonly core: CoreModule,
    /** What the object is, for error messages. */
    private readonly what: string,
    /** The core's function that frees the object. */
    private readonly free: (pointer: number) => unknown,
    pointer: number,
  ) {
    this.#pointer = pointer;
  }

  /** Throws CoreError if the object has been destroyed, and CoreFailure if its core has failed. */
  assertLive(): void {
    if (this.core.failure !== null) throw this.core.failure;
    if (this.#pointer === 0) throw new CoreError(`this ${this.what} was destroyed; create another one`);
  }

  /** The pointer. Throws the same errors as `assertLive`. */
  get pointer(): number {
    this.assertLive();
    return this.#pointer;
  }

  /** The functions of the core. Functions for an object take its pointer as their first argument. */
  get abi(): Abi {
    return this.core.abi;
  }

  /** Frees the object. Calling it again does nothing. */
  destroy(): void {
    if (this.#pointer === 0) return;
    // Functions of a failed core cannot be called, so the memory is not freed.
    if (this.core.failure === null) this.free(this.#pointer);
    this.#pointer = 0;
  }
}
