/** Changes that can be undone and redone. */
import { signal } from '@preact/signals';

/**
 * Consecutive changes of the same gesture are undone together if each follows the previous change within this time.
 */
const TOGETHER_MS = 1500;
const MOST = 200;

export class History<T> {
  readonly canUndo = signal(false);
  readonly canRedo = signal(false);
  #before: T[] = [];
  #after: T[] = [];
  #gesture = '';
  #changedAt = -Infinity;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Remembers the value before a change. Returns whether the change began a new step. */
  add(before: T, gesture: string): boolean {
    const now = this.now();
    const isNew = gesture !== this.#gesture || now - this.#changedAt > TOGETHER_MS;
    this.#gesture = gesture;
    this.#changedAt = now;
    if (isNew) this.#before = [...this.#before, before].slice(-MOST);
    this.#after = [];
    this.#tell();
    return isNew;
  }

  /**
   * Undoes the last step: returns the value before it, and keeps `now` for redoing. Returns undefined if nothing can
   * be undone.
   */
  back(now: T): T | undefined {
    const before = this.#before.at(-1);
    if (before === undefined) return undefined;
    this.#before = this.#before.slice(0, -1);
    this.#after = [...this.#after, now];
    this.#end();
    return before;
  }

  /** Redoes the step that was undone last: returns the value after it. Returns undefined if nothing can be redone. */
  forth(now: T): T | undefined {
    const after = this.#after.at(-1);
    if (after === undefined) return undefined;
    this.#after = this.#after.slice(0, -1);
    this.#before = [...this.#before, now];
    this.#end();
    return after;
  }

  clear(): void {
    this.#before = [];
    this.#after = [];
    this.#end();
  }

  /** Ends the current gesture: the next change begins a new step. */
  #end(): void {
    this.#gesture = '';
    this.#tell();
  }

  #tell(): void {
    this.canUndo.value = this.#before.length > 0;
    this.canRedo.value = this.#after.length > 0;
  }
}
