/** Received frames as controllers take them, in the worker of a call and beside a call that is only observed. */
import type { ArrivalInput } from '../../core/index.js';
import { RtpTimeline } from './clock.js';
import { ClockDrift } from './clock_drift.js';
import { FrameNumbers } from './frame_numbers.js';
import type { Trailer } from './trailer.js';

/** A frame as it came. */
export interface ReceivedFrame {
  /** What its sender wrote behind it, if it runs ccscope. */
  trailer: Trailer | null;
  rtpTimestamp: number | null;
  arrivalTimeUs: number;
  sizeBytes: number;
  keyFrame: boolean;
  /** Whether frames may be missing that came: it is one of those that an element has shown. Default: false. */
  mayMiss?: boolean;
  /** Its spatial layer (webrtc-svc): all layers of a picture have one RTP timestamp. Default: the lowest. */
  spatialIndex?: number;
}

type SendTime = Required<Pick<ArrivalInput, 'sendTimeUs' | 'seq' | 'rttUs'>>;

/**
 * Send times of frames. With a trailer it is the sender's word; without one it follows from the
 * RTP timestamp, put on the time line of the trailers seen before, or, where there never was one
 * (the far side does not run ccscope), on a time line that begins with the first arrival. What the
 * sender's RTP clock drifts against the receiver's is then taken out.
 */
class SendTimes {
  readonly #rtp = new RtpTimeline();
  #offsetUs: number | null = null;
  #drift = new ClockDrift();
  readonly #numbers = new FrameNumbers();
  #rttUs = NaN;

  /** The send time is NaN for a frame that has neither a trailer nor an RTP timestamp. */
  of({ trailer, rtpTimestamp, arrivalTimeUs, mayMiss }: ReceivedFrame): SendTime {
    const rtpUs = rtpTimestamp === null ? NaN : this.#rtp.timeUs(rtpTimestamp);
    if (trailer !== null) {
      if (rtpTimestamp !== null) this.#offsetUs = trailer.sendTimeUs - rtpUs;
      this.#drift = new ClockDrift();
      this.#numbers.told(trailer.frameSeq);
      this.#rttUs = trailer.rttUs;
      return { sendTimeUs: trailer.sendTimeUs, seq: trailer.frameSeq, rttUs: trailer.rttUs };
    }
    if (rtpTimestamp !== null) this.#offsetUs ??= arrivalTimeUs - rtpUs;
    const seq = this.#numbers.of(rtpUs, mayMiss);
    const sendTimeUs = rtpUs + (this.#offsetUs ?? NaN);
    const driftUs = Number.isNaN(sendTimeUs) ? 0 : this.#drift.of(arrivalTimeUs, arrivalTimeUs - sendTimeUs);
    return { sendTimeUs: sendTimeUs + driftUs, seq, rttUs: this.#rttUs };
  }
}

const REMEMBERED_FRAMES = 256;
const RTP_TIMESTAMPS = 2 ** 32;

/**
 * Frames that came before. Browsers probe with copies of packets that were sent already, so a
 * whole frame may arrive twice; its second arrival says nothing about the path.
 */
class SeenFrames {
  readonly #recent = new Set<number>();

  /** Whether `id` is new. */
  add(id: number): boolean {
    if (this.#recent.has(id)) return false;
    this.#recent.add(id);
    if (this.#recent.size > REMEMBERED_FRAMES)
      for (const oldest of this.#recent) return this.#recent.delete(oldest);
    return true;
  }
}

export class FrameArrivals {
  readonly #times = new SendTimes();
  readonly #seen = new SeenFrames();
  #latestUs = -Infinity;

  /** Null for a frame that came before. */
  of(frame: ReceivedFrame): ArrivalInput | null {
    const { trailer, rtpTimestamp, sizeBytes, keyFrame, spatialIndex = 0 } = frame;
    const layer = Math.max(0, spatialIndex) * RTP_TIMESTAMPS;
    const id = trailer?.frameSeq ?? (rtpTimestamp === null ? null : rtpTimestamp + layer);
    if (id !== null && !this.#seen.add(id)) return null;
    // A frame completed by a retransmission comes out before later frames that were complete earlier.
    // Controllers meet them in this order, so their arrival clock must not go back.
    const arrivalTimeUs = Math.max(this.#latestUs, frame.arrivalTimeUs);
    const { seq, sendTimeUs, rttUs } = this.#times.of({ ...frame, arrivalTimeUs });
    const rtp = rtpTimestamp === null ? {} : { rtpTimestamp };
    return { seq, sendTimeUs, arrivalTimeUs, sizeBytes, ...rtp, keyFrame, rttUs };
  }

  /** A controller took this arrival: those after it are not earlier. */
  took({ arrivalTimeUs }: ArrivalInput): void {
    this.#latestUs = arrivalTimeUs;
  }
}
