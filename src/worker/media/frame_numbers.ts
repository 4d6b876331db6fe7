/**
 * Numbers received frames that carry no number, as their sender would have: controllers take a gap in the numbers for a
 * loss, and a number below the newest for a frame that was sent again. Both show in RTP timestamps: a source that
 * gives a picture every 33 ms and then one after 67 ms has lost one on the way, and a frame that comes behind later
 * ones was held up.
 *
 * A frame that the encoder dropped leaves the same gap. It costs little: after a gap, GCC's filter in live calls waits
 * until the queue is as short as before, for a few frames. A source that keeps no rhythm (a shared screen) shows no
 * gaps; its frames are numbered one by one.
 */

/** The rhythm is told by so many steps from frame to frame, and not before there are half as many. */
const STEPS = 30;
/** A step is as usual within this share of the usual one, and the source keeps a rhythm if that many are. */
const NEAR = 0.25;
const IN_RHYTHM = 0.7;
/** A gap is this near to a whole number of steps. */
const NEAR_WHOLE = 0.35;
/** One that is longer is a pause, and no loss of so many frames. */
const MOST_MISSING = 30;
/** Frames that come this much later are numbered as the oldest that is remembered. */
const REMEMBERED = 64;

interface Numbered {
  rtpUs: number;
  number: number;
}

export class FrameNumbers {
  /** From frame to frame, in microseconds, the latest last. */
  readonly #steps: number[] = [];
  /** In the order of their times. */
  #recent: Numbered[] = [];
  #newest = -1;

  /** The sender has numbered a frame itself: those without a number go on from there. */
  told(number: number): void {
    this.#newest = number;
    this.#recent = [];
  }

  /**
   * The number of the frame that has come now. `rtpUs` is its RTP timestamp as a time, NaN for none; `mayMiss` says that
   * not each frame that came is seen, so that a gap says nothing.
   */
  of(rtpUs: number, mayMiss = false): number {
    const last = this.#recent.at(-1);
    if (Number.isNaN(rtpUs)) return ++this.#newest;
    if (last !== undefined && rtpUs < last.rtpUs) return this.#overtaken(rtpUs);
    const stepUs = last === undefined ? NaN : rtpUs - last.rtpUs;
    this.#newest += mayMiss ? 1 : this.#framesIn(stepUs);
    if (stepUs > 0) this.#steps.push(stepUs);
    if (this.#steps.length > STEPS) this.#steps.shift();
    this.#recent.push({ rtpUs, number: this.#newest });
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
    return this.#newest;
  }

  /** How many frames the source gave in a step: 1 unless its rhythm says otherwise. */
  #framesIn(stepUs: number): number {
    if (!(this.#steps.length >= STEPS / 2)) return 1;
    const usualUs = [...this.#steps].sort((a, b) => a - b)[this.#steps.length >> 1] ?? NaN;
    const usual = this.#steps.filter((each) => Math.abs(each - usualUs) < NEAR * usualUs);
    const frames = Math.round(stepUs / usualUs);
    const isWhole = Math.abs(stepUs / usualUs - frames) < NEAR_WHOLE;
    const isGap = usual.length >= IN_RHYTHM * this.#steps.length && isWhole && frames > 1;
    return isGap && frames <= MOST_MISSING ? frames : 1;
  }

  /** A number between those of its neighbours in time; where there is none left, the earlier one's. */
  #overtaken(rtpUs: number): number {
    const at = this.#recent.findIndex((each) => each.rtpUs > rtpUs);
    const [before, after] = [this.#recent[at - 1], this.#recent[at]];
    if (after === undefined) return this.#newest;
    if (before === undefined) return Math.max(0, after.number - 1);
    const share = (rtpUs - before.rtpUs) / (after.rtpUs - before.rtpUs);
    const between = before.number + Math.round(share * (after.number - before.number));
    const number = Math.max(before.number, Math.min(after.number - 1, between));
    this.#recent.splice(at, 0, { rtpUs, number });
    return number;
  }
}
