/**
 * Typed bindings of a controller's two halves: the receiver half, which sees arrivals, and the sender half,
 * which sets the rate (paper ToN, Fig. 1; see src/papers/README.md). All calls are synchronous; no worker is
 * needed.
 */
import { readDensity, type Density, type DensityOptions } from './density.js';
import { feedbackFrom, feedbackNumbers, type Feedback } from './feedback.js';
import { type CoreModule } from './load.js';
import { Session, type ControllerOptions } from './session.js';

/** The arrival of a frame (in a call) or of a packet (in a simulation). Times are in microseconds. */
export interface ArrivalInput {
  seq: number;
  /** When the frame or packet was sent, on the sender's clock. Optional if absSendTime or rtpTimestamp is given. */
  sendTimeUs?: number;
  arrivalTimeUs: number;
  sizeBytes: number;
  rtpTimestamp?: number;
  /** RTP's 24-bit abs-send-time (6.18 fixed-point seconds). */
  absSendTime?: number;
  keyFrame?: boolean;
  rttUs?: number;
}

/** Cumulative counters of what arrived on the wire, headers included. */
export interface InboundInput {
  timeUs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/** The rates that the sender half requests. A rate that this controller does not have is NaN. */
export interface RateUpdate {
  targetBps: number;
  pacingBps: number;
  aSBps: number;
  aRBps: number;
  fractionLost: number;
  rttUs: number;
}

/** The half that sees arrivals and emits feedback. */
export class ReceiverHalf extends Session {
  constructor(core: CoreModule, options: ControllerOptions) {
    super(core, (abi, { index, flow }) => abi.ccs_receiver_create(index, flow), options);
  }

  /** Throws CoreError that names the field. */
  pushArrival(row: ArrivalInput): void {
    this.fill([
      0,
      row.seq,
      row.sendTimeUs ?? NaN,
      row.arrivalTimeUs,
      row.sizeBytes,
      row.rtpTimestamp ?? NaN,
      row.absSendTime ?? NaN,
      row.keyFrame === undefined ? NaN : Number(row.keyFrame),
      row.rttUs ?? NaN,
    ]);
    this.half.core.check(this.half.abi.ccs_receiver_push_arrivals(this.half.pointer, 1));
  }

  /** Throws CoreError that names the field. */
  pushInbound(row: InboundInput): void {
    this.fill([0, row.timeUs, row.packetsReceived, row.packetsLost, row.bytesReceived]);
    this.half.core.check(this.half.abi.ccs_receiver_push_inbound(this.half.pointer, 1));
  }

  /**
   * Makes two halves with the same input share the analysis of frames, which saves time. The results are the
   * same as without sharing. Every arrival must still be passed to both halves. Throws CoreError if either
   * half has already had an arrival.
   */
  shareFrames(other: ReceiverHalf): void {
    this.half.core.check(this.half.abi.ccs_receiver_share_frames(this.half.pointer, other.half.pointer));
  }

  /** Returns the latest feedback that the half has produced since the previous call; null if there is none. */
  takeFeedback(): Feedback | null {
    const count = this.half.abi.ccs_receiver_take_feedback(this.half.pointer);
    return count === 0 ? null : feedbackFrom([...this.read(count)]);
  }
}

/** The half that gets feedback and sets the target rate. */
export class SenderHalf extends Session {
  constructor(core: CoreModule, options: ControllerOptions) {
    super(core, (abi, { index, flow, seed }) => abi.ccs_sender_create(index, flow, seed), options);
  }

  /** Takes a feedback message that arrived at `nowUs` on the sender's clock. Throws CoreError. */
  pushFeedback(f: Feedback, nowUs: number): void {
    const numbers = feedbackNumbers(f);
    this.fill(numbers);
    this.half.core.check(this.half.abi.ccs_sender_push_feedback(this.half.pointer, nowUs, numbers.length));
  }

  /** Takes the cumulative counts of RTCP receiver reports. To be called only while no feedback arrives. */
  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void {
    this.half.core.check(
      this.half.abi.ccs_sender_push_receiver_report(this.half.pointer, nowUs, packetsReceived, packetsLost),
    );
  }

  /** Takes the cumulative bytes that were sent, the RTT, and the browser's own estimate. */
  pushSent(nowUs: number, cumulativeSentBytes: number, rttUs = NaN, browserEstimateBps = NaN): void {
    this.half.core.check(
      this.half.abi.ccs_sender_push_sent(
        this.half.pointer,
        nowUs,
        cumulativeSentBytes,
        rttUs,
        browserEstimateBps,
      ),
    );
  }

  /** Computes the rates at `nowUs`, and records a row of the table `rate`. */
  run(nowUs: number): RateUpdate {
    this.half.core.check(this.half.abi.ccs_sender_run(this.half.pointer, nowUs));
    const [targetBps = 0, pacingBps = 0, aSBps = 0, aRBps = 0, fractionLost = 0, rttUs = 0] = this.read(6);
    return { targetBps, pacingBps, aSBps, aRBps, fractionLost, rttUs };
  }

  /**
   * The joint density of rate and delay that an LCC half has learnt. Null for other controllers; null also before
   * the first feedback.
   */
  density(options: DensityOptions = {}): Density | null {
    return readDensity(this.half.core, this.half.abi.ccs_sender_half(this.half.pointer), options);
  }
}
