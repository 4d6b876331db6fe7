/** Objects in the core's memory, each represented by a pointer. */
import type { Abi } from './abi.generated.js';
import { CoreError, type CoreModule } from './load.js';

/**
 * Owns the pointer to an object in the core's memory. Every use of the pointer goes through the handle, which
 * throws once the object is destroyed: the memory may then belong to another object.
 */
export class Handle {
  #pointer: number;

  constructor(
    readonly core: CoreModule,
    /** The kind of the object, for error messages. */
    private readonly what: string,
    /** The function of the core that frees the object. */
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

  /** The pointer. Throws as `assertLive` does. */
  get pointer(): number {
    this.assertLive();
    return this.#pointer;
  }

  /** The functions of the core. Those that concern the object take the pointer as their first argument. */
  get abi(): Abi {
    return this.core.abi;
  }

  /** Frees the memory; further calls do nothing. */
  destroy(): void {
    if (this.#pointer === 0) return;
    // A failed core cannot be called, so its memory is not freed.
    if (this.core.failure === null) this.free(this.#pointer);
    this.#pointer = 0;
  }
}
