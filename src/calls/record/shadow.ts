/**
 * Chrome's delay-based controller run beside a call: it sees a received video stream frame by frame and
 * says what it would have done. Send times come from RTP timestamps, since nothing is added to frames.
 */
import {
  loadCore,
  type Core,
  type ReceiverHalf,
  type SenderHalf,
  type TraceBatch,
} from '../../core/index.js';
import { IP_UDP_HEADER_BYTES } from '../metrics.js';
import type { OutboundStats, StatsSample } from './record.js';
import { FrameArrivals } from '../../worker/media/frame_arrivals.js';

export const SHADOW = { controller: 'gcc', preset: 'gcc-live' } as const;
/** How often the sender half gives rates. */
const RUN_US = 100_000;

/** One frame of a stream. */
export interface ShadowFrame {
  rtpTimestamp: number;
  arrivalUs: number;
  sizeBytes: number;
  keyFrame: boolean;
}

interface Step {
  timeUs: number;
  run(): void;
}

const orZero = (value: number): number => (Number.isNaN(value) ? 0 : value);

/** The shadow of one received stream. */
export class StreamShadow {
  readonly #receiver: ReceiverHalf;
  readonly #sender: SenderHalf;
  readonly #arrivals = new FrameArrivals();
  #steps: Step[] = [];
  #nowUs = -Infinity;
  #nextRunUs: number | null = null;

  constructor(core: Core, flow: number) {
    this.#receiver = core.createReceiver({ ...SHADOW, flow });
    this.#sender = core.createSender({ ...SHADOW, flow });
  }

  frame(frame: ShadowFrame): void {
    this.#steps.push({ timeUs: frame.arrivalUs, run: () => this.#arrive(frame) });
  }

  /** What the receiving side counted. */
  received({ timeUs, inbound }: StatsSample, ssrc: number): void {
    const stats = inbound.find((each) => each.ssrc === ssrc);
    if (stats === undefined || Number.isNaN(stats.packetsReceived + stats.bytesReceived)) return;
    const { packetsReceived, packetsLost, bytesReceived, headerBytesReceived } = stats;
    const row = {
      timeUs,
      packetsReceived,
      packetsLost: orZero(packetsLost),
      bytesReceived: bytesReceived + orZero(headerBytesReceived) + IP_UDP_HEADER_BYTES * packetsReceived,
    };
    this.#steps.push({ timeUs, run: () => this.#receiver.pushInbound({ ...row, timeUs: this.#nowUs }) });
  }

  /** What the sending side counted, where that is under test. */
  sent({ timeUs, outbound, rttS, availableOutgoingBps }: StatsSample): void {
    const videos = outbound.filter(({ kind }) => kind === 'video');
    if (videos.length === 0) return;
    const bytes = videos.reduce((sum, stats) => sum + wireBytes(stats), 0);
    if (Number.isNaN(bytes)) return;
    const run = () => this.#sender.pushSent(this.#nowUs, bytes, rttS * 1e6, availableOutgoingBps);
    this.#steps.push({ timeUs, run });
  }

  /** Goes through everything up to `untilUs`, in the order of time. Returns the new rows. */
  advance(untilUs: number): TraceBatch[] {
    const due = this.#steps.filter(({ timeUs }) => timeUs <= untilUs);
    this.#steps = this.#steps.filter(({ timeUs }) => timeUs > untilUs);
    due.sort((a, b) => a.timeUs - b.timeUs);
    for (const step of due) {
      this.#runUntil(step.timeUs);
      // What came later than told earlier counts as now: the core's clock does not go back.
      this.#nowUs = Math.max(this.#nowUs, step.timeUs);
      step.run();
    }
    this.#runUntil(untilUs);
    return [...this.#receiver.drain(), ...this.#sender.drain()];
  }

  #runUntil(timeUs: number): void {
    if (this.#nextRunUs === null) return;
    for (; this.#nextRunUs <= timeUs; this.#nextRunUs += RUN_US) {
      this.#nowUs = Math.max(this.#nowUs, this.#nextRunUs);
      this.#sender.run(this.#nowUs);
    }
  }

  #arrive(frame: ShadowFrame): void {
    const arrival = this.#arrivals.of({ ...frame, trailer: null, arrivalTimeUs: this.#nowUs });
    if (arrival === null) return;
    this.#nextRunUs ??= this.#nowUs;
    this.#receiver.pushArrival(arrival);
    this.#arrivals.took(arrival);
    const feedback = this.#receiver.takeFeedback();
    if (feedback !== null) this.#sender.pushFeedback(feedback, this.#nowUs);
  }

  destroy(): void {
    this.#receiver.destroy();
    this.#sender.destroy();
  }
}

function wireBytes({ bytesSent, headerBytesSent, packetsSent }: OutboundStats): number {
  return bytesSent + orZero(headerBytesSent) + IP_UDP_HEADER_BYTES * packetsSent;
}

/** Loads the core once for all shadows of an observer; null when it cannot be loaded. */
export async function loadShadowCore(): Promise<Core | null> {
  return loadCore().catch(() => null);
}
