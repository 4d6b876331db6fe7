/**
 * Shadows: controllers that watch a call without controlling it. They see a received video stream frame by
 * frame, and report how they would have controlled its rate. Send times are derived from RTP timestamps, since
 * frames carry no send times. A replay of the recorded arrivals gives the same rows: both in the call and in a
 * replay, the sender's part of a controller handles each feedback at once, on the receiver's clock.
 */
import {
  type ArrivalInput,
  type Core,
  type InboundInput,
  type ReceiverHalf,
  type SenderHalf,
  type TableName,
  type TraceBatch,
} from '../../core/index.js';
import { FrameArrivals } from '../../worker/media/frame_arrivals.js';
import { IP_UDP_HEADER_BYTES } from '../metrics.js';
import type { OutboundStats, StatsSample } from './record.js';
import type { ShadowFlow } from './shadow_flow.js';

/**
 * The tables that each controller of a stream records, except the first controller. That one also records the
 * input tables, which are the same for all controllers.
 */
const OUTPUTS: readonly TableName[] = ['group', 'feedback', 'rate', 'nada', 'lcc'];

/** One frame of a stream. */
export interface ShadowFrame {
  rtpTimestamp: number;
  arrivalUs: number;
  sizeBytes: number;
  keyFrame: boolean;
  /** Whether other frames of the stream may have arrived without being reported here. */
  mayMiss: boolean;
  spatialIndex: number;
}

interface Step {
  timeUs: number;
  run(): void;
}

/** The sending side's own measurements; NaN if that side is not under test. */
interface Sent {
  bytes: number;
  browserEstimateBps: number;
}

const orZero = (value: number): number => (Number.isNaN(value) ? 0 : value);

/**
 * One controller of the core: its receiver's part, which produces feedback, and its sender's part, which
 * computes the target rate.
 */
class Halves {
  readonly #receiver: ReceiverHalf;
  readonly #sender: SenderHalf;

  constructor(core: Core, shadow: ShadowFlow, record?: readonly TableName[]) {
    const options = { ...shadow, ...(record === undefined ? {} : { record }) };
    this.#receiver = core.createReceiver(options);
    this.#sender = core.createSender(options);
  }

  /** Reuses the frame analysis of another controller on the same stream instead of repeating it. */
  shareFrames(other: Halves): void {
    this.#receiver.shareFrames(other.#receiver);
  }

  arrival(row: ArrivalInput, rttUs: number, sent: Sent): void {
    this.#receiver.pushArrival(row);
    this.#feedback(rttUs, sent);
  }

  inbound(row: InboundInput, rttUs: number, sent: Sent): void {
    this.#receiver.pushInbound(row);
    this.#feedback(rttUs, sent);
  }

  #feedback(rttUs: number, { bytes, browserEstimateBps }: Sent): void {
    const feedback = this.#receiver.takeFeedback();
    if (feedback === null) return;
    const { timeUs } = feedback;
    this.#sender.pushFeedback(feedback, timeUs);
    if (![rttUs, bytes, browserEstimateBps].every(Number.isNaN))
      this.#sender.pushSent(timeUs, bytes, rttUs, browserEstimateBps);
    this.#sender.run(timeUs);
  }

  drain(): TraceBatch[] {
    return [...this.#receiver.drain(), ...this.#sender.drain()];
  }

  destroy(): void {
    this.#receiver.destroy();
    this.#sender.destroy();
  }
}

/** The shadow controllers of one received stream. */
export class StreamShadow {
  readonly #halves: readonly Halves[];
  readonly #arrivals = new FrameArrivals();
  #steps: Step[] = [];
  #nowUs = -Infinity;
  #rttUs = NaN;
  /**
   * The RTT in the latest arrival row that has an RTT. A newer RTT is not used, since a replay of the rows
   * would not know it.
   */
  #arrivedRttUs = NaN;
  #sent: Sent = { bytes: NaN, browserEstimateBps: NaN };

  /** The first controller in `flows` also records the input tables. */
  constructor(core: Core, flows: readonly ShadowFlow[]) {
    this.#halves = flows.map((flow, i) => new Halves(core, flow, i === 0 ? undefined : OUTPUTS));
    const [first, ...others] = this.#halves;
    if (first !== undefined) for (const each of others) each.shareFrames(first);
  }

  frame(frame: ShadowFrame): void {
    this.#steps.push({ timeUs: frame.arrivalUs, run: () => this.#arrive(frame) });
  }

  /** Processes the counters of the receiving side. */
  received({ timeUs, inbound, rttS }: StatsSample, ssrc: number): void {
    const stats = inbound.find((each) => each.ssrc === ssrc);
    if (stats === undefined || Number.isNaN(stats.packetsReceived + stats.bytesReceived)) return;
    const { packetsReceived, packetsLost, bytesReceived, headerBytesReceived } = stats;
    const row = {
      packetsReceived,
      packetsLost: orZero(packetsLost),
      bytesReceived: bytesReceived + orZero(headerBytesReceived) + IP_UDP_HEADER_BYTES * packetsReceived,
    };
    const run = (): void => {
      if (!Number.isNaN(rttS)) this.#rttUs = rttS * 1e6;
      const inboundRow = { ...row, timeUs: this.#nowUs };
      for (const each of this.#halves) each.inbound(inboundRow, this.#arrivedRttUs, this.#sent);
    };
    this.#steps.push({ timeUs, run });
  }

  /** Processes the counters of the sending side, if that side is under test. */
  sent({ timeUs, outbound, rttS, availableOutgoingBps }: StatsSample): void {
    const videos = outbound.filter(({ kind }) => kind === 'video');
    if (videos.length === 0) return;
    const bytes = videos.reduce((sum, stats) => sum + wireBytes(stats), 0);
    if (Number.isNaN(bytes)) return;
    const run = (): void => {
      if (!Number.isNaN(rttS)) this.#rttUs = rttS * 1e6;
      this.#sent = { bytes, browserEstimateBps: availableOutgoingBps };
    };
    this.#steps.push({ timeUs, run });
  }

  /** Passes all frames and counters up to `untilUs` to the controllers, in time order. Returns the new rows. */
  advance(untilUs: number): TraceBatch[] {
    const due = this.#steps.filter(({ timeUs }) => timeUs <= untilUs);
    if (due.length === 0) return [];
    this.#steps = this.#steps.filter(({ timeUs }) => timeUs > untilUs);
    due.sort((a, b) => a.timeUs - b.timeUs);
    for (const step of due) {
      // The core's clock never runs backwards. So a late frame or sample is processed at the latest time so far.
      this.#nowUs = Math.max(this.#nowUs, step.timeUs);
      step.run();
    }
    return this.#halves.flatMap((each) => each.drain());
  }

  #arrive(frame: ShadowFrame): void {
    const arrival = this.#arrivals.of({ ...frame, trailer: null, arrivalTimeUs: this.#nowUs });
    if (arrival === null) return;
    const row = { ...arrival, rttUs: this.#rttUs };
    if (!Number.isNaN(this.#rttUs)) this.#arrivedRttUs = this.#rttUs;
    for (const each of this.#halves) each.arrival(row, this.#arrivedRttUs, this.#sent);
    this.#arrivals.took(arrival);
  }

  destroy(): void {
    for (const each of this.#halves) each.destroy();
  }
}

function wireBytes({ bytesSent, headerBytesSent, packetsSent }: OutboundStats): number {
  return bytesSent + orZero(headerBytesSent) + IP_UDP_HEADER_BYTES * packetsSent;
}
