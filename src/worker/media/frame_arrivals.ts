/**
 * Converts received frames to the arrivals that controllers take. Used in the media worker of a call, and for a
 * call that is only observed.
 */
import type { ArrivalInput } from '../../core/index.js';
import { RtpTimeline } from './clock.js';
import { ClockDrift } from './clock_drift.js';
import { FrameNumbers } from './frame_numbers.js';
import type { Trailer } from './trailer.js';

/** A frame as it arrived. */
export interface ReceivedFrame {
  /** The trailer that its sender appended, if the sender runs ccscope. */
  trailer: Trailer | null;
  rtpTimestamp: number | null;
  arrivalTimeUs: number;
  sizeBytes: number;
  keyFrame: boolean;
  /**
   * Whether some arrived frames may be missing from this input. This is the case if frames are observed as a
   * video element shows them. Default: false.
   */
  mayMiss?: boolean;
  /**
   * The frame's spatial layer (webrtc-svc). All layers of a picture have the same RTP timestamp. Default: the
   * lowest layer.
   */
  spatialIndex?: number;
}

type SendTime = Required<Pick<ArrivalInput, 'sendTimeUs' | 'seq' | 'rttUs'>>;

/**
 * Finds the send times of frames. A trailer contains the sender's own time. Without a trailer, the send time is
 * the frame's RTP time plus an offset. The offset is taken from the latest trailer. If there has been no
 * trailer yet (the far side does not run ccscope), the first frame's send time is set to its arrival time. For
 * send times without a trailer, the drift of the sender's RTP clock relative to the receiver's clock is
 * removed.
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
 * Remembers which frames have arrived. Browsers probe the path with copies of packets that were already sent,
 * so a complete frame may arrive twice. The second arrival contains no information about the path.
 */
class SeenFrames {
  readonly #recent = new Set<number | string>();

  /** Whether `id` is new. */
  add(id: number | string): boolean {
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

  /** Returns the arrival of a frame, or null if the same frame has arrived before. */
  of(frame: ReceivedFrame): ArrivalInput | null {
    const { trailer, rtpTimestamp, sizeBytes, keyFrame, spatialIndex = 0 } = frame;
    const layer = Math.max(0, spatialIndex) * RTP_TIMESTAMPS;
    // The frame number alone would not do: a sender that attaches again counts from 0 again.
    const numbered = trailer === null ? null : `${trailer.frameSeq}/${rtpTimestamp ?? ''}`;
    const id = numbered ?? (rtpTimestamp === null ? null : rtpTimestamp + layer);
    if (id !== null && !this.#seen.add(id)) return null;
    // A frame that waits for a retransmission holds back later frames, so later frames can have earlier
    // arrival times. Controllers need arrival times that never decrease.
    const arrivalTimeUs = Math.max(this.#latestUs, frame.arrivalTimeUs);
    const { seq, sendTimeUs, rttUs } = this.#times.of({ ...frame, arrivalTimeUs });
    const rtp = rtpTimestamp === null ? {} : { rtpTimestamp };
    return { seq, sendTimeUs, arrivalTimeUs, sizeBytes, ...rtp, keyFrame, rttUs };
  }

  /**
   * To be called when a controller has accepted this arrival. Later arrivals never get an earlier time than
   * this one.
   */
  took({ arrivalTimeUs }: ArrivalInput): void {
    this.#latestUs = arrivalTimeUs;
  }
}
