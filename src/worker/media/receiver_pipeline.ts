import { encodeFeedback, type ArrivalInput } from '../../core/index.js';
import { CallClock, RtpTimeline } from './clock.js';
import { receiverSlot } from './controller_slot.js';
import type { ReceiverSlot, SlotConfig } from '../slot.js';
import type { EncodedFrame, EncodedFrameMetadata } from './encoded.js';
import type { Pipeline } from './pipeline.js';
import type { InboundReport, MediaConfig } from './protocol.js';
import type { Reporter } from './reporter.js';
import { Slots } from './slots.js';
import { readTrailer, type Trailer } from './trailer.js';

interface SendTime {
  sendTimeUs: number;
  seq: number;
  rttUs: number;
}

/**
 * Send times of frames. With a trailer it is the sender's word; without one it follows from the
 * RTP timestamp, put on the time line of the trailers seen before, or, where there never was one
 * (the far side does not run ccscope), on a time line that begins with the first arrival.
 */
class SendTimes {
  readonly #rtp = new RtpTimeline();
  #offsetUs: number | null = null;
  #seq = -1;
  #rttUs = NaN;

  /** The send time is NaN for a frame that has neither a trailer nor an RTP timestamp. */
  of(trailer: Trailer | null, rtpTimestamp: number | null, arrivalTimeUs: number): SendTime {
    const rtpUs = rtpTimestamp === null ? NaN : this.#rtp.timeUs(rtpTimestamp);
    if (trailer !== null) {
      if (rtpTimestamp !== null) this.#offsetUs = trailer.sendTimeUs - rtpUs;
      this.#seq = trailer.frameSeq;
      this.#rttUs = trailer.rttUs;
      return { sendTimeUs: trailer.sendTimeUs, seq: trailer.frameSeq, rttUs: trailer.rttUs };
    }
    if (rtpTimestamp !== null) this.#offsetUs ??= arrivalTimeUs - rtpUs;
    this.#seq += 1;
    return { sendTimeUs: rtpUs + (this.#offsetUs ?? NaN), seq: this.#seq, rttUs: this.#rttUs };
  }
}

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

const REMEMBERED_FRAMES = 256;

/** The RTP timestamp of a frame, if it has one: others would stay in the time line for good. */
function rtpTimestampOf(frame: EncodedFrame, metadata: EncodedFrameMetadata): number | null {
  const timestamp = metadata.rtpTimestamp ?? frame.timestamp;
  return Number.isInteger(timestamp) && timestamp >= 0 && timestamp < 2 ** 32 ? timestamp : null;
}

/** The receiving side: frames and wire counters in, feedback out. */
export class ReceiverPipeline implements Pipeline {
  readonly #times = new SendTimes();
  readonly #seen = new SeenFrames();
  #source: 'trailer' | 'rtp_timestamp' | null = null;
  #arrivalUs = -Infinity;

  private constructor(
    private readonly slots: Slots<ReceiverSlot>,
    private readonly clock: CallClock,
    private readonly reporter: Reporter,
  ) {}

  /** Throws what the controller in charge does. */
  static async open(
    module: WebAssembly.Module,
    { originEpochMs, controller, shadows }: MediaConfig,
    reporter: Reporter,
  ): Promise<ReceiverPipeline> {
    const clock = new CallClock(originEpochMs);
    const slots = await Slots.open<ReceiverSlot>(
      controller,
      (config, hooks) => receiverSlot(module, config, hooks),
      {
        side: 'receiver',
        reporter,
        nowUs: () => clock.nowUs(),
        onFeedback: (flow, feedback) =>
          reporter.emit({ kind: 'feedback', bytes: encodeFeedback(feedback, flow) }),
      },
    );
    await slots.setShadows(shadows);
    return new ReceiverPipeline(slots, clock, reporter);
  }

  setShadows(shadows: readonly SlotConfig[]): Promise<void> {
    return this.slots.setShadows(shadows);
  }

  frame(frame: EncodedFrame, forward: (frame: EncodedFrame) => void): void {
    const now = performance.now();
    const data = frame.data;
    const metadata = frame.getMetadata();
    const trailer = readTrailer(data);
    const rtpTimestamp = rtpTimestampOf(frame, metadata);
    const { receiveTime = NaN } = metadata;
    const { stats } = this.reporter;
    stats.frames += 1;
    if (!Number.isFinite(receiveTime)) stats.framesWithoutReceiveTime += 1;
    if (trailer === null) stats.framesWithoutTrailer += 1;
    this.#mark(trailer === null ? 'rtp_timestamp' : 'trailer');
    const id = trailer?.frameSeq ?? rtpTimestamp;
    if (id !== null && !this.#seen.add(id)) {
      forward(frame);
      return;
    }
    // A frame completed by a retransmission comes out before later frames that were complete earlier.
    // The controller meets them in this order, so its arrival clock must not go back.
    const receivedMs = Number.isFinite(receiveTime) ? receiveTime : now;
    const arrivalTimeUs = Math.max(this.#arrivalUs, this.clock.timeUs(receivedMs));
    const { sendTimeUs, seq, rttUs } = this.#times.of(trailer, rtpTimestamp, arrivalTimeUs);
    const arrival: ArrivalInput = {
      seq,
      sendTimeUs,
      arrivalTimeUs,
      sizeBytes: data.byteLength,
      ...(rtpTimestamp !== null && { rtpTimestamp }),
      keyFrame: frame.type === 'key',
      rttUs,
    };
    const taken = this.reporter.row(() => this.slots.first.pushArrival(arrival));
    forward(frame);
    if (!taken) return;
    this.#arrivalUs = arrivalTimeUs;
    this.slots.shadows((slot) => void this.reporter.row(() => slot.pushArrival(arrival)));
  }

  /** Marks, in the trace, from which frame on send times are of another kind. */
  #mark(source: 'trailer' | 'rtp_timestamp'): void {
    if (source === this.#source) return;
    this.flush();
    this.#source = source;
    const event = { time_us: this.clock.nowUs(), name: 'send_time_source', detail: source };
    this.reporter.emit({ kind: 'event', event });
  }

  inbound(report: InboundReport): void {
    const taken = this.reporter.row(() => this.slots.first.pushInbound(report));
    if (taken) this.slots.shadows((slot) => void this.reporter.row(() => slot.pushInbound(report)));
  }

  tick(): void {
    this.flush();
  }

  setParameter(name: string, value: number): void {
    this.slots.first.setParameter(name, value);
    this.#record('parameter', { name, value });
  }

  setPreset(name: string): void {
    this.slots.first.setPreset(name);
    this.#record('preset', { name });
  }

  /** An event between the rows that the core consumed before it and those it will consume after. */
  #record(name: string, detail: unknown): void {
    this.flush();
    this.reporter.emit({ kind: 'event', event: { time_us: this.clock.nowUs(), name, detail } });
  }

  flush(): void {
    this.reporter.batches(this.slots.drain());
  }

  release(): void {
    // Nothing is ever held back on this side.
  }

  destroy(): void {
    this.slots.destroy();
  }
}
