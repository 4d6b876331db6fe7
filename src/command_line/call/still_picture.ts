/** The freeze that has not ended when a call does: browsers count a freeze only when the picture moves again. */

/** A picture that has not changed for this long is frozen, since the video of these calls always moves. */
const STILL_US = 1e6;

/** Finds how long the picture has been frozen. `see` has to be called about once a second. */
export class StillPicture {
  #framesDecoded = NaN;
  #sinceUs = NaN;

  see({ framesDecoded }: { framesDecoded: number }, timeUs: number): void {
    if (framesDecoded === this.#framesDecoded) return;
    this.#framesDecoded = framesDecoded;
    this.#sinceUs = timeUs;
  }

  /** How long the picture has been frozen, in seconds; 0 if it moves or if the browser counts no frames. */
  frozenS(nowUs: number): number {
    const stillUs = nowUs - this.#sinceUs;
    return !Number.isNaN(this.#framesDecoded) && stillUs >= STILL_US ? stillUs / 1e6 : 0;
  }
}
