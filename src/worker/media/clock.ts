/** The call's clock in this context: whole microseconds since the call's origin. */
export class CallClock {
  /** `originEpochMs` is the zero of the clock, in milliseconds since the Unix epoch. */
  constructor(readonly originEpochMs: number) {}

  /** The time of `t`, a reading of `performance.now()` (or a `receiveTime`) in this context. */
  timeUs(t: number): number {
    return Math.round((performance.timeOrigin + t - this.originEpochMs) * 1000);
  }

  nowUs(): number {
    return this.timeUs(performance.now());
  }
}

/** A page's clock that is ahead by at most this counts as the worker's clock: clocks are rounded. */
const MOST_AHEAD_US = 20e3;
/** A page's clock that is behind by at most this counts as the worker's clock: on a busy machine, messages are late. */
const MOST_BEHIND_US = 500e3;

/**
 * Converts times on the page's clock to this worker's clock. The two clocks may disagree by hours: `performance.now()`
 * stands still while the machine sleeps, and `performance.timeOrigin` is computed when a page or a worker is created.
 */
export class PageClock {
  /**
   * By how much this worker's clock was ahead of a time that the page had just read. The least is kept, since the delay
   * of a message only makes it larger.
   */
  #leadUs = Infinity;
  #latestUs = -Infinity;

  constructor(private readonly clock: CallClock) {}

  /**
   * `timeUs` is a time that the page read just before it sent the message that has now arrived. The results never
   * decrease, also while an early message that came late still makes the page's clock seem another one.
   */
  toWorker(timeUs: number): number {
    this.#leadUs = Math.min(this.#leadUs, this.clock.nowUs() - timeUs);
    const isSame = this.#leadUs >= -MOST_AHEAD_US && this.#leadUs <= MOST_BEHIND_US;
    this.#latestUs = Math.max(this.#latestUs, isSame ? timeUs : timeUs + this.#leadUs);
    return this.#latestUs;
  }
}

const RTP_WRAP = 2 ** 32;
/** The RTP clock rate of every video payload format is 90 kHz (RFC 3551, section 5). */
const VIDEO_TICKS_PER_MS = 90;

/**
 * Converts 32-bit RTP timestamps, which wrap around, to a time in microseconds that starts at 0 and does not
 * wrap.
 */
export class RtpTimeline {
  #last: number | null = null;
  #ticks = 0;

  timeUs(rtpTimestamp: number): number {
    if (this.#last !== null) {
      const step = (rtpTimestamp - this.#last + RTP_WRAP) % RTP_WRAP;
      this.#ticks += step < RTP_WRAP / 2 ? step : step - RTP_WRAP;
    }
    this.#last = rtpTimestamp;
    return Math.round((this.#ticks / VIDEO_TICKS_PER_MS) * 1000);
  }
}
