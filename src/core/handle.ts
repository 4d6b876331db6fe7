/** Objects in the core's memory, which a pointer stands for until they are destroyed. */
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
    /** The export that frees it. */
    private readonly destroyer: string,
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

  /** Calls an export that takes the pointer first. Throws as `assertLive` does. */
  call(name: string, ...args: number[]): number {
    return this.core.call(name, this.pointer, ...args);
  }

  /** Calls an export that returns a status; throws its message when the status is not 0. */
  check(name: string, ...args: number[]): void {
    this.core.check(name, this.pointer, ...args);
  }

  /** Calls an export that returns a pointer; throws its message when that is null. */
  find(name: string, ...args: number[]): number {
    return this.core.handle(name, this.pointer, ...args);
  }

  /** Frees the memory. Doing so again does nothing. */
  destroy(): void {
    if (this.#pointer === 0) return;
    // The memory of a core that has failed is not touched any more.
    if (this.core.failure === null) this.core.call(this.destroyer, this.#pointer);
    this.#pointer = 0;
  }
}
