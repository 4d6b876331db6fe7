/**
 * Typed bindings of a controller's two halves: the receiver half, which sees arrivals, and the sender half, which
 * sets the rate (Fig. 1 of the ToN paper; see src/papers/README.md). All calls are synchronous, and need no
 * worker.
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
  /** RTP's abs-send-time: seconds as a 24-bit fixed-point number (6.18). */
  absSendTime?: number;
  keyFrame?: boolean;
  rttUs?: number;
}

/** Cumulative counters of the packets on the wire, including their headers. */
export interface InboundInput {
  timeUs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/**
 * The rates that the sender half requests: for the encoder (target) and for the pacer. `aSBps` and `aRBps`
 * are GCC's loss-based rate A_s and delay-based rate A_r. NaN stands for a number that the controller does
 * not compute.
 */
export interface RateUpdate {
  targetBps: number;
  pacingBps: number;
  aSBps: number;
  aRBps: number;
  fractionLost: number;
  rttUs: number;
}

/** The half that sees arrivals and produces feedback. */
export class ReceiverHalf extends Session {
  constructor(core: CoreModule, options: ControllerOptions) {
    super(core, (abi, { index, flow }) => abi.ccs_receiver_create(index, flow), options);
  }

  /** Throws a CoreError that names the field. */
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

  /** Throws a CoreError that names the field. */
  pushInbound(row: InboundInput): void {
    this.fill([0, row.timeUs, row.packetsReceived, row.packetsLost, row.bytesReceived]);
    this.half.core.check(this.half.abi.ccs_receiver_push_inbound(this.half.pointer, 1));
  }

  /**
   * Lets two halves that receive the same arrivals share one analysis of frames, to save time. The results do not
   * change. Every arrival must still be passed to both halves. Throws CoreError if either half has already
   * received an arrival.
   */
  shareFrames(other: ReceiverHalf): void {
    this.half.core.check(this.half.abi.ccs_receiver_share_frames(this.half.pointer, other.half.pointer));
  }

  /** Returns the latest feedback since the previous call; null if there is none. */
  takeFeedback(): Feedback | null {
    const count = this.half.abi.ccs_receiver_take_feedback(this.half.pointer);
    return count === 0 ? null : feedbackFrom([...this.read(count)]);
  }
}

/** The half that receives feedback and sets the target rate. */
export class SenderHalf extends Session {
  constructor(core: CoreModule, options: ControllerOptions) {
    super(core, (abi, { index, flow, seed }) => abi.ccs_sender_create(index, flow, seed), options);
  }

  /**
   * Passes a feedback message to the half. `nowUs` is the arrival time of the message, on the sender's clock.
   * Throws CoreError.
   */
  pushFeedback(f: Feedback, nowUs: number): void {
    const numbers = feedbackNumbers(f);
    this.fill(numbers);
    this.half.core.check(this.half.abi.ccs_sender_push_feedback(this.half.pointer, nowUs, numbers.length));
  }

  /**
   * Passes the cumulative counts of RTCP receiver reports to the half. To be called only while no feedback
   * messages arrive.
   */
  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void {
    this.half.core.check(
      this.half.abi.ccs_sender_push_receiver_report(this.half.pointer, nowUs, packetsReceived, packetsLost),
    );
  }

  /**
   * Passes the cumulative number of sent bytes, the RTT, and the browser's own bandwidth estimate to the
   * half. NaN stands for an unknown number.
   */
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
   * The joint density of rate and delay that a half of LCC has learnt. Null for other controllers, and before the
   * first feedback.
   */
  density(options: DensityOptions = {}): Density | null {
    return readDensity(this.half.core, this.half.abi.ccs_sender_half(this.half.pointer), options);
  }
}
