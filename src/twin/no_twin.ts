/** The error for a recording that cannot be compared with a simulation. */

export class NoTwin extends Error {
  override readonly name = 'NoTwin';

  constructor(
    message: string,
    /** The advice for the user, in one line. */
    readonly fix: string,
  ) {
    super(message);
  }
}
