import { decodeFeedback, type Core, type LinkOptions, type SenderHalf } from '../core/index.js';
import { Bottleneck } from './bottleneck.js';
import { CallClock } from './clock.js';
import type { EncodedFrame } from './encoded.js';
import type { Pipeline } from './pipeline.js';
import type { MediaConfig, ReceiverReport, SentReport } from './protocol.js';
import type { Reporter } from './reporter.js';
import { appendTrailer } from './trailer.js';

/** Feedback comes each 200 ms; after so long without any, receiver reports take over. */
const FEEDBACK_SILENCE_US = 1_500_000;
/** A key frame after drops is asked for this often at most: it takes a while itself. */
const KEY_FRAME_RETRY_MS = 500;

type Source = 'feedback' | 'receiver-reports' | 'none';

/** The sending side: trailers on frames, feedback in, a target rate out. */
export class SenderPipeline implements Pipeline {
  readonly #half: SenderHalf;
  readonly #clock: CallClock;
  readonly #bottleneck: Bottleneck | null;
  #seq = 0;
  #rttUs = NaN;
  #heardUs = -Infinity;
  #source: Source = 'none';
  #nextKeyFrameMs: number;
  #lastRequestMs = -Infinity;

  constructor(
    core: Core,
    private readonly config: MediaConfig,
    private readonly reporter: Reporter,
    private readonly requestKeyFrame: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#clock = new CallClock(config.originEpochMs);
    this.#half = core.createSender({ preset: config.preset, parameters: config.parameters });
    const options = config.bottleneck;
    this.#bottleneck =
      options === undefined
        ? null
        : new Bottleneck(core.createLink(options), this.#clock, { dropped: () => this.#afterDrop(), failed });
    this.#nextKeyFrameMs = performance.now() + (config.keyFrameIntervalS ?? Infinity) * 1000;
  }

  frame(frame: EncodedFrame, forward: (frame: EncodedFrame) => void): void {
    this.reporter.stats.frames += 1;
    const trailer = { sendTimeUs: this.#clock.nowUs(), frameSeq: this.#seq++, rttUs: this.#rttUs };
    const data = appendTrailer(frame.data, trailer);
    frame.data = data;
    if (this.#bottleneck === null) forward(frame);
    else this.#bottleneck.admit(data.byteLength, () => forward(frame));
  }

  /** Frames behind a dropped one can't be decoded until a key frame comes. */
  #afterDrop(): void {
    const now = performance.now();
    if (now - this.#lastRequestMs < KEY_FRAME_RETRY_MS) return;
    this.#lastRequestMs = now;
    this.requestKeyFrame();
  }

  tick(): void {
    const now = performance.now();
    if (now >= this.#nextKeyFrameMs) {
      this.#nextKeyFrameMs += (this.config.keyFrameIntervalS ?? Infinity) * 1000;
      this.requestKeyFrame();
    }
    this.#run();
    this.flush();
    if (this.#bottleneck !== null) this.reporter.batches([this.#bottleneck.row()]);
  }

  feedback(bytes: ArrayBuffer): void {
    const feedback = decodeFeedback(bytes);
    if (feedback === null) return;
    const nowUs = this.#clock.nowUs();
    this.#heardUs = nowUs;
    this.#source = 'feedback';
    this.#half.pushFeedback(feedback, nowUs);
    this.#run();
  }

  sent(report: SentReport): void {
    // The browser measures the round trip each few seconds only; the echo in feedback is better.
    const rttUs = this.#source === 'feedback' ? NaN : report.rttUs;
    this.#half.pushSent(this.#clock.nowUs(), report.sentBytes, rttUs, report.browserEstimateBps);
    if (Number.isFinite(rttUs)) this.#rttUs = rttUs;
  }

  /** Without feedback only losses are known. */
  receiverReport(report: ReceiverReport): void {
    const nowUs = this.#clock.nowUs();
    if (nowUs - this.#heardUs < FEEDBACK_SILENCE_US) return;
    this.#source = 'receiver-reports';
    const packetsReceived = Math.max(0, report.packetsSent - report.packetsLost);
    this.#half.pushReceiverReport(nowUs, packetsReceived, report.packetsLost);
  }

  #run(): void {
    const silent = this.#clock.nowUs() - this.#heardUs > FEEDBACK_SILENCE_US;
    if (silent && this.#source === 'feedback') this.#source = 'none';
    const { targetBps, rttUs } = this.#half.run(this.#clock.nowUs());
    if (Number.isFinite(rttUs) && rttUs > 0) this.#rttUs = rttUs;
    this.reporter.emit({ kind: 'target', targetBps, rttUs: this.#rttUs, source: this.#source });
  }

  setBottleneck(options: Partial<LinkOptions>): void {
    if (this.#bottleneck === null) throw new Error('this call has no in-page bottleneck');
    this.#bottleneck.set(options);
    this.#record('link', options);
  }

  setParameter(name: string, value: number): void {
    this.#half.setParameter(name, value);
    if (this.config.recordsChanges === true) this.#record('parameter', { name, value });
  }

  setPreset(name: string): void {
    this.#half.setPreset(name);
    if (this.config.recordsChanges === true) this.#record('preset', { name });
  }

  #record(name: string, detail: unknown): void {
    this.flush();
    this.reporter.emit({ kind: 'event', event: { time_us: this.#clock.nowUs(), name, detail } });
  }

  flush(): void {
    this.reporter.batches(this.#half.drain());
  }

  release(): void {
    this.#bottleneck?.release();
  }

  destroy(): void {
    this.#bottleneck?.destroy();
    this.#half.destroy();
  }
}
