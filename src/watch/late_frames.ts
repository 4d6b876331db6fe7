/**
 * Finds frames that became complete after a frame that was sent later. The cause is a retransmission after a
 * loss (RFC 4588), or reordering in the network. Browsers return frames in decoding order, and report when the
 * last packet of each frame arrived.
 */
import { NUMBERS_PER_FRAME } from '../inject/protocol.js';

/** A frame that was overtaken by a later frame. */
export interface LateFrame {
  ssrc: number;
  rtpTimestamp: number;
  arrivalUs: number;
  /** When the later frame was complete. */
  overtakenUs: number;
}

interface Latest {
  rtpTimestamp: number;
  arrivalUs: number;
  isTold: boolean;
}

const RTP_WRAP = 2 ** 32;

const isBefore = (a: number, b: number): boolean => {
  const step = (b - a + RTP_WRAP) % RTP_WRAP;
  return step > 0 && step < RTP_WRAP / 2;
};

/**
 * Finds the late frames of an endpoint. Pass the frames to `see` in the order in which the browser returns
 * them.
 */
export class LateFrames {
  readonly #latest = new Map<number, Latest>();

  /** `rows` has NUMBERS_PER_FRAME numbers for each frame. */
  see(rows: readonly number[]): LateFrame[] {
    const found: LateFrame[] = [];
    for (let at = 0; at + NUMBERS_PER_FRAME <= rows.length; at += NUMBERS_PER_FRAME) {
      const [ssrc = 0, rtpTimestamp = 0, arrivalUs = 0] = rows.slice(at, at + 3);
      const latest = this.#latest.get(ssrc);
      if (latest === undefined || arrivalUs >= latest.arrivalUs) {
        if (
          latest !== undefined &&
          arrivalUs > latest.arrivalUs &&
          isBefore(rtpTimestamp, latest.rtpTimestamp)
        )
          found.push({ ssrc, rtpTimestamp, arrivalUs, overtakenUs: latest.arrivalUs });
        this.#latest.set(ssrc, { rtpTimestamp, arrivalUs, isTold: false });
      } else if (!latest.isTold && isBefore(latest.rtpTimestamp, rtpTimestamp)) {
        latest.isTold = true;
        const { rtpTimestamp: late, arrivalUs: cameUs } = latest;
        found.push({ ssrc, rtpTimestamp: late, arrivalUs: cameUs, overtakenUs: arrivalUs });
      }
    }
    return found;
  }
}
