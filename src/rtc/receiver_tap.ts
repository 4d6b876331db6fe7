import type { MediaWorker } from '../worker/media/media_client.js';
import type { WorkerEvent, WorkerStats } from '../worker/media/protocol.js';
import { FreezeWatch, readInbound, readPicture, type PictureCounters } from './stats.js';
import type { StatusBoard } from './status.js';
import { Tap } from './tap.js';
import type { ControlOptions } from './types.js';

const POLL_MS = 100;
/**
 * The browser's counters appear with the first packets. If frames arrive but this many polls find no counters, the
 * counters are reported as missing.
 */
const PATIENCE_POLLS = 20;
/**
 * After this many consecutive frames without a trailer, the trailer counts as missing. The same number applies
 * to the receive time.
 */
const PATIENCE_FRAMES = 15;

/** The receiving side of a connection. The constructor attaches at once; `start` starts the controllers. */
export class ReceiverTap extends Tap<RTCRtpReceiver, ControlOptions> {
  readonly #freezes = new FreezeWatch();
  #lastEpochMs = 0;
  #missed = 0;
  #seen: WorkerStats | null = null;
  #trailerless = 0;
  #timeless = 0;

  constructor(
    receiver: RTCRtpReceiver,
    worker: MediaWorker,
    options: ControlOptions,
    board: StatusBoard,
    private readonly sendFeedback: (bytes: ArrayBuffer) => void,
  ) {
    super(receiver, worker, { side: 'receiver' }, options, board, POLL_MS);
  }

  protected override hear(event: WorkerEvent): void {
    if (event.kind === 'feedback') this.sendFeedback(event.bytes);
    else if (event.kind === 'tick') this.#sources(event.stats);
  }

  /** Updates the status from the worker's latest frames: where send times and arrival times come from. */
  #sources(now: WorkerStats): void {
    const before = this.#seen ?? { frames: 0, framesWithoutTrailer: 0, framesWithoutReceiveTime: 0 };
    this.#seen = now;
    const frames = now.frames - before.frames;
    if (frames === 0) return;
    const all = (missing: number, run: number) => (missing === frames ? run + frames : 0);
    this.#trailerless = all(now.framesWithoutTrailer - before.framesWithoutTrailer, this.#trailerless);
    this.#timeless = all(now.framesWithoutReceiveTime - before.framesWithoutReceiveTime, this.#timeless);
    this.#showSendTimes();
    this.#showArrivalTimes();
  }

  #showSendTimes(): void {
    const { sendTimeSource } = this.board.status;
    if (this.#trailerless >= PATIENCE_FRAMES && sendTimeSource === 'trailer') {
      this.board.update({ sendTimeSource: 'rtp_timestamp' });
      this.board.notice(
        'warning',
        'no-trailer',
        'Frames arrive without a valid timing trailer: send times are derived from RTP timestamps (shadow mode).',
        'run ccscope on the far side too, for exact send times',
      );
    } else if (this.#trailerless === 0 && sendTimeSource !== 'trailer') {
      this.board.update({ sendTimeSource: 'trailer' });
      this.board.clear('no-trailer');
    }
  }

  #showArrivalTimes(): void {
    const { arrivalTimeSource } = this.board.status;
    if (this.#timeless < PATIENCE_FRAMES || arrivalTimeSource === 'callback') return;
    this.board.update({ arrivalTimeSource: 'callback' });
    this.board.notice(
      'info',
      'no-receive-time',
      'This browser does not report when frames arrived, so the less precise time of the callback is used.',
      'use Chrome 127 or Firefox 152, or newer, at the receiver',
    );
  }

  protected override async poll(): Promise<void> {
    const report = await this.endpoint.getStats();
    this.#freezes.see(readPicture(report));
    const counters = readInbound(report);
    if (counters === null) {
      if ((this.#seen?.frames ?? 0) > 0 && ++this.#missed === PATIENCE_POLLS) this.statsMissing();
      return;
    }
    this.#missed = 0;
    this.board.clear('receiver-stats');
    // The browser may return the same cached counters several times; unchanged counters are skipped.
    if (counters.epochMs <= this.#lastEpochMs) return;
    this.#lastEpochMs = counters.epochMs;
    const { epochMs, ...counts } = counters;
    const timeUs = Math.round((epochMs - this.options.originEpochMs) * 1000);
    void this.worker?.commands.inbound({ timeUs, ...counts });
  }

  protected override statsMissing(): void {
    this.board.notice(
      'warning',
      'receiver-stats',
      'The browser does not report what it receives: the received rate is computed from complete frames, and losses are unknown.',
      'use a current Chromium, which reports it, or expect deeper rate cuts under loss',
    );
  }

  /** The browser's counters of the received video, and the longest freeze so far. */
  async picture(): Promise<PictureCounters & { longestFreezeS: number }> {
    const picture = readPicture(await this.endpoint.getStats());
    this.#freezes.see(picture);
    return { ...picture, longestFreezeS: this.#freezes.longestS };
  }
}
