import { encodeFeedback } from '../../core/index.js';
import { CallClock } from './clock.js';
import { receiverSlot } from './controller_slot.js';
import type { ReceiverSlot, SlotConfig } from '../slot.js';
import type { EncodedFrame, EncodedFrameMetadata } from './encoded.js';
import { FrameArrivals } from './frame_arrivals.js';
import type { Pipeline } from './pipeline.js';
import type { InboundReport, MediaConfig } from './protocol.js';
import type { Reporter } from './reporter.js';
import { Slots } from './slots.js';
import { readTrailer } from './trailer.js';

/**
 * The RTP timestamp of a frame; null if it is invalid. Using one invalid timestamp would shift all later times.
 */
function rtpTimestampOf(frame: EncodedFrame, metadata: EncodedFrameMetadata): number | null {
  const timestamp = metadata.rtpTimestamp ?? frame.timestamp;
  return Number.isInteger(timestamp) && timestamp >= 0 && timestamp < 2 ** 32 ? timestamp : null;
}

/** The receiving side: takes frames and wire counters, and returns feedback. */
export class ReceiverPipeline implements Pipeline {
  readonly #arrivals = new FrameArrivals();
  #source: 'trailer' | 'rtp_timestamp' | null = null;

  private constructor(
    private readonly slots: Slots<ReceiverSlot>,
    private readonly clock: CallClock,
    private readonly reporter: Reporter,
  ) {}

  /** Throws the errors of the controller in charge. */
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
    const arrival = this.#arrivals.of({
      ...{ trailer, rtpTimestamp, sizeBytes: data.byteLength, keyFrame: frame.type === 'key' },
      arrivalTimeUs: this.clock.timeUs(Number.isFinite(receiveTime) ? receiveTime : now),
    });
    if (arrival === null) {
      forward(frame);
      return;
    }
    const taken = this.reporter.row(() => this.slots.first.pushArrival(arrival));
    forward(frame);
    if (!taken) return;
    this.#arrivals.took(arrival);
    this.slots.shadows((slot) => void this.reporter.row(() => slot.pushArrival(arrival)));
  }

  /** Records the source of send times in the trace, if it differs from the source for the previous frame. */
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

  /**
   * Records an event at its place in the trace: after all rows that the core has consumed so far, and before
   * all later rows.
   */
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
