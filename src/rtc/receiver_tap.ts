import type { SlotConfig } from '../worker/slot.js';
import type { MediaWorker } from '../worker/media/media_client.js';
import type { WorkerEvent, WorkerStats } from '../worker/media/protocol.js';
import { shadowSlots, slotInCharge } from './controllers.js';
import { FreezeWatch, poll, readInbound, readPicture, type PictureCounters } from './stats.js';
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
export class ReceiverTap {
  readonly #tap: Tap;
  readonly #freezes = new FreezeWatch();
  readonly #originEpochMs: number;
  #stopPolling: (() => void) | null = null;
  /** Whether `detach` or `close` was called, perhaps before the controllers had started. */
  #isEnded = false;
  #lastEpochMs = 0;
  #missed = 0;
  #seen: WorkerStats | null = null;
  #trailerless = 0;
  #timeless = 0;

  constructor(
    private readonly receiver: RTCRtpReceiver,
    worker: MediaWorker,
    options: ControlOptions,
    private readonly board: StatusBoard,
    private readonly sendFeedback: (bytes: ArrayBuffer) => void,
  ) {
    const { originEpochMs, wasmUrl } = options;
    this.#originEpochMs = originEpochMs;
    const config = {
      side: 'receiver' as const,
      originEpochMs,
      controller: slotInCharge(options),
      shadows: shadowSlots(options.shadows ?? [], options),
      ...(wasmUrl === undefined ? {} : { wasmUrl: String(wasmUrl) }),
    };
    this.#tap = new Tap(receiver, worker, config, options, board, (event) => this.#hear(event));
  }

  async start(): Promise<void> {
    await this.#tap.start();
    if (this.#isEnded) return;
    this.#stopPolling = poll(
      POLL_MS,
      () => this.#poll(),
      () => this.#missing(),
    );
  }

  #hear(event: WorkerEvent): void {
    if (event.kind === 'feedback') this.sendFeedback(event.bytes);
    else if (event.kind === 'tick') this.#sources(event.stats);
  }

  /** Updates the status from the worker's latest frames: where send times and arrival times come from. */
  #sources(now: WorkerStats): void {
    const before = this.#seen ?? {
      frames: 0,
      busyMs: 0,
      framesWithoutTrailer: 0,
      framesWithoutReceiveTime: 0,
      rowsRefused: 0,
      tickLateMs: NaN,
    };
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

  async #poll(): Promise<void> {
    const report = await this.receiver.getStats();
    this.#freezes.see(readPicture(report));
    const counters = readInbound(report);
    if (counters === null) {
      if ((this.#seen?.frames ?? 0) > 0 && ++this.#missed === PATIENCE_POLLS) this.#missing();
      return;
    }
    this.#missed = 0;
    this.board.clear('receiver-stats');
    // The browser may return the same cached counters several times; unchanged counters are skipped.
    if (counters.epochMs <= this.#lastEpochMs) return;
    this.#lastEpochMs = counters.epochMs;
    const { epochMs, ...counts } = counters;
    const timeUs = Math.round((epochMs - this.#originEpochMs) * 1000);
    void this.#tap.worker?.commands.inbound({ timeUs, ...counts });
  }

  #missing(): void {
    this.board.notice(
      'warning',
      'receiver-stats',
      'The browser does not report what it receives: the received rate is computed from complete frames, and losses are unknown.',
      'use a current Chromium, which reports it, or expect deeper rate cuts under loss',
    );
  }

  /** The browser's counters of the received video, and the longest freeze so far. */
  async picture(): Promise<PictureCounters & { longestFreezeS: number }> {
    const picture = readPicture(await this.receiver.getStats());
    this.#freezes.see(picture);
    return { ...picture, longestFreezeS: this.#freezes.longestS };
  }

  async setParameter(name: string, value: number): Promise<void> {
    await this.#tap.ask((commands) => commands.setParameter(name, value));
  }

  async setPreset(name: string): Promise<void> {
    await this.#tap.ask((commands) => commands.setPreset(name));
  }

  async setShadows(shadows: readonly SlotConfig[]): Promise<void> {
    await this.#tap.setShadows(shadows);
  }

  requestKeyFrame(): void {
    this.#tap.requestKeyFrame();
  }

  #end(): void {
    this.#isEnded = true;
    this.#stopPolling?.();
  }

  async detach(): Promise<void> {
    this.#end();
    await this.#tap.passThrough();
  }

  close(): void {
    this.#end();
    this.#tap.terminate();
  }
}
