/**
 * Numbers received frames that carry no number, as their sender would have: controllers take a gap in the numbers
 * for a loss, and a number below the newest for a retransmitted frame. Both show in RTP timestamps: a source that
 * gives a picture every 33 ms and then one after 67 ms may have lost one on the way, and a frame that arrives
 * after later ones was held up. A frame that the source or the encoder skipped leaves the same gap, but never
 * arrives, while a lost one is retransmitted. So gaps are believed as long as at least every fourth earlier gap
 * was filled by a late frame: a queue that drops frames also makes the encoder skip some, and then missing a loss
 * costs more than inventing one. A source without a rhythm (a shared screen) shows no gaps; its frames are
 * numbered consecutively.
 */

/** The rhythm is judged by this many latest steps between frames, and not before half as many are known. */
const STEPS = 30;
/**
 * The first is how much a regular step may differ from the usual one, the second is the share of steps that must
 * be regular for the source to have a rhythm.
 */
const NEAR = 0.25;
const IN_RHYTHM = 0.7;
/** A gap has to be this near to a whole number of steps. */
const NEAR_WHOLE = 0.35;
/** A longer gap is a pause, not the loss of that many frames. */
const MOST_MISSING = 30;
/** Frames that arrive later than this are numbered like the oldest remembered one. */
const REMEMBERED = 64;
/**
 * A frame that has not arrived after this time was never sent: requests for it are repeated more often than that.
 */
const COMES_WITHIN_US = 1e6;
/**
 * The number of latest gaps that decide whether the next one is believed, and the smallest share of them that
 * must have been filled.
 */
const JUDGED_BY = 16;
const LEAST_FILLED = 0.25;

interface Numbered {
  rtpUs: number;
  number: number;
}

/** From the frame before it to the one after it. */
interface Gap {
  fromUs: number;
  toUs: number;
}

export class FrameNumbers {
  /** Steps between frames, in microseconds, the latest last. */
  readonly #steps: number[] = [];
  /** In the order of their times. */
  #recent: Numbered[] = [];
  /** Those that a frame may still fill. */
  #open: Gap[] = [];
  /** Whether each of the latest gaps was filled. */
  readonly #filled: boolean[] = [];
  #newest = -1;

  /** The sender has numbered a frame: frames without a number continue from there. */
  told(number: number): void {
    this.#newest = number;
    this.#recent = [];
  }

  /**
   * The number of the frame that has just arrived. `rtpUs` is its RTP timestamp as a time, NaN for none;
   * `mayMiss` says that not every arrived frame is seen, so that a gap means nothing.
   */
  of(rtpUs: number, mayMiss = false): number {
    const last = this.#recent.at(-1);
    if (Number.isNaN(rtpUs)) return ++this.#newest;
    if (last !== undefined && rtpUs < last.rtpUs) return this.#overtaken(rtpUs);
    this.#giveUp(rtpUs);
    const stepUs = last === undefined ? NaN : rtpUs - last.rtpUs;
    const frames = this.#framesIn(stepUs);
    this.#newest += mayMiss || !this.#isBelieved ? 1 : frames;
    if (last !== undefined && frames > 1) this.#open.push({ fromUs: last.rtpUs, toUs: rtpUs });
    if (stepUs > 0) keepLatest(this.#steps, stepUs, STEPS);
    keepLatest(this.#recent, { rtpUs, number: this.#newest }, REMEMBERED);
    return this.#newest;
  }

  /** Whether gaps are taken for lost frames. */
  get #isBelieved(): boolean {
    const filled = this.#filled.filter((isFilled) => isFilled).length;
    return filled >= LEAST_FILLED * this.#filled.length;
  }

  /** No frame can fill these gaps any more. */
  #giveUp(nowUs: number): void {
    for (let [oldest] = this.#open; oldest !== undefined; [oldest] = this.#open) {
      if (nowUs - oldest.toUs < COMES_WITHIN_US) return;
      this.#open.shift();
      keepLatest(this.#filled, false, JUDGED_BY);
    }
  }

  /** How many frames the source gave in a step: 1 unless its rhythm says otherwise. */
  #framesIn(stepUs: number): number {
    if (!(this.#steps.length >= STEPS / 2)) return 1;
    // The usual step is no shorter than the shortest one, so this step is less than one and a half usual ones.
    if (stepUs < 1.5 * Math.min(...this.#steps)) return 1;
    const usualUs = [...this.#steps].sort((a, b) => a - b)[this.#steps.length >> 1] ?? NaN;
    const usual = this.#steps.filter((each) => Math.abs(each - usualUs) < NEAR * usualUs);
    const frames = Math.round(stepUs / usualUs);
    const isWhole = Math.abs(stepUs / usualUs - frames) < NEAR_WHOLE;
    const isGap = usual.length >= IN_RHYTHM * this.#steps.length && isWhole && frames > 1;
    return isGap && frames <= MOST_MISSING ? frames : 1;
  }

  /** A number between those of its neighbours in time; if there is none left, the earlier neighbour's. */
  #overtaken(rtpUs: number): number {
    const filled = this.#open.findIndex(({ fromUs, toUs }) => fromUs < rtpUs && rtpUs < toUs);
    if (filled >= 0) this.#open.splice(filled, 1);
    keepLatest(this.#filled, true, JUDGED_BY);
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

function keepLatest<T>(list: T[], item: T, most: number): void {
  list.push(item);
  if (list.length > most) list.shift();
}
