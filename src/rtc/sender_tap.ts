import type { LinkOptions } from '../core/index.js';
import { message } from '../worker/media/errors.js';
import type { MediaWorker } from '../worker/media/media_client.js';
import type { WorkerEvent } from '../worker/media/protocol.js';
import { Actuator } from './actuator.js';
import { DEFAULT_FLOOR_KBPS } from './sdp.js';
import { readOutbound, type OutboundCounters } from './stats.js';
import type { StatusBoard } from './status.js';
import { Tap } from './tap.js';
import type { ControlOptions } from './types.js';

const POLL_MS = 200;
/**
 * The interval at which the losses from RTCP receiver reports are passed to the controller. The controller
 * uses them if feedback is missing; its loss-based part is designed for this interval.
 */
const REPORT_MS = 1000;
/** If the takeover works, the browser's estimate rises to its floor within this time. */
const VERIFY_MS = 5000;
const FLOOR_SEEN = 0.95;
/**
 * Feedback starts with the first frames. If none has arrived this long after the connection was established, feedback
 * is reported as missing.
 */
const FEEDBACK_PATIENCE_MS = 2000;
const REPAIR_AGAIN_MS = 300;

export interface SenderOptions extends ControlOptions {
  bottleneck?: LinkOptions;
  keyFrameIntervalS?: number;
  /**
   * Whether this side records changes of parameters; default: yes. If the page has both sides, only the receiving
   * side records them.
   */
  recordsChanges?: boolean;
  /** Called once, when the first packets have been sent. */
  onSending?(): void;
}

/** The sending side of a connection. The constructor attaches at once; `start` starts the controllers. */
export class SenderTap extends Tap<RTCRtpSender, SenderOptions> {
  readonly #actuator: Actuator;
  #latest: OutboundCounters | null = null;
  #isSending = false;
  #connectedAt = NaN;
  #reportedAt = -Infinity;
  #rttUs = NaN;
  #held = false;
  /** When the takeover was last confirmed or, if it never was, when the connection was established. */
  #verifiedAt = NaN;

  constructor(sender: RTCRtpSender, worker: MediaWorker, options: SenderOptions, board: StatusBoard) {
    const { minBitrateBps, maxBitrateBps, bottleneck, keyFrameIntervalS, recordsChanges = true } = options;
    const config = {
      side: 'sender' as const,
      recordsChanges,
      ...(bottleneck === undefined ? {} : { bottleneck }),
      ...(keyFrameIntervalS === undefined ? {} : { keyFrameIntervalS }),
    };
    super(sender, worker, config, options, board, POLL_MS);
    this.#actuator = new Actuator(sender, {
      minBitrateBps,
      maxBitrateBps,
      applied: (bitrateBps) => {
        this.board.clear('set-parameters');
        this.board.update({ encoderTargetBps: bitrateBps });
      },
      rejected: (error) =>
        this.board.notice(
          'warning',
          'set-parameters',
          `The browser refused to change the encoder’s settings (${message(error)}); the previous settings stay.`,
          'nothing to do: ccscope tries again within 5 s',
        ),
    });
  }

  /**
   * The round-trip time that the feedback measures or, without feedback, the browser's value. NaN before the first
   * measurement.
   */
  get rttUs(): number {
    return Number.isNaN(this.#rttUs) ? (this.#latest?.rttUs ?? NaN) : this.#rttUs;
  }

  /** The browser's latest statistics on this sender. */
  get counters(): OutboundCounters | null {
    return this.#latest;
  }

  protected override hear(event: WorkerEvent): void {
    if (event.kind === 'key-frame') this.requestKeyFrame();
    // After a fault, the worker no longer runs the controllers. The encoder keeps its last limit.
    if (event.kind === 'fault') this.board.update({ effectiveMode: 'observe' });
    if (event.kind !== 'target') return;
    this.#rttUs = event.rttUs;
    if (event.source === 'feedback') this.board.clear('feedback-missing');
    else if (performance.now() - this.#connectedAt > FEEDBACK_PATIENCE_MS)
      this.#feedbackMissing(event.source);
    // The worker's last targets may arrive after `detach` or a fault. They must not limit the encoder again.
    const isLimited = this.options.mode !== 'observe' && !this.#held && this.worker !== null;
    if (isLimited) this.#actuator.want(event.targetBps);
  }

  #feedbackMissing(source: 'receiver-reports' | 'none'): void {
    const losses =
      source === 'none' ? 'and losses are unknown' : 'and losses are taken from RTCP receiver reports';
    this.board.notice(
      'warning',
      'feedback-missing',
      `No feedback arrives from the receiver: the delay-based rate stays as it is, ${losses}.`,
      'check that the far side runs ccscope and that its data channel is open',
    );
  }

  protected override async poll(): Promise<void> {
    const counters = readOutbound(await this.endpoint.getStats());
    if (counters === null) {
      // Counters appear with the first packets, so they are reported as missing only some time after the connection
      // was established.
      if (performance.now() - this.#connectedAt > VERIFY_MS) this.statsMissing();
      return;
    }
    this.board.clear('sender-stats');
    this.#latest = counters;
    if (counters.packetsSent > 0 && !this.#isSending) {
      this.#isSending = true;
      this.options.onSending?.();
    }
    this.#verify(counters.browserEstimateBps);
    const commands = this.worker?.commands;
    if (commands === undefined) return;
    const { sentBytes, rttUs, browserEstimateBps, packetsSent, packetsLost } = counters;
    void commands.sent({ sentBytes, rttUs, browserEstimateBps });
    if (Number.isNaN(packetsLost) || performance.now() - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = performance.now();
    void commands.receiverReport({ packetsSent, packetsLost });
  }

  protected override statsMissing(): void {
    this.board.notice(
      'warning',
      'sender-stats',
      'The browser does not report what it sends: the send rate is unknown. Losses are known only from feedback.',
      'nothing to do: the delay-based controller needs neither',
    );
  }

  /** To be called when the connection is established. The takeover is verified from then on. */
  connected(): void {
    if (!Number.isNaN(this.#connectedAt)) return;
    this.#connectedAt = performance.now();
    this.#verifiedAt = this.#connectedAt;
  }

  /**
   * Updates the effective mode. The takeover works as long as the browser's estimate is at least about the default
   * floor.
   */
  #verify(browserEstimateBps: number): void {
    if (this.options.mode !== 'control' || Number.isNaN(this.#verifiedAt) || this.worker === null) return;
    if (browserEstimateBps >= FLOOR_SEEN * DEFAULT_FLOOR_KBPS * 1000) {
      this.#verifiedAt = performance.now();
      this.board.clear('takeover');
      if (this.board.status.effectiveMode !== 'control') this.board.update({ effectiveMode: 'control' });
    } else if (performance.now() - this.#verifiedAt > VERIFY_MS) {
      if (this.board.has('takeover')) return;
      const estimate = Number.isNaN(browserEstimateBps)
        ? 'is unknown'
        : `is ${Math.round(browserEstimateBps / 1000)} kbps`;
      this.board.update({ effectiveMode: 'cap' });
      this.board.notice(
        'warning',
        'takeover',
        `The browser's own estimator is still in charge (its estimate ${estimate}): the controller can lower the bitrate, but cannot raise it above this estimate.`,
        'use a Chromium browser, or choose "cap" mode',
      );
    }
  }

  /**
   * Keeps the encoder at its last rate. To be called when the controller in charge has failed on the sending or the
   * receiving side.
   */
  hold(): void {
    this.#held = true;
  }

  feedback(bytes: ArrayBuffer): void {
    void this.worker?.commands.feedback(bytes);
  }

  async setBottleneck(options: Partial<LinkOptions>): Promise<void> {
    await this.ask((commands) => commands.setBottleneck(options));
  }

  override requestKeyFrame(): void {
    this.#actuator.keyFrame();
  }

  /**
   * Called after a dead worker has been replaced. Frames were lost with the dead worker, so the far side needs a key
   * frame. The first request may come too early, so it is repeated once.
   */
  protected override replaced(): void {
    this.requestKeyFrame();
    setTimeout(() => this.requestKeyFrame(), REPAIR_AGAIN_MS);
  }

  override async detach(): Promise<void> {
    await super.detach();
    await this.#actuator.restore();
  }

  override close(): void {
    this.#actuator.stop();
    super.close();
  }
}
