/** A fuzz target for TypeScript: code that reads data from untrusted sources. */
export interface FuzzTarget {
  /** The name in the table of `npm run fuzz`. */
  readonly name: string;
  /** Valid inputs from which mutation starts. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words of the input's language, which the mutator inserts, repeats or puts in place of other bytes. */
  readonly words?: readonly string[];
  /**
   * Throws if an oracle is violated. A parser may refuse bad input with its documented error. Any other error is a
   * fault.
   */
  run(input: Uint8Array): void | Promise<void>;
  /** Closes what the target opened. */
  close?(): Promise<void>;
}
