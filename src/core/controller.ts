/** Typed bindings of the two halves of a controller (ToN Fig. 1). Synchronous; no worker needed. */
import { readDensity, type Density, type DensityOptions } from './density.js';
import { feedbackFrom, feedbackNumbers, type Feedback } from './feedback.js';
import { type CoreModule } from './load.js';
import { Session, type ControllerOptions } from './session.js';

/** One arrival: a frame in a call, a packet in a simulation. Times in microseconds. */
export interface ArrivalInput {
  seq: number;
  /** When it left, on the sender's clock. May be left out where absSendTime or rtpTimestamp is given. */
  sendTimeUs?: number;
  arrivalTimeUs: number;
  sizeBytes: number;
  rtpTimestamp?: number;
  /** The 24-bit abs-send-time of RTP (6.18 fixed point seconds). */
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

/** What the sender half asks for; NaN for rates that only other controllers have. */
export interface RateUpdate {
  targetBps: number;
  pacingBps: number;
  aSBps: number;
  aRBps: number;
  fractionLost: number;
  rttUs: number;
}

/** Sees arrivals, emits feedback. */
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
   * Goes through frames together with another half of the same stream, which must be given each arrival, too: results are
   * the same, and most of the work is done once. Before the first arrival; throws CoreError after it.
   */
  shareFrames(other: ReceiverHalf): void {
    this.half.core.check(this.half.abi.ccs_receiver_share_frames(this.half.pointer, other.half.pointer));
  }

  /** The feedback that became due since the last call, or null. */
  takeFeedback(): Feedback | null {
    const count = this.half.abi.ccs_receiver_take_feedback(this.half.pointer);
    return count === 0 ? null : feedbackFrom([...this.read(count)]);
  }
}

/** Sees feedback, gives the target rate. */
export class SenderHalf extends Session {
  constructor(core: CoreModule, options: ControllerOptions) {
    super(core, (abi, { index, flow, seed }) => abi.ccs_sender_create(index, flow, seed), options);
  }

  /** A feedback message that came in at `nowUs` on the sender's clock. Throws CoreError. */
  pushFeedback(f: Feedback, nowUs: number): void {
    const numbers = feedbackNumbers(f);
    this.fill(numbers);
    this.half.core.check(this.half.abi.ccs_sender_push_feedback(this.half.pointer, nowUs, numbers.length));
  }

  /** Cumulative counts of RTCP receiver reports, while no feedback comes. */
  pushReceiverReport(nowUs: number, packetsReceived: number, packetsLost: number): void {
    this.half.core.check(
      this.half.abi.ccs_sender_push_receiver_report(this.half.pointer, nowUs, packetsReceived, packetsLost),
    );
  }

  /** What the sender knows of itself: cumulative bytes sent, RTT, the browser's own estimate. */
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

  /** The rates at `nowUs`; also a `rate` row of the trace. */
  run(nowUs: number): RateUpdate {
    this.half.core.check(this.half.abi.ccs_sender_run(this.half.pointer, nowUs));
    const [targetBps = 0, pacingBps = 0, aSBps = 0, aRBps = 0, fractionLost = 0, rttUs = 0] = this.read(6);
    return { targetBps, pacingBps, aSBps, aRBps, fractionLost, rttUs };
  }

  /** The density of rate and delay that it has learnt, where it is LCC's; else, and before the first feedback, null. */
  density(options: DensityOptions = {}): Density | null {
    return readDensity(this.half.core, this.half.abi.ccs_sender_half(this.half.pointer), options);
  }
}
