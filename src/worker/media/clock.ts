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

/** Clocks that differ by at most this count as one clock, because a message may take this long on its way. */
const MOST_DELAY_MS = 20;

/**
 * What a time on the page's clock needs to be on this worker's clock, in microseconds. `pageEpochMs` is the page's time
 * when it sent the message that has just arrived. The two clocks may disagree by hours: `performance.now()` stands still
 * while the machine sleeps, and `performance.timeOrigin` is computed when a page or a worker is created.
 */
export function aheadOfPageUs(pageEpochMs = NaN): number {
  const aheadMs = performance.timeOrigin + performance.now() - pageEpochMs;
  return Math.abs(aheadMs) > MOST_DELAY_MS ? Math.round(aheadMs * 1000) : 0;
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
