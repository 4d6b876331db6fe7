/**
 * Numbers received frames that carry no number, as their sender would have numbered them. Controllers interpret
 * a gap in the numbers as a loss, and a number below the newest as a retransmission. Both can be derived from
 * RTP timestamps. If a source delivers a picture every 33 ms, and then one after 67 ms, a frame may have been
 * lost. If a frame has an earlier timestamp than the frame received before it, it was held up.
 *
 * A frame that the source or the encoder skipped leaves the same gap as a lost frame. But a lost frame is
 * retransmitted and arrives late, while a skipped frame never arrives. Therefore gaps count as losses as long
 * as late frames have filled at least a quarter of the latest gaps. This threshold is low on purpose. A queue
 * that drops frames also makes the encoder skip some frames, and a missed loss is then worse than a false one.
 * If a source has no rhythm (a shared screen), gaps cannot be detected, and its frames are numbered
 * consecutively.
 */

/**
 * A step is the time between consecutive frames. At most this many of the latest steps determine whether the
 * source has a rhythm. Gaps are only detected once half as many steps are known.
 */
const STEPS = 30;
/**
 * A step is regular if it differs from the median step by less than the fraction `NEAR` of the median. The
 * source has a rhythm if at least the fraction `IN_RHYTHM` of the steps are regular.
 */
const NEAR = 0.25;
const IN_RHYTHM = 0.7;
/** The largest deviation of a gap from a whole number of median steps, as a fraction of a median step. */
const NEAR_WHOLE = 0.35;
/** A gap with more missing frames is a pause, not a loss. */
const MOST_MISSING = 30;
/**
 * How many frames are remembered. A frame that is older than all of them gets the number of the oldest, minus
 * 1.
 */
const REMEMBERED = 64;
/**
 * A missing frame that has not arrived after this time was never sent: one of the repeated requests for a lost
 * frame would have succeeded by then.
 */
const COMES_WITHIN_US = 1e6;
/**
 * Gaps count as losses only if late frames have filled at least the fraction `LEAST_FILLED` of the latest
 * `JUDGED_BY` gaps.
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
  /** Times between consecutive frames, in microseconds. The latest is last. */
  readonly #steps: number[] = [];
  /** The latest frames, in the order of their RTP times. */
  #recent: Numbered[] = [];
  /** Gaps that a late frame may still fill. */
  #open: Gap[] = [];
  /** The latest outcomes: true for each late frame, false for each gap that no frame filled in time. */
  readonly #filled: boolean[] = [];
  #newest = -1;

  /** To be called for a frame that carries a number. Later frames without a number continue from this number. */
  told(number: number): void {
    this.#newest = number;
    this.#recent = [];
  }

  /**
   * Returns the number of the frame that has just arrived. `rtpUs` is its RTP timestamp as a time; NaN if the frame
   * has no timestamp. `mayMiss` means that not every arrived frame is passed to this method, so gaps are ignored.
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

  /** Whether gaps currently count as lost frames. */
  get #isBelieved(): boolean {
    const filled = this.#filled.filter((isFilled) => isFilled).length;
    return filled >= LEAST_FILLED * this.#filled.length;
  }

  /** Removes the gaps that no late frame can fill any more. */
  #giveUp(nowUs: number): void {
    for (let [oldest] = this.#open; oldest !== undefined; [oldest] = this.#open) {
      if (nowUs - oldest.toUs < COMES_WITHIN_US) return;
      this.#open.shift();
      keepLatest(this.#filled, false, JUDGED_BY);
    }
  }

  /**
   * How many frames the source has produced since the previous frame. This is 1 unless the step is a gap in the
   * rhythm.
   */
  #framesIn(stepUs: number): number {
    if (!(this.#steps.length >= STEPS / 2)) return 1;
    // A shortcut that avoids sorting: the median is at least the shortest step. So if stepUs is less than 1.5 times the
    // shortest step, it is also less than 1.5 times the median.
    if (stepUs < 1.5 * Math.min(...this.#steps)) return 1;
    const usualUs = [...this.#steps].sort((a, b) => a - b)[this.#steps.length >> 1] ?? NaN;
    const usual = this.#steps.filter((each) => Math.abs(each - usualUs) < NEAR * usualUs);
    const frames = Math.round(stepUs / usualUs);
    const isWhole = Math.abs(stepUs / usualUs - frames) < NEAR_WHOLE;
    const isGap = usual.length >= IN_RHYTHM * this.#steps.length && isWhole && frames > 1;
    return isGap && frames <= MOST_MISSING ? frames : 1;
  }

  /**
   * Returns the number of a frame that arrives after later frames, interpolated between the numbers of its
   * neighbours in RTP time. The result is at least the earlier neighbour's number and, if possible, below the
   * later neighbour's number.
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
