/** The error for a recording that cannot be compared with a simulation. */

export class NoTwin extends Error {
  override readonly name = 'NoTwin';

  constructor(
    message: string,
    /** One line: what to do. */
    readonly fix: string,
  ) {
    super(message);
  }
}
