import { decodeFeedback, loadCore, type Link, type LinkOptions } from '../../core/index.js';
import { Bottleneck } from './bottleneck.js';
import { CallClock } from './clock.js';
import { senderSlot } from './controller_slot.js';
import type { SlotConfig } from '../slot.js';
import type { EncodedFrame } from './encoded.js';
import type { Pipeline } from './pipeline.js';
import type { MediaConfig, ReceiverReport, SentReport } from './protocol.js';
import type { Reporter } from './reporter.js';
import { SenderSeat } from './sender_seat.js';
import { Slots } from './slots.js';
import { appendTrailer } from './trailer.js';

/**
 * The shortest time between two requests for a key frame after drops. A requested key frame takes a while to
 * arrive.
 */
const KEY_FRAME_RETRY_MS = 500;

/** The functions of the media worker that a sender pipeline calls. */
interface SenderHost {
  reporter: Reporter;
  requestKeyFrame(): void;
  /** Called for errors of the bottleneck. Most of them happen in a timer, so no method could throw them. */
  failed(error: unknown): void;
}

/** The sending side: appends trailers to frames, takes feedback, and reports a target rate. */
export class SenderPipeline implements Pipeline {
  readonly #bottleneck: Bottleneck | null;
  #seq = 0;
  #rttUs = NaN;
  #nextKeyFrameMs: number;
  #lastRequestMs = -Infinity;

  private constructor(
    private readonly slots: Slots<SenderSeat>,
    private readonly clock: CallClock,
    private readonly config: MediaConfig,
    private readonly host: SenderHost,
    link: Link | null,
  ) {
    const { failed } = host;
    this.#bottleneck =
      link === null ? null : new Bottleneck(link, clock, { dropped: () => this.#afterDrop(), failed });
    this.#nextKeyFrameMs = performance.now() + (config.keyFrameIntervalS ?? Infinity) * 1000;
  }

  /** Throws the errors of the controller in charge. */
  static async open(
    module: WebAssembly.Module,
    config: MediaConfig,
    host: SenderHost,
  ): Promise<SenderPipeline> {
    const clock = new CallClock(config.originEpochMs);
    const { bottleneck } = config;
    const link = bottleneck === undefined ? null : (await loadCore(module)).createLink(bottleneck);
    const slots = await Slots.open<SenderSeat>(
      config.controller,
      async (slot, hooks) => new SenderSeat(await senderSlot(module, slot, hooks), slot),
      {
        side: 'sender',
        reporter: host.reporter,
        nowUs: () => clock.nowUs(),
        onFeedback: () => undefined,
      },
    );
    await slots.setShadows(config.shadows);
    return new SenderPipeline(slots, clock, config, host, link);
  }

  setShadows(shadows: readonly SlotConfig[]): Promise<void> {
    return this.slots.setShadows(shadows);
  }

  frame(frame: EncodedFrame, forward: (frame: EncodedFrame) => void): void {
    this.host.reporter.stats.frames += 1;
    const trailer = { sendTimeUs: this.clock.nowUs(), frameSeq: this.#seq++, rttUs: this.#rttUs };
    const data = appendTrailer(frame.data, trailer);
    frame.data = data;
    if (this.#bottleneck === null) forward(frame);
    else this.#bottleneck.admit(data.byteLength, () => forward(frame));
  }

  /** Requests a key frame, since frames after a dropped frame cannot be decoded until the next key frame. */
  #afterDrop(): void {
    const now = performance.now();
    if (now - this.#lastRequestMs < KEY_FRAME_RETRY_MS) return;
    this.#lastRequestMs = now;
    this.host.requestKeyFrame();
  }

  tick(): void {
    const now = performance.now();
    if (now >= this.#nextKeyFrameMs) {
      this.#nextKeyFrameMs += (this.config.keyFrameIntervalS ?? Infinity) * 1000;
      this.host.requestKeyFrame();
    }
    this.#run();
    this.slots.shadows((seat) => void seat.run(this.clock.nowUs()));
    this.flush();
    if (this.#bottleneck !== null) this.host.reporter.batches(this.#bottleneck.rows());
  }

  feedback(bytes: ArrayBuffer): void {
    const message = decodeFeedback(bytes);
    if (message === null) return;
    const nowUs = this.clock.nowUs();
    this.slots.at(message.flow, (seat) => seat.pushFeedback(message.feedback, nowUs));
    if (message.flow === 0) this.#run();
  }

  sent(report: SentReport): void {
    const nowUs = this.clock.nowUs();
    const taken = this.host.reporter.row(() => {
      const rttUs = this.slots.first.sent(report, nowUs);
      if (Number.isFinite(rttUs)) this.#rttUs = rttUs;
    });
    if (taken) this.slots.shadows((seat) => void this.host.reporter.row(() => seat.sent(report, nowUs)));
  }

  /**
   * Passes on a receiver report. Without feedback, the losses in the report are the only information about the
   * network.
   */
  receiverReport(report: ReceiverReport): void {
    const nowUs = this.clock.nowUs();
    const taken = this.host.reporter.row(() => this.slots.first.receiverReport(report, nowUs));
    if (taken)
      this.slots.shadows((seat) => void this.host.reporter.row(() => seat.receiverReport(report, nowUs)));
  }

  #run(): void {
    const nowUs = this.clock.nowUs();
    const { targetBps, rttUs } = this.slots.first.run(nowUs);
    if (Number.isFinite(rttUs) && rttUs > 0) this.#rttUs = rttUs;
    const { source } = this.slots.first;
    this.host.reporter.emit({ kind: 'target', targetBps, rttUs: this.#rttUs, source });
  }

  setBottleneck(options: Partial<LinkOptions>): void {
    if (this.#bottleneck === null) throw new Error('this call has no in-page bottleneck');
    this.#bottleneck.set(options);
    this.#record('link', options);
  }

  setParameter(name: string, value: number): void {
    this.slots.first.setParameter(name, value);
    if (this.config.recordsChanges === true) this.#record('parameter', { name, value });
  }

  setPreset(name: string): void {
    this.slots.first.setPreset(name);
    if (this.config.recordsChanges === true) this.#record('preset', { name });
  }

  #record(name: string, detail: unknown): void {
    this.flush();
    this.host.reporter.emit({ kind: 'event', event: { time_us: this.clock.nowUs(), name, detail } });
  }

  flush(): void {
    this.host.reporter.batches(this.slots.drain());
  }

  release(): void {
    this.#bottleneck?.release();
  }

  destroy(): void {
    this.#bottleneck?.destroy();
    this.slots.destroy();
  }
}
