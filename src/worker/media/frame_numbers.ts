/**
 * Numbers received frames that carry no number, as their sender would have numbered them: controllers take a
 * gap in the numbers for a loss, and a number below the newest for a retransmitted frame. RTP timestamps show
 * both: a source that gives a picture every 33 ms and then one after 67 ms may have lost one on the way, and a
 * frame that arrives after later ones was held up. A frame that the source or the encoder skipped leaves the
 * same gap, but never arrives, while a lost one is retransmitted. So gaps are taken for losses as long as a
 * late frame filled at least a quarter of the latest gaps. The share is that low because a queue that drops
 * frames also makes the encoder skip some, and then missing a loss costs more than inventing one. A source
 * without a rhythm (a shared screen) shows no gaps; its frames are numbered consecutively.
 */

/**
 * The rhythm is judged by at most this many steps between frames, the latest ones, and not before half as many
 * are known.
 */
const STEPS = 30;
/**
 * `NEAR` is how much a regular step may differ from the usual one, as a share of it; `IN_RHYTHM` is the share
 * of steps that must be regular for the source to have a rhythm.
 */
const NEAR = 0.25;
const IN_RHYTHM = 0.7;
/** A gap has to differ from a whole number of usual steps by less than this. */
const NEAR_WHOLE = 0.35;
/** A longer gap is a pause, not the loss of that many frames. */
const MOST_MISSING = 30;
/**
 * How many frames are remembered. A frame that belongs before all of them gets the number before that of the
 * oldest.
 */
const REMEMBERED = 64;
/**
 * A frame that has not arrived after this time was never sent: otherwise one of the repeated requests for it
 * would have been answered by then.
 */
const COMES_WITHIN_US = 1e6;
/**
 * How many of the latest gaps decide whether the next one is taken for a loss, and the smallest share of them
 * that must have been filled.
 */
const JUDGED_BY = 16;
const LEAST_FILLED = 0.25;

interface Numbered {
  rtpUs: number;
  number: number;
}

/** The RTP times of the frames before and after a gap. */
interface Gap {
  fromUs: number;
  toUs: number;
}

export class FrameNumbers {
  /** Times between consecutive frames, in microseconds, the latest last. */
  readonly #steps: number[] = [];
  /** The latest frames, in the order of their RTP times. */
  #recent: Numbered[] = [];
  /** Gaps that a late frame may still fill. */
  #open: Gap[] = [];
  /** Whether each of the latest gaps was filled. */
  readonly #filled: boolean[] = [];
  #newest = -1;

  /**
   * To be called with the number of a frame that its sender has numbered: frames without a number are then
   * counted from it.
   */
  told(number: number): void {
    this.#newest = number;
    this.#recent = [];
  }

  /**
   * The number of the frame that has just arrived. `rtpUs` is its RTP timestamp as a time, NaN for none; with
   * `mayMiss`, not every arrived frame is seen, so gaps are ignored.
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

  /** Gives up gaps that no late frame can fill any more. */
  #giveUp(nowUs: number): void {
    for (let [oldest] = this.#open; oldest !== undefined; [oldest] = this.#open) {
      if (nowUs - oldest.toUs < COMES_WITHIN_US) return;
      this.#open.shift();
      keepLatest(this.#filled, false, JUDGED_BY);
    }
  }

  /** How many frames the source produced in this step: 1 unless its rhythm suggests more. */
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

  /**
   * The number of a frame that arrives after later ones: between the numbers of its neighbours in time or, if
   * there is none between them, that of the earlier neighbour.
   */
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
