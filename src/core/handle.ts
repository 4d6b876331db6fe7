/** Objects in the core's memory, which a pointer stands for until they are destroyed. */
import type { Abi } from './abi.generated.js';
import { CoreError, type CoreModule } from './load.js';

/**
 * Whatever is asked of an object goes through its handle: once it has been destroyed, its memory may be another
 * object's, so the handle gives the pointer to nobody any more.
 */
export class Handle {
  #pointer: number;

  constructor(
    readonly core: CoreModule,
    /** What is behind the pointer, for messages. */
    private readonly what: string,
    /** Frees it. */
    private readonly free: (pointer: number) => unknown,
    pointer: number,
  ) {
    this.#pointer = pointer;
  }

  /** Throws CoreError once the object has been destroyed, CoreFailure once its core has failed. */
  assertLive(): void {
    if (this.core.failure !== null) throw this.core.failure;
    if (this.#pointer === 0) throw new CoreError(`this ${this.what} was destroyed; create another one`);
  }

  /** Throws as `assertLive` does. */
  get pointer(): number {
    this.assertLive();
    return this.#pointer;
  }

  /** The core's functions, which take the pointer first. */
  get abi(): Abi {
    return this.core.abi;
  }

  /** Frees the memory. Doing so again does nothing. */
  destroy(): void {
    if (this.#pointer === 0) return;
    // The memory of a core that has failed is not touched any more.
    if (this.core.failure === null) this.free(this.#pointer);
    this.#pointer = 0;
  }
}
